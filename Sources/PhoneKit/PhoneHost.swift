public import SIP

/// What all phones of one thread share: where their orders and reports go, and what they are worked with.
///
/// An app has one phone and one host; a load generator has thousands of phones on each.
public final class PhoneHost {
    /// Orders for whoever carries the flows.
    public let outbox = Outbox()
    /// What happened, in order, since it was last taken.
    public private(set) var reports: [PhoneReport] = []
    /// How phones behave.
    public let policy: PhonePolicy
    /// Random bits; what follows from them is the same for the same seed.
    var random: RandomSource
    let hashes: Hashes
    var digest: DigestResponse
    private var spare = Message()
    var edits = MessageEdits()
    var scratch: [UInt8] = []

    /// Makes the ground phones stand on.
    ///
    /// - Parameters:
    ///   - policy: how they behave.
    ///   - hashes: MD5 and SHA-256.
    ///   - random: random bits.
    public init(policy: PhonePolicy = PhonePolicy(), hashes: Hashes, random: RandomSource) {
        self.policy = policy
        self.hashes = hashes
        self.random = random
        digest = DigestResponse(hashes)
    }

    /// Exchanges all reports for an empty array, whose memory is used again.
    public func takeReports(into batch: inout [PhoneReport]) {
        batch.removeAll(keepingCapacity: true)
        swap(&reports, &batch)
    }

    /// Parses a message in memory that was used before; handed back by `reuse`, it is used again.
    func parse(_ bytes: Span<UInt8>) -> Message {
        var message = Message()
        swap(&message, &spare)
        message.parse(bytes, limits: policy.limits)
        return message
    }

    func reuse(_ message: consuming Message) { spare = message }

    func report(_ phone: Int, _ event: PhoneEvent) { reports.append(PhoneReport(phone: phone, event: event)) }
}

/// Something that happened to a phone.
public struct PhoneReport: Sendable {
    /// The phone's number.
    public var phone: Int
    /// What happened.
    public var event: PhoneEvent
}

/// Tells which phone a ticket of `Outbox.Entry.connect` belongs to.
public struct ConnectTicket: Hashable, Sendable {
    /// The ticket as the outbox has it.
    public let rawValue: UInt64

    /// Reads a ticket.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    init(phone: Int, line: Int, attempt: UInt16) {
        rawValue = UInt64(truncatingIfNeeded: phone) << 24 | UInt64(line & 0xff) << 16 | UInt64(attempt)
    }

    /// The phone's number.
    public var phone: Int { Int(truncatingIfNeeded: rawValue >> 24) }
    var line: Int { Int(rawValue >> 16 & 0xff) }
    var attempt: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
}
