public import SIP

/// One contact of an address-of-record (RFC 3261 section 10), keyed by instance and reg-id where it has them (RFC 5626).
public struct Binding: Hashable, Sendable {
    /// The Contact URI.
    public var contact: ByteString
    /// The Contact's other parameters as written, without `expires`, `q`, `reg-id` and `+sip.instance`.
    public var parameters: ByteString
    /// `+sip.instance`, without quotes and brackets.
    public var instance: ByteString?
    /// `reg-id`; 0 without outbound.
    public var regID: UInt32
    /// `q` in thousandths.
    public var q: UInt16
    /// The Call-ID of the REGISTER that made or last refreshed it.
    public var callID: ByteString
    /// The CSeq of that REGISTER.
    public var cseq: UInt32
    /// When it expires: milliseconds since 1970.
    public var expires: Int64
    /// Until when the stored record keeps it: a refresh that ends before needs no write.
    public var lease: Int64
    /// When it was last refreshed: the latest is tried first.
    ///
    /// Milliseconds since 1970.
    public var refreshed: Int64
    /// The Path it registered through (RFC 3327), as one header value; empty where there was none.
    public var path: ByteString
    /// What temporary GRUUs of this instance are made from; 0 where GRUU was not asked for.
    public var gruuSerial: UInt64
    /// Where the phone is; nil while the binding is parked.
    public var flow: FlowID?

    /// Whether the contact can be woken (RFC 8599 section 4.1: `pn-` parameters in the Contact URI).
    public var isWakeable: Bool {
        guard let uri = try? SIPURI(contact.bytes, contact.range) else { return false }
        return contact.bytes.parameter("pn-provider", in: uri.parameters) != nil
    }

    /// Whether it is the same device and way as another: instance and reg-id, or the contact's URI without them.
    func isSameWay(as other: Binding) -> Bool {
        if let instance { return instance == other.instance && regID == other.regID }
        guard other.instance == nil else { return false }
        return URIComparison.areEqual(contact.bytes, contact.range, other.contact.bytes, other.contact.range)
    }
}
