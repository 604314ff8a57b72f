public import SIP

/// One contact of an address-of-record (RFC 3261 section 10), keyed by instance and reg-id where it has them (RFC 5626).
///
/// Its texts lie one behind the other in one array: five arrays would cost 300 bytes a phone and more.
public struct Binding: Hashable, Sendable {
    private let text: [UInt8]
    /// When it expires: milliseconds since 1970.
    public var expires: Int64
    /// Until when the stored record keeps it: a refresh that ends before needs no write.
    public var lease: Int64
    /// When it was last refreshed: the latest is tried first.
    ///
    /// Milliseconds since 1970.
    public var refreshed: Int64
    /// What temporary GRUUs of this instance are made from; 0 where GRUU was not asked for.
    public var gruuSerial: UInt64
    /// The identity of no flow while the binding is parked.
    private var flowID: FlowID
    /// The CSeq of the REGISTER that made or last refreshed it.
    public var cseq: UInt32
    /// `reg-id`; 0 without outbound.
    public var regID: UInt32
    private let contactEnd, parametersEnd, instanceEnd, callIDEnd: UInt16
    /// `q` in thousandths.
    public var q: UInt16
    private let hasInstance: Bool

    /// The texts of a binding.
    public struct Texts: Sendable {
        /// The Contact URI.
        public var contact = Excerpt()
        /// The Contact's other parameters as written, without `expires`, `q`, `reg-id` and `+sip.instance`.
        public var parameters = Excerpt()
        /// `+sip.instance`, without quotes and brackets.
        public var instance: Excerpt?
        /// The Call-ID of the REGISTER that made or last refreshed it.
        public var callID = Excerpt()
        /// The Path it registered through (RFC 3327), as one header value; empty where there was none.
        public var path = Excerpt()

        /// No text yet.
        public init() {}
    }

    /// Makes a binding that is not on a flow and has expired long ago; nil where its texts are over 65,535 bytes.
    public init?(_ texts: Texts) {
        let instance = texts.instance ?? Excerpt()
        let count =
            texts.contact.count + texts.parameters.count + instance.count + texts.callID.count + texts.path.count
        guard count <= Int(UInt16.max) else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(count)
        func end(of part: Excerpt) -> UInt16 {
            text.append(part)
            return UInt16(truncatingIfNeeded: text.count)
        }
        contactEnd = end(of: texts.contact)
        parametersEnd = end(of: texts.parameters)
        instanceEnd = end(of: instance)
        callIDEnd = end(of: texts.callID)
        _ = end(of: texts.path)
        self.text = text
        hasInstance = texts.instance != nil
        expires = 0
        lease = 0
        refreshed = 0
        gruuSerial = 0
        flowID = FlowTable.Flow.vacant
        cseq = 0
        regID = 0
        q = 1000
    }

    /// The Contact URI.
    public var contact: Excerpt { Excerpt(text, 0..<Int(contactEnd)) }
    /// The Contact's other parameters as written, without `expires`, `q`, `reg-id` and `+sip.instance`.
    public var parameters: Excerpt { Excerpt(text, Int(contactEnd)..<Int(parametersEnd)) }
    /// `+sip.instance`, without quotes and brackets.
    public var instance: Excerpt? {
        hasInstance ? Excerpt(text, Int(parametersEnd)..<Int(instanceEnd)) : nil
    }
    /// The Call-ID of the REGISTER that made or last refreshed it.
    public var callID: Excerpt { Excerpt(text, Int(instanceEnd)..<Int(callIDEnd)) }
    /// The Path it registered through (RFC 3327), as one header value; empty where there was none.
    public var path: Excerpt { Excerpt(text, Int(callIDEnd)..<text.count) }

    /// Where the phone is; nil while the binding is parked.
    public var flow: FlowID? {
        get { flowID == FlowTable.Flow.vacant ? nil : flowID }
        set { flowID = newValue ?? FlowTable.Flow.vacant }
    }

    /// Whether the contact can be woken (RFC 8599 section 4.1: `pn-` parameters in the Contact URI).
    public var isWakeable: Bool {
        guard let uri = try? SIPURI(contact.bytes, contact.range) else { return false }
        return contact.bytes.parameter("pn-provider", in: uri.parameters) != nil
    }

    /// Whether all of it that its client gave, but for CSeq and time, is as in another.
    func saysTheSame(as other: Binding) -> Bool {
        contactEnd == other.contactEnd && parametersEnd == other.parametersEnd && instanceEnd == other.instanceEnd
            && callIDEnd == other.callIDEnd && hasInstance == other.hasInstance && regID == other.regID
            && q == other.q && text == other.text
    }

    /// Whether it is the same device and way as another: instance and reg-id, or the contact's URI without them.
    func isSameWay(as other: Binding) -> Bool {
        guard hasInstance == other.hasInstance else { return false }
        if hasInstance {
            return regID == other.regID
                && text.isEqual(
                    Int(parametersEnd)..<Int(instanceEnd),
                    to: other.text,
                    Int(other.parametersEnd)..<Int(other.instanceEnd)
                )
        }
        return URIComparison.areEqual(contact.bytes, contact.range, other.contact.bytes, other.contact.range)
    }
}
