public import SIP

/// What the rules ask of others than the carriers of flows, each answered later with its ticket, or not at all.
public enum Errand: Sendable {
    /// Store these bindings of an address-of-record, none to forget it; answered by `persisted` or `persistFailed`.
    case persist(ticket: UInt64, key: ByteString, value: [UInt8]?)
    /// Look up an account; answered by `account`.
    case lookUp(ticket: UInt64, address: AddressOfRecord)
    /// A step of a call, for the journal; no answer.
    case record(JournalStep)
    /// A registration changed, for the log; no answer.
    case registration(RegistrationChange)
    /// A phone wants to register in a domain that is not served here, for the log; no answer.
    case foreignDomain(ForeignDomain)
}

/// What is known of an account: never a password.
public struct Account: Sendable {
    /// H(username:realm:password) with MD5 and with SHA-256, as numbers: many accounts are remembered.
    private let words: InlineArray<6, UInt64>

    /// Takes the hashes; nil where they are not what they should be.
    ///
    /// - Parameters:
    ///   - ha1MD5: 32 hexadecimal digits.
    ///   - ha1SHA256: 64 hexadecimal digits.
    public init?(ha1MD5: [UInt8], ha1SHA256: [UInt8]) {
        guard ha1MD5.count == 32, ha1SHA256.count == 64 else { return nil }
        var words = InlineArray<6, UInt64>(repeating: 0)
        let text = ha1MD5 + ha1SHA256
        for index in words.indices {
            guard let word = text.hexadecimal((index * 16)..<(index * 16 + 16)) else { return nil }
            words[index] = word
        }
        self.words = words
    }

    /// Appends the hash in lower-case hexadecimal.
    func appendHA1(_ algorithm: DigestAlgorithm, to out: inout [UInt8]) {
        for index in algorithm == .md5 ? 0..<2 : 2..<6 { out.append(hex: words[index], digits: 16) }
    }
}

/// A change of a registration, as an operator reads it.
public struct RegistrationChange: Sendable {
    /// What became of the binding.
    public enum Kind: String, Sendable {
        case registered, refreshed, replaced, unregistered, expired, ended, parked, rejected
    }

    /// What became of it.
    public var kind: Kind
    /// Whose binding it is.
    public var address: AddressOfRecord
    /// The Contact URI.
    public var contact: Excerpt
    /// The device, where it names itself.
    public var instance: Excerpt?
    /// The flow it is on, where it is on one.
    public var flow: FlowID?
    /// Seconds it was granted; 0 where it is gone.
    public var expires: Int64
    /// Why it was rejected, where it was.
    public var reason: StaticString?
}

/// A REGISTER for a domain that is not served here.
public struct ForeignDomain: Hashable, Sendable {
    /// The domain that was asked for, as it was written.
    public var domain: ByteString
    /// Who asked, where the flow is still there.
    public var remote: SocketAddress?
    /// How many more of the kind there were since the last one that was reported.
    public var unreported: Int
}

/// A step in the life of a call, as `trace` shows it.
///
/// Its texts are parts of the message they come from, which the call keeps anyway.
public struct JournalStep: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// The request came.
        case received(method: StaticString, from: Excerpt, to: Excerpt)
        /// It went to a device over a flow.
        case forwarded(to: Excerpt, instance: Excerpt?)
        /// A device answered.
        case answered(status: UInt16)
        /// A way to a device failed, and why.
        case failed(StaticString)
        /// The caller gave up.
        case cancelled
        /// It was over; the status the caller got, and why.
        case verdict(Verdict)
        /// A request within the dialog passed: BYE, re-INVITE, ...
        case inDialog(method: Excerpt)
    }

    /// How a call was settled.
    public struct Verdict: Sendable {
        /// The status the caller got.
        public var status: UInt16
        /// Why, in a few words.
        public var reason: StaticString
        /// Who called.
        public var from: Excerpt
        /// Who was called.
        public var to: Excerpt
    }

    /// The call.
    public var callID: Excerpt
    /// When: milliseconds since 1970.
    public var wall: Int64
    /// The flow it happened on.
    public var flow: FlowID?
    /// What happened.
    public var kind: Kind
}
