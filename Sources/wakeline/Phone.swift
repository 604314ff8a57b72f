import Glibc
import Observability
import PhoneKit
import Reactor
import SIP
import Softphone
import WakelineServer

extension Command {
    /// A phone without a screen.
    static let phone = Command(
        "phone",
        summary: "Register as a phone; call, answer, send messages, and tell whether sound goes both ways.",
        arguments: [Argument("ADDRESS", "whom to register: alice@example.test")],
        options: [
            Option("--password", "TEXT", help: "the password; others on this machine can see it here"),
            Option(
                "--password-file",
                "FILE",
                help: "a file whose first line is the password; or set WAKELINE_PASSWORD"
            ),
            Option(
                "--server",
                "URL",
                repeats: true,
                help: "tcp://HOST:PORT; twice for two connections; the domain of ADDRESS where it is not given"
            ),
            Option("--call", "URI", help: "call sip:bob@example.test, or bob for short, and exit"),
            Option(
                "--count",
                "NUMBER",
                help: "so many calls, one after another, then exit; without --call, so many taken"
            ),
            Option("--once", help: "exit after one call that came in"),
            Option("--duration", "SECONDS", help: "hang up so long after the answer; 5 with --call, else never"),
            Option("--auto-answer", help: "answer calls that come in"),
            Option("--reject", "STATUS", help: "refuse calls that come in: 486 for busy, 603 for declined"),
            Option("--ring", "SECONDS", help: "ring for so long before answering or refusing; 0"),
            Option("--message", "TEXT", help: "send a message to --to, and exit"),
            Option("--to", "URI", help: "whom --message is for"),
            Option("--options", "URI", help: "ask somebody what they can do, and exit"),
            Option("--no-audio", help: "calls without sound, and without listening for tones"),
            Option("--expires", "SECONDS", help: "how long a registration is asked for; 3600"),
            Option("--retry-base", "SECONDS", help: "the first wait for a lost server is half to all of this; 30"),
            Option("--display-name", "TEXT", help: "what others are shown"),
            Option("--instance", "URN", help: "the device: urn:uuid:...; made of ADDRESS and the host's name"),
            Option("--push", "SPEC", help: "how to wake it: PROVIDER:PARAM:TOKEN, with apns also :ALERT-TOKEN"),
            Option("--json", help: "one JSON object a line"),
            Option("--verbose", help: "show SIP messages on standard error, without credentials and tokens"),
        ],
        run: runPhone
    )
}

@Sendable
private func runPhone(_ arguments: ParsedArguments, _ terminal: Terminal) -> ExitCode {
    guard let hashes = try? Hashes.openSSL() else {
        terminal.report("wakeline phone: OpenSSL lacks MD5 or SHA-256; is it restricted to FIPS?")
        return .failure
    }
    let options: PhoneOptions
    do throws(PhoneOptionError) {
        options = try PhoneOptions(arguments, terminal.environment, hashes)
    } catch {
        terminal.report("wakeline phone: \(error.text)" + (error.code == .usage ? "\nsee wakeline phone --help" : ""))
        return error.code
    }
    do throws(ReactorError) {
        return try run(options, hashes, terminal)
    } catch {
        terminal.report("wakeline phone: \(error)")
        return .failure
    }
}

private func run(
    _ options: PhoneOptions,
    _ hashes: Hashes,
    _ terminal: Terminal
) throws(ReactorError) -> ExitCode {
    let loop = try EventLoop()
    let phone = VoicePhone(
        options.identity,
        policy: options.policy,
        settings: options.voice,
        hashes: hashes,
        random: .kernel,
        loop: loop,
        logger: Logger(subsystem: "phone", level: .warning, sink: TerminalSink(terminal: terminal))
    )
    if options.isVerbose {
        phone.driver.tracer = { terminal.report($0.shown) }
    }
    let run = PhoneRun(
        phone,
        options.errand,
        servers: options.servers.map(\.description),
        address: options.identity.address,
        isJSON: options.isJSON,
        loop: loop,
        print: { terminal.print($0) }
    )
    let signals = [
        try SignalWatcher(loop: loop, signal: SIGTERM) { run.interrupt() },
        try SignalWatcher(loop: loop, signal: SIGINT) { run.interrupt() },
    ]
    run.start()
    try loop.run()
    return withExtendedLifetime(signals) {
        switch run.verdict {
        case .done: .success
        case .failed: .unhealthy
        case .unreachable: .temporary
        }
    }
}

/// Trouble with sockets, for whoever looks.
private struct TerminalSink: LogSink {
    let terminal: Terminal

    func take(_ line: LogLine) {
        let fields = line.fields.map { " \($0.key)=\($0.value)" }.joined()
        terminal.report("wakeline phone: \(line.message)\(fields)")
    }
}
