import Testing

@testable import WakelineServer

@Suite("Command line")
struct CommandLineTests {
    let captured = CapturingTerminal()
    let tool: CommandLineTool

    init() {
        let show: @Sendable (ParsedArguments, Terminal) -> ExitCode = { arguments, terminal in
            let names = ["--data", "--listen", "--json"].filter { arguments.has($0) }
            terminal.output("\(arguments[0])|" + names.map { "\($0)=\(arguments.values($0))" }.joined(separator: " "))
            return .success
        }
        tool = CommandLineTool(
            "tool",
            summary: "Does things.",
            commands: [
                Command(
                    "account",
                    "add",
                    summary: "Add.",
                    arguments: [.init("ADDRESS", "user@domain")],
                    options: [
                        .init("--password", "TEXT", required: true, help: "a password"),
                        .init("--data", "DIR", help: "a directory"),
                        .init("--listen", "ADDRESS", repeats: true, help: "places"),
                        .init("--json", help: "as JSON"),
                    ],
                    run: show
                ),
                Command("account", "remove", summary: "Remove.", run: show),
                Command("check", summary: "Check.") { _, _ in .configuration },
            ]
        )
    }

    func run(_ line: String) -> (code: Int32, output: String, error: String) {
        let code = tool.run(line.split(separator: " ").map(String.init), captured.terminal())
        let written = captured.take()
        return (code, written.output, written.error)
    }

    @Test(
        "options stand anywhere, with a space or an equals sign",
        arguments: [
            ("account add a@b --password x", "a@b|"),
            ("account add --password - a@b --json", "a@b|--json=[\"\"]"),
            ("account add --password=--x --data=/d a@b", "a@b|--data=[\"/d\"]"),
            ("account add --listen 1 a@b --listen=2 --password -x", "a@b|--listen=[\"1\", \"2\"]"),
            ("account add --password x -- --data", "--data|"),
        ]
    )
    func parsing(line: String, expected: String) {
        let result = run(line)
        #expect(result.code == 0)
        #expect(result.output == expected)
    }

    @Test(
        "a wrong command line is exit code 64 and says what mends it",
        arguments: [
            ("account add a@b", "--password is missing"),
            ("account add --password x", "ADDRESS is missing: user@domain"),
            ("account add a@b c --password x", "\"c\" is one argument too many"),
            ("account add a@b --pasword x", "unknown option --pasword; did you mean --password?"),
            ("account add a@b --zzzzzzzzz", "unknown option --zzzzzzzzz\n"),
            ("account add a@b --password", "--password needs a value; write --password TEXT"),
            ("account add a@b --password --json", "--password needs a value"),
            ("account add a@b --password x --password y", "--password is given twice"),
            ("account add a@b --password x --json=1", "--json takes no value"),
            ("account ad a@b", "did you mean tool account add?"),
            ("acount remove", "did you mean tool account remove?"),
            ("chekc --config x", "did you mean tool check?"),
            ("somethingelse", "choose one of those that --help lists"),
            ("--hlep", "did you mean --help?"),
            ("", "Usage: tool SUBCOMMAND"),
            ("account", "account add ADDRESS"),
        ]
    )
    func usage(line: String, expected: String) {
        let result = run(line)
        #expect(result.code == 64)
        #expect(result.error.contains(expected), "\(result.error)")
        #expect(result.output.isEmpty)
    }

    @Test(
        "help and version go to the standard output",
        arguments: [
            ("--help", "account add ADDRESS"), ("help", "check"), ("account --help", "account remove"),
            ("account add --help", "--listen ADDRESS"), ("account add -h", "[--listen ADDRESS]..."),
            ("--version", "tool \(Version.current)\n"),
        ]
    )
    func help(line: String, expected: String) {
        let result = run(line)
        #expect(result.code == 0)
        #expect(result.output.contains(expected))
        #expect(result.error.isEmpty)
    }

    @Test("the exit code of a command is that of the process")
    func exitCode() {
        #expect(run("check").code == 78)
    }

    @Test("a bar shows what is done")
    func progress() {
        let progress = Progress(total: 20_000, captured.terminal(isInteractive: true))
        #expect(progress.bar(5_000) == "[#####...............]  25 %  5000 of 20000")
        #expect(Progress(total: 0, captured.terminal()).bar(0) == "[####################]  100 %  0 of 0")
    }
}
