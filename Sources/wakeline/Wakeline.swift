import Glibc
import WakelineServer

@main
enum Wakeline {
    // `main` belongs to the main actor; nothing else here does.
    static func main() {
        start()
    }
}

nonisolated private func start() -> Never {
    let tool = CommandLineTool(
        "wakeline",
        summary: "A SIP server that keeps one line open to every phone.",
        commands: [
            .serve, .check, .health, .accountAdd, .accountRemove, .accountList, .accountImport, .phone, .trace,
            .load, .simulate,
        ]
    )
    exit(tool.run(Array(CommandLine.arguments.dropFirst()), .process()))
}
