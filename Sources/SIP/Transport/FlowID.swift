/// The identity of a flow (RFC 5626): one connection, or one pair of addresses over UDP.
///
/// Never used again while the node lives. The lower 24 bits are the slot of the flow's record, so that tables on both
/// sides of the line between carrying and deciding find it without hashing; the upper 40 bits make it unique.
public struct FlowID: Hashable, Sendable, BitwiseCopyable, Comparable, CustomStringConvertible {
    /// Slot and serial number in one.
    public let rawValue: UInt64

    /// The bits of the slot.
    public static let slotBits: UInt64 = 24

    /// Takes a raw value, from a token or a record.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Makes the identity of the `serial`-th flow, whose record is in `slot`.
    public init(slot: Int, serial: UInt64) {
        rawValue = serial << Self.slotBits | UInt64(truncatingIfNeeded: slot) & (1 << Self.slotBits - 1)
    }

    /// Where the record of the flow is.
    public var slot: Int { Int(rawValue & (1 << Self.slotBits - 1)) }

    /// Which flow of the node's life this is.
    public var serial: UInt64 { rawValue >> Self.slotBits }

    /// `serial.slot`, for logs.
    public var description: String { "\(serial).\(slot)" }

    /// Appends the same.
    public func append(to out: inout [UInt8]) {
        out.append(decimal: serial)
        out.append(UInt8(ascii: "."))
        out.append(decimal: UInt64(slot))
    }

    /// Orders by age of the flow.
    public static func < (left: FlowID, right: FlowID) -> Bool { left.rawValue < right.rawValue }
}
