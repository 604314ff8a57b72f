import Glibc
import LoadGenerator
import WakelineServer

/// The processes of a load that is too large for one: started with the same words, each with its part.
final class LoadWorkers {
    private let options: LoadOptions
    private let terminal: Terminal

    private struct Worker {
        var process: pid_t
        var descriptor: Int32
        var text: [UInt8] = []
        var figures = LoadFigures()
    }

    init(_ options: LoadOptions, _ terminal: Terminal) {
        self.options = options
        self.terminal = terminal
    }

    /// Starts them, shows how it goes, and adds up what they saw.
    ///
    /// - Returns: nil where one of them failed.
    func run(_ words: [String]) -> LoadFigures? {
        var workers: [Worker] = []
        for part in 0..<options.workers {
            guard let worker = start(words, part) else {
                terminal.report("wakeline load: a process can't be started: \(String(cString: strerror(errno)))")
                for worker in workers { kill(worker.process, SIGTERM) }
                return nil
            }
            workers.append(worker)
        }
        let orders = WorkerOrders()
        let meter = LoadProgressLine(terminal)
        var open = workers.count
        var second: [Int: (LoadFigures, Int)] = [:]
        while open > 0 {
            var polled = workers.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            if poll(&polled, nfds_t(polled.count), 200) < 0, errno != EINTR { break }
            if orders.isToEnd { for worker in workers where worker.descriptor >= 0 { kill(worker.process, SIGTERM) } }
            for index in workers.indices where polled[index].revents != 0 {
                guard read(&workers[index]) else {
                    close(workers[index].descriptor)
                    workers[index].descriptor = -1
                    open -= 1
                    continue
                }
                for line in takeLines(&workers[index].text) {
                    guard line.hasPrefix("progress "), let sample = LoadFigures.Sample(line) else {
                        workers[index].figures.take(line)
                        continue
                    }
                    var (seen, count) = second[sample.second] ?? (LoadFigures(), 0)
                    var one = LoadFigures()
                    one.samples = [sample]
                    seen.add(one)
                    count += 1
                    second[sample.second] = (seen, count)
                    if count == workers.count, let sum = seen.samples.first { meter.show(sum) }
                }
            }
        }
        meter.end()
        var sum = LoadFigures()
        var isSound = true
        for worker in workers {
            var status: Int32 = 0
            while waitpid(worker.process, &status, 0) < 0, errno == EINTR {}
            isSound = isSound && status == 0
            sum.add(worker.figures)
        }
        guard isSound else {
            terminal.report("wakeline load: one of its processes did not end well, so there are no figures")
            return nil
        }
        return sum
    }

    private func start(_ words: [String], _ part: Int) -> Worker? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        // Later processes are not to hold the ends of earlier ones open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        let all = ["wakeline", "load"] + words + ["--part", "\(part)/\(options.workers)"]
        var arguments: [UnsafeMutablePointer<CChar>?] = all.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let result = posix_spawn(&process, "/proc/self/exe", &actions, nil, &arguments, environ)
        close(ends[1])
        guard result == 0 else {
            close(ends[0])
            errno = result
            return nil
        }
        return Worker(process: process, descriptor: ends[0])
    }

    private func read(_ worker: inout Worker) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(worker.descriptor, &buffer, buffer.count)
        if count < 0 { return errno == EINTR }
        worker.text += buffer.prefix(count)
        return count > 0
    }

    private func takeLines(_ text: inout [UInt8]) -> [String] {
        var lines: [String] = []
        while let end = text.firstIndex(of: 0x0a) {
            lines.append(String(decoding: text[..<end], as: UTF8.self))
            text.removeFirst(end + 1)
        }
        return lines
    }
}

/// Notes when somebody wants a load to end before its time, so that its processes are told, and its figures are not lost.
private struct WorkerOrders {
    private var wanted = sigset_t()

    init() {
        sigemptyset(&wanted)
        sigaddset(&wanted, SIGTERM)
        sigaddset(&wanted, SIGINT)
        sigprocmask(SIG_BLOCK, &wanted, nil)
    }

    /// Whether a signal came since this was last asked.
    var isToEnd: Bool {
        var set = wanted
        var none = timespec()
        return sigtimedwait(&set, nil, &none) > 0
    }
}

/// The line that tells how a load goes.
final class LoadProgressLine {
    private let terminal: Terminal

    init(_ terminal: Terminal) { self.terminal = terminal }

    /// Shows a second.
    func show(_ sample: LoadFigures.Sample) {
        var parts = ["\(sample.second) s"]
        for operation in Operation.allCases where sample.succeeded[operation.rawValue] > 0 {
            let p99 = Double(sample.p99[operation.rawValue]) / 1000
            parts.append(
                "\(operation.name) \(sample.succeeded[operation.rawValue])/s (p99 \(Int(p99.rounded(.up))) ms)"
            )
        }
        if sample.failed > 0 { parts.append("failed \(sample.failed)") }
        let line = parts.joined(separator: "  ")
        if terminal.isInteractive { terminal.error("\r\(line)\u{1b}[K") } else { terminal.report(line) }
    }

    /// Removes the line from a terminal.
    func end() { if terminal.isInteractive { terminal.error("\r\u{1b}[K") } }
}
