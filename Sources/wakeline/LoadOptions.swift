import LoadGenerator
import SIP
import Softphone
import WakelineServer

/// What `wakeline load` was asked for.
struct LoadOptions {
    var plan = LoadPlan()
    var levels: [ServiceLevel] = []
    var workers = 1
    var htmlFile: String?
    var isJSON = false
    var accountsFile: String?
    var localAddresses: [SocketAddress] = []
    /// Which part of the load this process makes; nil in the one that was started by hand.
    var part: Int?

    static let options: [Command.Option] = [
        Command.Option("--server", "URL", repeats: true, help: "tcp://HOST:PORT; tcp://127.0.0.1:5060"),
        Command.Option("--phones", "COUNT", help: "phones; 100"),
        Command.Option("--first", "NUMBER", help: "the number of the first phone; 0"),
        Command.Option("--user", "PATTERN", help: "user names, {n} for the phone's number; u{n}"),
        Command.Option("--password", "PATTERN", help: "passwords; pw{n}"),
        Command.Option("--domain", "NAME", help: "the domain of all; example.test"),
        Command.Option("--write-accounts", "FILE", help: "write the accounts for wakeline account import, and exit"),
        Command.Option("--ramp", "RATE", help: "phones that set up a second, 0 for all at once; 1000"),
        Command.Option(
            "--ping",
            "PACE",
            help: "pings: 500 a second, 100..500 from one rate to the other, x32 always open"
        ),
        Command.Option("--refresh", "PACE", help: "registrations renewed with a nonce that is known"),
        Command.Option("--register", "PACE", help: "registrations renewed with a new challenge"),
        Command.Option("--message", "PACE", help: "messages between two phones"),
        Command.Option("--call", "PACE", help: "calls between two phones"),
        Command.Option("--reconnect", "PACE", help: "connections opened anew"),
        Command.Option("--abuse", "PACE", help: "clients that misbehave, and are to be refused or closed"),
        Command.Option("--ring", "MS", help: "how long a phone rings; 20"),
        Command.Option("--hold", "MS", help: "how long a call lasts; 20"),
        Command.Option("--storm", help: "all phones but the steady ones come at once, a second after the load began"),
        Command.Option("--steady", "COUNT", help: "phones that are there before a storm; 0"),
        Command.Option("--seconds", "SECONDS", help: "how long the load lasts, or phones with nothing to do rest; 10"),
        Command.Option("--warm-up", "SECONDS", help: "the beginning of it that does not count; 0"),
        Command.Option("--grid", "MS", help: "what is due within so many is done in one go, 1 spreads it most; 10"),
        Command.Option("--patience", "SECONDS", help: "an answer that takes longer is a failure; 32"),
        Command.Option(
            "--require",
            "LEVEL",
            repeats: true,
            help: "call.p99<50ms, message.failed<0.1%, call.rate>450, registered=100%: exit 1 where it is missed"
        ),
        Command.Option("--server-pid", "PID", help: "also tell what the server's process uses"),
        Command.Option("--workers", "COUNT", help: "processes; as many as the limit of open files asks for"),
        Command.Option("--local-address", "ADDRESS", repeats: true, help: "where connections come from, in turn"),
        Command.Option("--html", "FILE", help: "write a report with plots"),
        Command.Option("--json", help: "print the figures as one JSON object"),
        Command.Option("--part", "PART", help: "for processes that this command starts itself"),
    ]

    /// Reads what was written.
    ///
    /// - Throws: what is wrong, with the mend.
    init(_ arguments: ParsedArguments) throws(LoadOptionError) {
        for url in arguments.values("--server").isEmpty ? ["tcp://127.0.0.1:5060"] : arguments.values("--server") {
            do throws(ServerAddressError) {
                plan.servers.append(try ServerAddress(url).target())
            } catch {
                throw LoadOptionError("\(error)")
            }
        }
        try read(arguments, "--phones", 1...10_000_000) { plan.phones = $0 }
        try read(arguments, "--first", 0...1_000_000_000) { plan.firstPhone = $0 }
        try read(arguments, "--ramp", 0...1_000_000.0) { plan.ramp = $0 }
        try read(arguments, "--ring", 0...600_000) { plan.ring = $0 }
        try read(arguments, "--hold", 0...86_400_000) { plan.hold = $0 }
        try read(arguments, "--steady", 0...10_000_000) { plan.steady = $0 }
        try read(arguments, "--seconds", 0...1_000_000.0) { plan.seconds = $0 }
        try read(arguments, "--warm-up", 0...1_000_000.0) { plan.warmUp = $0 }
        try read(arguments, "--grid", 1...1000) { plan.grid = $0 }
        try read(arguments, "--patience", 1...3600) { plan.patience = .seconds($0) }
        try read(arguments, "--server-pid", 1...Int32.max) { plan.serverProcess = $0 }
        try read(arguments, "--workers", 1...256) { workers = $0 }
        if let text = arguments.value("--part") {
            let numbers = text.split(separator: "/").compactMap { Int($0) }
            guard numbers.count == 2, (1...256).contains(numbers[1]), (0..<numbers[1]).contains(numbers[0]) else {
                throw LoadOptionError("--part \(text) is no part; write 0/2")
            }
            part = numbers[0]
            workers = numbers[1]
        }
        plan.user = arguments.value("--user") ?? plan.user
        plan.password = arguments.value("--password") ?? plan.password
        plan.domain = arguments.value("--domain") ?? plan.domain
        plan.storm = arguments.has("--storm")
        htmlFile = arguments.value("--html")
        accountsFile = arguments.value("--write-accounts")
        isJSON = arguments.has("--json")
        for operation in Operation.allCases {
            guard let text = arguments.value("--\(operation.name)") else { continue }
            plan.paces.append((operation, try Self.pace(text, "--\(operation.name)")))
        }
        for text in arguments.values("--require") {
            do throws(ServiceLevelError) {
                levels.append(try ServiceLevel(text))
            } catch {
                throw LoadOptionError("--require: \(error)")
            }
        }
        for text in arguments.values("--local-address") {
            let bytes = Array(text.utf8)
            guard let address = SocketAddress(host: bytes, bytes.indices, port: 0) else {
                throw LoadOptionError("--local-address \(text) is no address; write 127.0.0.2")
            }
            localAddresses.append(address)
        }
        if localAddresses.isEmpty { localAddresses = Self.loopbackAddresses(plan) }
    }

    /// Where connections come from when the servers are on this machine, which has millions of addresses.
    ///
    /// One address has some 28,000 ports, and the kernel searches the longer for a free one the more of them are taken.
    ///
    /// - Returns: nothing where the kernel has to choose.
    private static func loopbackAddresses(_ plan: LoadPlan) -> [SocketAddress] {
        let isHere = plan.servers.allSatisfy { $0.host.description.hasPrefix("127.") }
        guard isHere, plan.phones > phonesPerAddress else { return [] }
        let count = min(plan.phones / phonesPerAddress + 1, 100)
        return (1...count).map { SocketAddress(ipv4: 127 << 24 | UInt32(truncatingIfNeeded: $0), port: 0) }
    }

    private static let phonesPerAddress = 2000

    private static func pace(_ text: String, _ option: String) throws(LoadOptionError) -> Pace {
        if text.first == "x", let window = Int(text.dropFirst()), (1...1_000_000).contains(window) {
            return .window(window)
        }
        let ends = text.split(separator: ".", omittingEmptySubsequences: false)
        if let dots = text.utf8.firstRange(of: "..".utf8), ends.count > 2 {
            if let from = Double(text[..<dots.lowerBound]), let to = Double(text[dots.upperBound...]), from >= 0,
                to >= 0
            {
                return .rate(from: from, to: to)
            }
        } else if let rate = Double(text), rate >= 0 {
            return .rate(from: rate, to: rate)
        }
        throw LoadOptionError("\(option) \(text) is no pace; write 500, 100..500 or x32")
    }

    private func read<Number: LosslessStringConvertible & Comparable>(
        _ arguments: ParsedArguments,
        _ option: String,
        _ bounds: ClosedRange<Number>,
        _ take: (Number) -> Void
    ) throws(LoadOptionError) {
        guard let text = arguments.value(option) else { return }
        guard let number = Number(text), bounds.contains(number) else {
            throw LoadOptionError("\(option) \(text) is no number from \(bounds.lowerBound) to \(bounds.upperBound)")
        }
        take(number)
    }
}

/// What is wrong with a command line, and the mend.
struct LoadOptionError: Error {
    let text: String

    init(_ text: String) { self.text = text }
}
