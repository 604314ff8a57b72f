import Locking

@testable import WakelineServer

/// Keeps what a command writes.
final class CapturingTerminal: Sendable {
    private let written = Mutex<(output: String, error: String)>(("", ""))

    func terminal(input: String? = nil, environment: [String: String] = [:], isInteractive: Bool = false) -> Terminal {
        Terminal(
            output: { text in self.written.withLock { $0.output += text } },
            error: { text in self.written.withLock { $0.error += text } },
            isInteractive: isInteractive,
            environment: environment,
            input: { input.map { Array($0.utf8) } }
        )
    }

    /// What was written since the last call.
    func take() -> (output: String, error: String) {
        written.withLock { written in
            defer { written = ("", "") }
            return written
        }
    }
}
