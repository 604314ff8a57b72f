import Glibc

/// Shows how far something is: a bar on a terminal, a line a second elsewhere.
final class Progress {
    private let total: Int
    private let terminal: Terminal
    private let interval: Int64
    private var lastShown: Int64

    /// Begins to count to `total`.
    init(total: Int, _ terminal: Terminal) {
        self.total = total
        self.terminal = terminal
        interval = terminal.isInteractive ? 50 : 1_000
        lastShown = Self.now()
    }

    /// Shows that `count` are done, when it is time to show something.
    func update(_ count: Int) {
        // The clock is asked now and then only.
        guard count % 64 == 0 else { return }
        let now = Self.now()
        guard now - lastShown >= interval else { return }
        lastShown = now
        if terminal.isInteractive { terminal.error("\r\(bar(count))") } else { terminal.report(numbers(count)) }
    }

    /// Removes the bar.
    func end() {
        if terminal.isInteractive { terminal.error("\r\u{1b}[K") }
    }

    /// `[#####...............]  25 %  5000 of 20000`.
    func bar(_ count: Int) -> String {
        let filled = total > 0 ? min(20, count * 20 / total) : 20
        let blocks = String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled)
        return "[\(blocks)]  \(numbers(count))"
    }

    private func numbers(_ count: Int) -> String {
        "\(total > 0 ? count * 100 / total : 100) %  \(count) of \(total)"
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
