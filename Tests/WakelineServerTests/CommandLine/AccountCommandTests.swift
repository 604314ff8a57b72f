import SIP
import Observability
import Storage
import Testing

@testable import WakelineServer

@Suite("Commands")
struct AccountCommandTests {
    let scratch = Scratch()
    let captured = CapturingTerminal()

    func arguments(_ words: [String] = []) throws -> ParsedArguments {
        let command = Command(
            "x",
            summary: "",
            arguments: words.map { .init($0, "") },
            options: ConfigurationOptions.all + [.init("--reference", help: "")],
            run: { _, _ in .success }
        )
        return try ParsedArguments(words + ["--data", scratch.path], for: command)
    }

    func accounts(input: String? = nil) throws -> AccountCommands {
        try #require(AccountCommands(try arguments(), captured.terminal(input: input)))
    }

    @Test("an account is added once, listed, replaced when asked, and removed")
    func life() throws {
        let accounts = try accounts(input: "from stdin\r\nmore")
        #expect(accounts.add("Alice@Example.TEST", password: "secret", digest: nil, replacing: false) == .success)
        #expect(captured.take().output == "added Alice@example.test\n")
        #expect(accounts.add("Alice@example.test", password: "other", digest: nil, replacing: false) == .usage)
        #expect(captured.take().error.contains("the account Alice@example.test exists; replace it with --replace"))
        #expect(accounts.add("Alice@example.test", password: "-", digest: "md5", replacing: true) == .success)
        let stored = try AccountDatabase(DataDirectory(path: scratch.path)).lookUp(Array("Alice@example.test".utf8))
        let address = try AccountAddress("Alice@example.test")
        let wanted = try PasswordHasher()
            .credentials(for: address, password: Array("from stdin".utf8), digest: [.md5])
        #expect(stored == wanted)
        _ = captured.take()
        #expect(accounts.list(prefix: "Al", limit: "5", asJSON: false) == .success)
        #expect(captured.take().output.contains("Alice@example.test  2"))
        #expect(accounts.list(prefix: nil, limit: nil, asJSON: true) == .success)
        #expect(captured.take().output.hasSuffix("Z\",\"digest\":\"MD5\"}\n"))
        #expect(accounts.remove("Alice@example.test") == .success)
        #expect(accounts.remove("Alice@example.test") == .usage)
        #expect(captured.take().error == "there is no account Alice@example.test\n")
    }

    @Test("what can't be an account is refused with the mend")
    func refused() throws {
        let accounts = try accounts(input: "")
        let codes = [
            accounts.add("alice", password: "x", digest: nil, replacing: false),
            accounts.add("a@b", password: "", digest: nil, replacing: false),
            accounts.add("a@b", password: "-", digest: nil, replacing: false),
            accounts.add("a@b", password: "x", digest: "SHA-1", replacing: false),
            accounts.list(prefix: nil, limit: "many", asJSON: false),
            accounts.load(scratch.file("none.csv"), replacing: false),
        ]
        #expect(codes == [ExitCode](repeating: .usage, count: 6))
        #expect(captured.take().error.split(separator: "\n").count == 6)
    }

    @Test("an import is all or nothing, and names the lines that are wrong")
    func importing() throws {
        let accounts = try accounts(input: "address,password\nz@x,1\n")
        let bad = scratch.write("bad.csv", "address,password\na@x,1\nb,2\n")
        #expect(accounts.load(bad, replacing: false) == .usage)
        let reported = captured.take().error
        #expect(reported.hasPrefix("\(bad):3: b: an address has exactly one @; write it as user@domain\n"))
        #expect(reported.hasSuffix("nothing was imported\n"))
        #expect(try AccountDatabase(DataDirectory(path: scratch.path)).count() == 0)

        let rows = (0..<2_000).map { "u\($0)@x,pw\($0)\n" }.joined()
        let good = scratch.write("good.csv", "address,password\n" + rows)
        #expect(accounts.load(good, replacing: false) == .success)
        #expect(captured.take().output == "imported 2000 accounts into \(scratch.path)/accounts.db\n")
        let more = scratch.write("more.csv", "address,password\nnew@x,1\nu7@x,2\n")
        #expect(accounts.load(more, replacing: false) == .usage)
        #expect(captured.take().error.hasPrefix("\(more):3: nothing was imported\n"))
        #expect(try AccountDatabase(DataDirectory(path: scratch.path)).count() == 2_000)
        #expect(accounts.load(more, replacing: true) == .success)
        #expect(accounts.load("-", replacing: false) == .success)
        #expect(try AccountDatabase(DataDirectory(path: scratch.path)).count() == 2_002)
    }

    @Test("a data directory that can't be used is a configuration error")
    func badDirectory() throws {
        let file = scratch.write("plain", "x")
        let arguments = try ParsedArguments(
            ["--data", file],
            for: Command("x", summary: "", options: ConfigurationOptions.data, run: { _, _ in .success })
        )
        let accounts = try #require(AccountCommands(arguments, captured.terminal()))
        #expect(accounts.remove("a@b") == .configuration)
        #expect(captured.take().error.hasPrefix("\(file): the data directory is not a directory; "))
    }

    @Test("check shows what is effective, or all problems")
    func check() throws {
        let terminal = captured.terminal(environment: ["WAKELINE_DOMAINS": "a.test"])
        #expect(checkConfiguration(try arguments(), terminal) == .success)
        let shown = captured.take()
        #expect(shown.output.contains("\ndomains: [a.test]\ndata: \(scratch.path)\n"))
        #expect(shown.error == "configuration ok\n")
        let broken = captured.terminal(environment: ["WAKELINE_FLOW_DSCP": "x", "WAKELINE_PROXY_T1": "x"])
        #expect(checkConfiguration(try arguments(), broken) == .configuration)
        #expect(captured.take().error.split(separator: "\n").count == 3)
    }

    @Test("trace tells a call from the journal")
    func tracing() throws {
        #expect(trace(try arguments(["c@x"]), captured.terminal()) == .configuration)
        _ = captured.take()
        let thread = try WriterThread(interval: 1)
        let silent = LogWriter(on: thread, descriptor: -1)
        let journal = JournalFile(
            on: thread,
            directory: scratch.path,
            logger: Logger(subsystem: "journal", sink: silent)
        )
        var lines: [UInt8] = []
        var times = TimestampWriter()
        for (offset, step) in [(0, "received"), (1_250, "answered")] as [(Int64, StaticString)] {
            let at: Int64 = 1_795_230_960_123 + offset
            JournalLine.begin(wall: at, &times, callID: Array("c@x".utf8).span, step: step, to: &lines)
            JournalLine.end(&lines)
        }
        journal.append(lines)
        thread.close()
        #expect(trace(try arguments(["c@x"]), captured.terminal()) == .success)
        let expected = """
            c@x  2026-11-21T03:16:00.123Z
               +0.000 s  step=received
               +1.250 s  step=answered

            """
        #expect(captured.take().output == expected)
        #expect(trace(try arguments(["other"]), captured.terminal()) == .usage)
    }
}
