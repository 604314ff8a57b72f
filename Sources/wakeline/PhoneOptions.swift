import PhoneKit
import SIP
import Softphone
import WakelineServer

/// What the command line of `wakeline phone` asks for, checked as a whole.
struct PhoneOptions {
    var identity: PhoneIdentity
    var policy = PhonePolicy()
    var voice = VoiceSettings()
    var errand = PhoneErrand()
    var servers: [ServerAddress]
    var isJSON: Bool
    var isVerbose: Bool

    /// Reads the options, and finds the servers, which may ask the system's resolver.
    init(
        _ arguments: ParsedArguments,
        _ environment: [String: String],
        _ hashes: Hashes
    ) throws(PhoneOptionError) {
        let reader = PhoneOptionReader(arguments: arguments)
        let address = try reader.address(arguments[0])
        servers = try reader.servers(for: address)
        identity = PhoneIdentity(
            address: address,
            secret: .password(try reader.password(environment)),
            instance: try reader.instance(of: address, hashes),
            proxies: [],
            displayName: arguments.value("--display-name").map { ByteString($0) },
            push: try reader.push()
        )
        if let name = identity.displayName, name.bytes.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
            throw PhoneOptionError("--display-name holds control characters; leave them out")
        }
        // A phone in a call is busy.
        policy.maxCalls = 1
        if let seconds = try reader.number("--expires", 1...UInt32.max) { policy.expires = .seconds(Int64(seconds)) }
        if let wait = try reader.seconds("--retry-base", 0.01...3600) {
            policy.backoff.baseAlone = wait
            policy.backoff.baseBeside = wait
        }
        voice.hasAudio = !arguments.has("--no-audio")
        isJSON = arguments.has("--json")
        isVerbose = arguments.has("--verbose")
        errand = try reader.errand(in: address.domain)
        // Last, since it may take its time.
        identity.proxies = try reader.resolve(servers)
    }
}

/// Why a command line can't be followed, and what mends it.
struct PhoneOptionError: Error {
    var text: String
    var code: ExitCode

    init(_ text: String, _ code: ExitCode = .usage) {
        self.text = text
        self.code = code
    }
}

/// Reads options one by one.
struct PhoneOptionReader {
    let arguments: ParsedArguments

    func address(_ text: String) throws(PhoneOptionError) -> AddressOfRecord {
        let bare = text.lowercased().hasPrefix("sip:") ? String(text.dropFirst(4)) : text
        guard let address = AddressOfRecord(ByteString(bare)) else {
            throw PhoneOptionError("'\(text)' is no address; write user@domain, as alice@example.test")
        }
        var uri: [UInt8] = []
        address.appendURI(to: &uri)
        guard let read = try? SIPURI(uri, uri.indices), read.port == nil, read.parameters.isEmpty, read.headers == nil
        else {
            throw PhoneOptionError("'\(text)' is no address; write user@domain alone, and where it is with --server")
        }
        return address
    }

    func password(_ environment: [String: String]) throws(PhoneOptionError) -> ByteString {
        var password = arguments.value("--password").map { Array($0.utf8) }
        if let path = arguments.value("--password-file") {
            guard password == nil else { throw PhoneOptionError("--password and --password-file: give one") }
            switch readWholeFile(path) {
            case .success(let bytes): password = Array(bytes.prefix { $0 != 0x0a && $0 != 0x0d })
            case .failure(let fault): throw PhoneOptionError("\(path): can't be read: \(fault.reason)")
            }
        }
        guard let found = password ?? environment["WAKELINE_PASSWORD"].map({ Array($0.utf8) }), !found.isEmpty else {
            throw PhoneOptionError("there is no password; give --password, --password-file or WAKELINE_PASSWORD")
        }
        return ByteString(found)
    }

    func instance(of address: AddressOfRecord, _ hashes: Hashes) throws(PhoneOptionError) -> ByteString {
        guard let text = arguments.value("--instance") else {
            return InstanceURN.derived(from: address, host: InstanceURN.hostName, hashes)
        }
        guard InstanceURN.isValid(text) else {
            throw PhoneOptionError("--instance \(text) is no URN; write urn:uuid: and a UUID")
        }
        return ByteString(text)
    }

    func push() throws(PhoneOptionError) -> PushParameters? {
        guard let text = arguments.value("--push") else { return nil }
        guard let push = PushParameters(text) else {
            throw PhoneOptionError(
                "--push can't be read; write apns:TEAM.TOPIC:TOKEN[:ALERT-TOKEN], fcm:PROJECT:TOKEN or webpush::TOKEN"
            )
        }
        return push
    }

    func servers(for address: AddressOfRecord) throws(PhoneOptionError) -> [ServerAddress] {
        let texts = arguments.values("--server")
        guard texts.count <= 2 else {
            throw PhoneOptionError("--server is given \(texts.count) times; two is the most")
        }
        guard !texts.isEmpty else { return [ServerAddress(host: address.domain.description)] }
        var servers: [ServerAddress] = []
        for text in texts {
            do throws(ServerAddressError) {
                servers.append(try ServerAddress(text))
            } catch {
                throw PhoneOptionError("--server: \(error)")
            }
        }
        return servers
    }

    func resolve(_ servers: [ServerAddress]) throws(PhoneOptionError) -> [FlowTarget] {
        var targets: [FlowTarget] = []
        for server in servers {
            do throws(ServerAddressError) {
                targets.append(try server.target())
            } catch {
                throw PhoneOptionError("\(error)", .temporary)
            }
        }
        return targets
    }

    /// A whole number.
    func number<Number: FixedWidthInteger>(
        _ option: String,
        _ bounds: ClosedRange<Number>
    ) throws(PhoneOptionError) -> Number? {
        guard let text = arguments.value(option) else { return nil }
        guard let number = Number(text), bounds.contains(number) else {
            throw PhoneOptionError("\(option) \(text) is no number from \(bounds.lowerBound) to \(bounds.upperBound)")
        }
        return number
    }

    /// A time in seconds, with digits behind the point where someone wants them.
    func seconds(_ option: String, _ bounds: ClosedRange<Double>) throws(PhoneOptionError) -> Interval? {
        guard let text = arguments.value(option) else { return nil }
        guard let number = Double(text), bounds.contains(number) else {
            throw PhoneOptionError(
                "\(option) \(text) is no time; write seconds from \(bounds.lowerBound) to \(bounds.upperBound)"
            )
        }
        return .milliseconds(Int64(number * 1000))
    }
}
