import Flows
import Observability
import SIP
import Testing

@testable import WakelineServer

@Suite("Configuration")
struct ConfigurationTests {
    let scratch = Scratch()

    func load(
        _ yaml: String? = nil,
        environment: [String: String] = [:],
        flags: [ConfigurationSources.Flag] = [],
        for purpose: Configuration.Purpose = .administration
    ) throws(ConfigurationProblems) -> LoadedConfiguration {
        let file = yaml.map { scratch.write("w.yaml", $0) }
        return try Configuration.load(
            ConfigurationSources(file: file, environment: environment, flags: flags),
            for: purpose
        )
    }

    /// The problems of a file, without the path of the directory.
    func problems(_ yaml: String, for purpose: Configuration.Purpose = .administration) -> [String] {
        do throws(ConfigurationProblems) {
            _ = try load(yaml, for: purpose)
            return []
        } catch {
            return error.problems.map { $0.description.replacing(scratch.path + "/", with: "") }
        }
    }

    @Test("without any source all is as documented")
    func defaults() throws {
        #expect(try load().configuration == Configuration())
        for empty in ["", "# nothing\n", "---\n", "log:\n"] {
            #expect(try load(empty).configuration == Configuration())
        }
    }

    @Test("every key is read")
    func everyKey() throws {
        let loaded = try load(
            """
            listen: [tcp://127.0.0.1:5070, "tcp://[2001:db8::1]:5080"]
            domains:
              - Example.com
              - "example.org"
            data: /srv/wakeline
            trust: [10.0.0.0/8, 2001:db8::/32, 192.0.2.1]
            advertise: sip.example.com:5090
            log: {level: debug, format: json, subsystems: {storage: trace, flows: error}}
            journal: {size: 1MB}
            digest:
              algorithms: MD5
              user-agents: {"Old 1.": [MD5], New: [SHA-256, md5]}
              nonce-lifetime: 90
              challenge-every-request: yes
            registrar: {min-expires: 30s, default-expires: 10m, max-expires: 1d, expiry-jitter: 0.25,
                        max-contacts: 5, service-route: false}
            flow: {timer: 0, grace: 5s, user-timeout: 1500ms, dscp: 0, write-mark: 64KB, write-bound: 2097152,
                   first-message: 1s, authentication: 2s}
            proxy: {timer-c: 4m, max-breadth: 30, fork-limit: 5, t1: 100ms, t2: 1s, t4: 2s, trying-after: 0}
            limits: {start-line: 8kb, header-section: 32KB, body: 16KB, header-fields: 100}
            shutdown: {drain: 1s}
            """,
            for: .serving
        )
        var expected = Configuration()
        expected.listen = [
            .init(transport: .tcp, SocketAddress(ipv4: 0x7f00_0001, port: 5070)),
            .init(transport: .tcp, SocketAddress(high: 0x2001_0db8 << 32, low: 1, port: 5080)),
        ]
        expected.domains = ["example.com", "example.org"]
        expected.data = "/srv/wakeline"
        expected.trust = try ["10.0.0.0/8", "2001:db8::/32", "192.0.2.1/32"].map { try .init($0) }
        expected.advertise = .init(host: "sip.example.com", port: 5090)
        expected.log = LogSettings(level: .debug, subsystems: ["storage": .trace, "flows": .error], format: .json)
        expected.journal.size = 1 << 20
        expected.digest.algorithms = [.md5]
        expected.digest.userAgents = [
            .init(prefix: "Old 1.", algorithms: [.md5]), .init(prefix: "New", algorithms: [.sha256, .md5]),
        ]
        expected.digest.nonceLifetime = .seconds(90)
        expected.digest.challengeEveryRequest = true
        expected.registrar.minExpires = .seconds(30)
        expected.registrar.defaultExpires = .seconds(600)
        expected.registrar.maxExpires = .seconds(86_400)
        expected.registrar.expiryJitter = 0.25
        expected.registrar.maxContacts = 5
        expected.registrar.serviceRoute = false
        expected.flow.timer = .zero
        expected.flow.grace = .seconds(5)
        expected.flow.userTimeout = .milliseconds(1_500)
        expected.flow.dscp = 0
        expected.flow.writeMark = 64 << 10
        expected.flow.writeBound = 2 << 20
        expected.flow.firstMessage = .seconds(1)
        expected.flow.authentication = .seconds(2)
        expected.proxy.timerC = .seconds(240)
        expected.proxy.maxBreadth = 30
        expected.proxy.forkLimit = 5
        expected.proxy.t1 = .milliseconds(100)
        expected.proxy.t2 = .seconds(1)
        expected.proxy.t4 = .seconds(2)
        expected.proxy.tryingAfter = .zero
        expected.limits.startLine = 8 << 10
        expected.limits.headerSection = 32 << 10
        expected.limits.body = 16 << 10
        expected.limits.headerFields = 100
        expected.shutdown.drain = .seconds(1)
        #expect(loaded.configuration == expected)
        #expect(try load(expected.yaml).configuration == expected, "what is shown can be read")
        #expect(try load(Configuration().yaml).configuration == Configuration())
    }

    @Test("all problems are named at once, each with file, line, key and mend")
    func problemsTogether() {
        let found = problems(
            """
            domain: example.com
            listen: [tcp://localhost:5060, tls://0.0.0.0:5061,
                     "tcp://[::]:99999"]
            registrar:
              min-expire: 60s
              max-expires: soon
              max-contacts: 0
              t1: 3
            flow: 5
            log: {level: inof}
            journal: {size: }
            shutdown: {drain: [1, 2]}
            proxy: {t1: 5s}
            trust: 10.1.0.0/33
            """
        )
        let expected = [
            "w.yaml:1: domain: unknown key; did you mean domains?",
            "w.yaml:2: listen: 'tcp://localhost:5060': 'localhost' is no IP address to listen on; "
                + "write an IPv4 address, an IPv6 address in brackets such as [::1], or * for all",
            "w.yaml:2: listen: 'tls://0.0.0.0:5061': tls is not served here, tcp is; write tcp://HOST:PORT",
            "w.yaml:3: listen: 'tcp://[::]:99999': '99999' is no port; "
                + "write a number from 0 to 65535 (0 takes a free one)",
            "w.yaml:5: registrar.min-expire: unknown key; did you mean min-expires?",
            "w.yaml:6: registrar.max-expires: \"soon\" is no duration; write 500ms, 30s, 5m, 1h, 30d or plain seconds",
            "w.yaml:7: registrar.max-contacts: \"0\" is not from 1 to 1000; write a value from 1 to 1000",
            "w.yaml:8: registrar.t1: unknown key; did you mean proxy.t1?",
            "w.yaml:9: flow: a section is wanted, and this is a single value; its keys are timer, grace, user-timeout, "
                + "dscp, write-mark, write-bound, first-message, authentication",
            "w.yaml:10: log.level: \"inof\" is no log level; did you mean \"info\"?",
            "w.yaml:11: journal.size: the value is missing; write size, or leave the key out",
            "w.yaml:12: shutdown.drain: a single value is wanted, and this is a list; write duration",
            "w.yaml:14: trust: '10.1.0.0/33' has no usable prefix length; "
                + "write a number from 0 to 32 after the slash",
            "w.yaml:13: proxy.t1: 5s is over proxy.t2, 4s; lower it, or raise proxy.t2",
        ]
        #expect(found == expected)
    }

    @Test(
        "what is no YAML, or too much of it, is refused with its line",
        arguments: [
            ("a: [1, 2", "w.yaml:2: did not find expected ',' or ']'; correct the YAML there"),
            ("log:\n\tlevel: info", "w.yaml:2: found character that cannot start any token; correct the YAML there"),
            ("- a\n- b", "w.yaml:1: the file is a list; write one \"key: value\" on each line"),
            ("data: &x /a", "w.yaml:1: anchors, aliases and tags are not supported; write the value out"),
            ("data: /a\ndata: /b", "w.yaml:2: \"data\" is here already, in line 1; keep one of the two"),
            ("data: /a\n---\ndata: /b", "w.yaml:2: a second document begins; keep one document"),
            ("[a]: b", "w.yaml:1: a key is not a plain word; correct the YAML there"),
            (String(repeating: "[", count: 40), "w.yaml:1: nested too deeply; correct the YAML there"),
        ]
    )
    func brokenYAML(text: String, expected: String) {
        #expect(problems(text) == [expected])
    }

    @Test("a whole that does not fit together is refused, for serving more than for the rest")
    func whole() {
        let expected = [
            "w.yaml:2: registrar.min-expires: 2h is over registrar.default-expires, 1h; "
                + "lower it, or raise registrar.default-expires"
        ]
        #expect(problems("registrar:\n  min-expires: 2h") == expected)
        #expect(
            problems("listen: []", for: .serving) == [
                "default: domains: no domain is given; write domains: [example.com], or use --domain",
                "w.yaml:1: listen: there is no place to listen; write listen: [tcp://0.0.0.0:5060]",
            ]
        )
        #expect(problems("listen: []").isEmpty)
        // A list that can't be read is not also called empty.
        #expect(problems("domains: [a b]", for: .serving).count == 1)
    }

    @Test("the environment overrides the file, flags override both")
    func precedence() throws {
        let environment = [
            "WAKELINE_DOMAINS": "a.test, b.test", "WAKELINE_REGISTRAR_MIN_EXPIRES": "5s", "WAKELINE_LOG_LEVEL": "",
            "WAKELINE_LISTEN": "tcp://[::1]:1", "WAKELINE_DIGEST_USER_AGENTS": "{\"x 1.\": [MD5]}",
        ]
        let flags = [
            ConfigurationSources.Flag(name: "--domain", key: "domains", values: ["c.test", "d.test"]),
            ConfigurationSources.Flag(name: "--digest", key: "digest.algorithms", values: ["MD5,SHA-256"]),
        ]
        let found = try load(
            "registrar: {min-expires: 9s}\nlog: {level: debug}",
            environment: environment,
            flags: flags
        )
        .configuration
        #expect(found.domains == ["c.test", "d.test"])
        #expect(found.digest.algorithms == [.md5, .sha256])
        #expect(found.registrar.minExpires == .seconds(5))
        #expect(found.log.level == .debug)
        #expect(found.listen.map(\.description) == ["tcp://[::1]:1"])
        #expect(found.digest.userAgents == [.init(prefix: "x 1.", algorithms: [.md5])])
    }

    @Test("bad values of variables and flags are named by them; misspelled variables are mentioned")
    func otherSources() throws {
        let flag = ConfigurationSources.Flag(name: "--listen", key: "listen", values: ["5060"])
        let error = #expect(throws: ConfigurationProblems.self) {
            try load(environment: ["WAKELINE_FLOW_DSCP": "64", "WAKELINE_LOG_SUBSYSTEMS": "x"], flags: [flag])
        }
        #expect(error?.problems.map(\.source) == ["WAKELINE_LOG_SUBSYSTEMS", "WAKELINE_FLOW_DSCP", "--listen"])
        let warnings = try load(
            environment: ["WAKELINE_DOMAIN": "x", "WAKELINE_SERVICE_HOST": "x", "WAKELINE_PORT": "x", "HOME": "x"]
        ).warnings
        #expect(warnings == ["WAKELINE_DOMAIN: not a variable of wakeline; did you mean WAKELINE_DOMAINS?"])
    }

    @Test("WAKELINE_CONFIG names the file, --config another")
    func fileNames() throws {
        let other = scratch.write("other.yaml", "data: /other")
        let environment = ["WAKELINE_CONFIG": other]
        #expect(try load(environment: environment).configuration.data == "/other")
        #expect(try load("data: /this", environment: environment).configuration.data == "/this")
        let missing = ConfigurationSources(file: scratch.file("none"))
        let error = #expect(throws: ConfigurationProblems.self) { try Configuration.load(missing, for: .serving) }
        #expect(error?.problems.first?.what == "can't be read: No such file or directory")
    }

    @Test("docs/configuration.md has the reference as the code has it")
    func documentation() {
        #expect(
            fileOfThePackage("docs/configuration.md").contains(Configuration.reference),
            "replace the tables by what `wakeline check --reference` prints"
        )
    }

    @Test("packaging/wakeline.yaml is the commented configuration as the code has it")
    func example() {
        #expect(
            fileOfThePackage("packaging/wakeline.yaml") == Configuration.example,
            "replace it by what `wakeline check --example` prints"
        )
    }

    @Test("the commented configuration changes nothing, with its comments and without")
    func exampleIsDefault() throws {
        var defaults = Configuration()
        defaults.domains = ["example.test"]
        let example = Configuration.example.replacing("domains: []", with: "domains: [example.test]")
        #expect(try load(example).configuration == defaults)
        let lines = example.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let rest = line.drop { $0 == " " }
            let isKey = rest.first == "#" && rest.dropFirst().first?.isLetter == true
            return isKey ? line.prefix { $0 == " " } + rest.dropFirst() : line
        }
        #expect(lines.filter { $0.contains("max-expires: ") } == ["  max-expires: 2h"])
        #expect(try load(lines.joined(separator: "\n")).configuration == defaults)
    }

    private func fileOfThePackage(_ name: String) -> String {
        var path = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        path.removeLast(4)
        let file = path.joined(separator: "/") + "/" + name
        guard case .success(let bytes) = readWholeFile(file) else {
            Issue.record("can't read \(file)")
            return ""
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
