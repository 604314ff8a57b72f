import Flows
import Glibc
import LoadGenerator
import Observability
import Reactor
import SIP
import WakelineServer

extension Command {
    /// Loads a server with phones.
    static let load = Command(
        "load",
        summary: "Load a server with many phones that register, ping, call and send messages, and check every answer.",
        options: LoadOptions.options,
        run: runLoad
    )
}

@Sendable
private func runLoad(_ arguments: ParsedArguments, _ terminal: Terminal) -> ExitCode {
    var options: LoadOptions
    do throws(LoadOptionError) {
        options = try LoadOptions(arguments)
    } catch {
        terminal.report("wakeline load: \(error.text)\nsee wakeline load --help")
        return .usage
    }
    if let file = options.accountsFile { return writeAccounts(options.plan, file, terminal) }
    let room = roomForFlows()
    let share = max(options.workers, (options.plan.phones + room - 1) / max(room, 1))
    if let part = options.part {
        options.plan.share(part, of: options.workers)
        return runPart(options, terminal) { line in terminal.print(line) } ?? .failure
    }
    let figures: LoadFigures
    if share > 1 {
        options.workers = share
        guard let found = LoadWorkers(options, terminal).run(arguments.all) else { return .failure }
        figures = found
    } else {
        var lines: [String] = []
        let meter = LoadProgressLine(terminal)
        let code = runPart(options, terminal) { line in
            if let sample = LoadFigures.Sample(line), line.hasPrefix("progress ") {
                meter.show(sample)
            } else {
                lines.append(line)
            }
        }
        meter.end()
        guard code == .success else { return code ?? .failure }
        var read = LoadFigures()
        for line in lines { read.take(line) }
        figures = read
    }
    return report(figures, options, terminal)
}

/// Makes one part of a load, and hands its figures on as lines.
private func runPart(_ options: LoadOptions, _ terminal: Terminal, _ hand: @escaping (String) -> Void) -> ExitCode? {
    guard let hashes = try? Hashes.openSSL() else {
        terminal.report("wakeline load: OpenSSL lacks MD5 or SHA-256; is it restricted to FIPS?")
        return .failure
    }
    var settings = FlowSettings()
    settings.localAddresses = options.localAddresses
    do throws(ReactorError) {
        let loop = try EventLoop()
        let run = LoadRun(
            options.plan,
            hashes: hashes,
            random: .kernel,
            loop: loop,
            settings: settings,
            logger: Logger(subsystem: "load", level: .error, sink: LoadLog(terminal: terminal))
        )
        run.progress = { hand("progress" + $0.sample.line.dropFirst("sample".count)) }
        let signals = [
            try SignalWatcher(loop: loop, signal: SIGTERM) { run.interrupt() },
            try SignalWatcher(loop: loop, signal: SIGINT) { run.interrupt() },
        ]
        run.start()
        try loop.run()
        withExtendedLifetime(signals) {
            for line in run.figures.lines { hand(line) }
        }
        return .success
    } catch {
        terminal.report("wakeline load: \(error)")
        return .failure
    }
}

private func report(_ figures: LoadFigures, _ options: LoadOptions, _ terminal: Terminal) -> ExitCode {
    let report = LoadReport(figures, options.plan)
    terminal.print(options.isJSON ? report.json : report.text)
    // Where nobody could register, nothing was measured, whatever was asked for.
    var isMet = figures.registered > 0
    for level in options.levels {
        let verdict = level.judge(figures, phones: options.plan.phones)
        isMet = isMet && verdict.isMet
        terminal.report("\(verdict.isMet ? "reached" : "MISSED"): \(level.description), it was \(verdict.reached)")
    }
    if let file = options.htmlFile {
        let page = LoadPage(figures, options.plan, options.levels).html
        guard write(page, to: file) else {
            terminal.report("wakeline load: can't write \(file): \(String(cString: strerror(errno)))")
            return .failure
        }
    }
    return isMet ? .success : .unhealthy
}

private func writeAccounts(_ plan: LoadPlan, _ file: String, _ terminal: Terminal) -> ExitCode {
    var text = "address,password\n"
    for number in plan.firstPhone..<(plan.firstPhone + plan.phones) {
        text += "\(plan.userName(number))@\(plan.domain),\(plan.password(number))\n"
    }
    guard write(text, to: file) else {
        terminal.report("wakeline load: can't write \(file): \(String(cString: strerror(errno)))")
        return .failure
    }
    return .success
}

private func write(_ text: String, to file: String) -> Bool {
    guard let stream = fopen(file, "w") else { return false }
    let bytes = Array(text.utf8)
    let isWritten = fwrite(bytes, 1, bytes.count, stream) == bytes.count
    return fclose(stream) == 0 && isWritten
}

/// How many connections one process can have: what the limit of open files leaves, as far as it can be raised.
private func roomForFlows() -> Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return max(Int(clamping: limit.rlim_cur) - 64, 16)
}

/// Trouble with sockets, for whoever looks.
private struct LoadLog: LogSink {
    let terminal: Terminal

    func take(_ line: LogLine) {
        let fields = line.fields.map { " \($0.key)=\($0.value)" }.joined()
        terminal.report("wakeline load: \(line.message)\(fields)")
    }
}
