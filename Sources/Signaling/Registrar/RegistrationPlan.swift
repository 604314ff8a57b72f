import SIP

/// Why a REGISTER is refused as a whole.
enum RegistrationFault: Error, Equatable {
    case malformed(HeaderName)
    case tooBrief(Interval)
    case outOfOrder
    case tooManyContacts
    case firstHopLacksOutbound
    case tooLong

    var status: Status {
        switch self {
        case .malformed(.expires): Status(400, "Malformed Expires")
        case .malformed(.path): Status(400, "Malformed Path")
        case .malformed: Status(400, "Malformed Contact")
        case .tooBrief: .intervalTooBrief
        case .outOfOrder: Status(500, "CSeq Out of Order")
        case .tooManyContacts: Status(403, "Too Many Contacts")
        case .firstHopLacksOutbound: .firstHopLacksOutbound
        case .tooLong: .messageTooLarge
        }
    }
}

/// The bindings of an address-of-record while a REGISTER is applied to them: all of it, or nothing.
struct RegistrationPlan {
    private(set) var bindings: [Binding]
    /// Whether anything is to change, or this was a query.
    private(set) var hasChanges = false
    /// Whether what is stored does not cover the new bindings.
    private(set) var needsWrite = false
    /// Whether flows of RFC 5626 are used.
    private(set) var usesOutbound = false
    /// Whether the client takes GRUUs (RFC 5627 section 4.1).
    private(set) var supportsGRUU = false
    /// Whether the client offers keep-alives of RFC 6223.
    private(set) var asksForKeepAlive = false

    private let shortest, usual, longest: Interval
    private let expiryJitter: Double
    private let maxContacts: Int
    private let now: Now
    private let flow: FlowID
    private let jitter: Double
    private let newSerial: UInt64

    /// - Parameters:
    ///   - bindings: what is there.
    ///   - settings: bounds.
    ///   - now: the time.
    ///   - flow: where the REGISTER came from.
    ///   - jitter: a random fraction from 0 to 1.
    ///   - newSerial: a random number, not 0.
    init(bindings: [Binding], settings: Settings, now: Now, flow: FlowID, jitter: Double, newSerial: UInt64) {
        self.bindings = bindings
        // Not the whole of the settings: it has arrays, and copies cost.
        shortest = settings.minExpires
        usual = settings.defaultExpires
        longest = settings.maxExpires
        expiryJitter = settings.expiryJitter
        maxContacts = settings.maxContacts
        self.now = now
        self.flow = flow
        self.jitter = jitter
        self.newSerial = newSerial
    }

    /// Applies a REGISTER.
    mutating func apply(_ message: Message) throws(RegistrationFault) {
        let contacts: [Contact]
        let header: UInt32?
        let callID: Excerpt
        let cseq: UInt32
        do {
            contacts = try Contact.all(of: message)
            callID = message.excerpt(try message.callID())
            cseq = try message.cseq().number
        } catch {
            throw .malformed(.contact)
        }
        do {
            header = try message.number(.expires)
        } catch {
            throw .malformed(.expires)
        }
        asksForKeepAlive = (try? message.topVia())?.keep.map { $0.value == nil } ?? false
        supportsGRUU = message.lists("gruu", in: .supported) || message.lists("gruu", in: .require)
        guard !contacts.isEmpty else { return }
        hasChanges = true
        if contacts.contains(.all) {
            // RFC 3261 section 10.2.2: alone, and only to remove.
            guard contacts.count == 1, header == 0 else { throw .malformed(.contact) }
            for binding in bindings where binding.callID == callID && binding.cseq >= cseq { throw .outOfOrder }
            needsWrite = !bindings.isEmpty
            bindings.removeAll()
            return
        }
        let path = message.has(.path) ? try path(of: message) : (value: Excerpt(), isOutbound: false)
        let isFirstHop = message.hasOneVia
        let supportsOutbound = message.lists("outbound", in: .supported) || message.lists("outbound", in: .require)
        for case .address(let contact) in contacts {
            var regID: UInt32 = 0
            if let asked = contact.regID, contact.instance != nil, supportsOutbound {
                // RFC 5626 section 6: without outbound at the first hop there is no flow to keep.
                guard isFirstHop || path.isOutbound else { throw .firstHopLacksOutbound }
                regID = asked
                usesOutbound = true
            }
            try apply(
                contact,
                of: message,
                regID: regID,
                expires: contact.expires ?? header,
                callID: callID,
                cseq: cseq,
                path: path.value
            )
        }
        guard bindings.count <= maxContacts else { throw .tooManyContacts }
    }

    private mutating func apply(
        _ contact: Contact.Address,
        of message: Message,
        regID: UInt32,
        expires: UInt32?,
        callID: Excerpt,
        cseq: UInt32,
        path: Excerpt
    ) throws(RegistrationFault) {
        var texts = Binding.Texts()
        texts.contact = message.excerpt(contact.nameAddress.uri)
        if contact.hasOthers { texts.parameters = otherParameters(message.bytes, contact.nameAddress.parameters) }
        texts.instance = contact.instance.map { instanceText(message.bytes, $0) }
        texts.callID = callID
        texts.path = path
        guard var binding = Binding(texts) else { throw .tooLong }
        binding.regID = regID
        binding.q = contact.q
        binding.cseq = cseq
        binding.refreshed = now.wall
        binding.flow = flow
        // By index, here and elsewhere: a loop over bindings copies each, and what it holds is counted.
        let index = bindings.indices.first { bindings[$0].isSameWay(as: binding) }
        if let index, bindings[index].callID == callID, bindings[index].cseq >= cseq { throw .outOfOrder }
        if expires == 0 {
            if let index {
                bindings.remove(at: index)
                needsWrite = true
            }
            return
        }
        let granted = try granted(expires)
        binding.expires = now.wall + granted.milliseconds
        if supportsGRUU, binding.instance != nil {
            // A new Call-ID ends the temporary GRUUs that were given before (RFC 5627 section 3.2).
            let kept = bindings.indices.first {
                bindings[$0].instance == binding.instance && bindings[$0].callID == callID
            }
            if let kept { binding.gruuSerial = bindings[kept].gruuSerial }
            if binding.gruuSerial == 0 { binding.gruuSerial = newSerial }
        }
        if let index {
            if bindings[index].lease >= binding.expires, bindings[index].gruuSerial == binding.gruuSerial,
                bindings[index].saysTheSame(as: binding)
            {
                binding.lease = bindings[index].lease
            } else {
                lease(&binding, granted)
            }
            bindings[index] = binding
        } else {
            lease(&binding, granted)
            bindings.append(binding)
        }
    }

    /// Stores the binding for twice as long as it was granted, so that the next refresh finds itself covered.
    private mutating func lease(_ binding: inout Binding, _ granted: Interval) {
        binding.lease = now.wall + granted.milliseconds * 2
        needsWrite = true
    }

    /// The time that is granted (RFC 3261 section 10.3 step 7).
    private func granted(_ asked: UInt32?) throws(RegistrationFault) -> Interval {
        let wanted = asked.map { Interval.seconds(Int64($0)) } ?? usual
        if wanted < shortest {
            // Only what is shorter than an hour may be called too brief.
            if wanted < .seconds(3600) { throw .tooBrief(shortest) }
        }
        let bounded = min(wanted, longest)
        let shortened = Double(bounded.seconds) * (1 - expiryJitter * jitter)
        return max(.seconds(Int64(shortened)), min(shortest, bounded))
    }

    /// The Path header values, and whether the first hop keeps flows (`ob`, RFC 5626 section 5.1).
    private func path(of message: Message) throws(RegistrationFault) -> (value: Excerpt, isOutbound: Bool) {
        var value: [UInt8] = []
        var isOutbound = false
        for range in message.values(.path) {
            guard let address = try? NameAddress(message.bytes, range, of: .path),
                let uri = try? SIPURI(message.bytes, address.uri)
            else { throw .malformed(.path) }
            if !value.isEmpty { value.append(text: ", ") }
            value.append(message.bytes, range)
            // The last value is the hop next to the phone.
            isOutbound = message.bytes.parameter("ob", in: uri.parameters) != nil
        }
        return (Excerpt(ByteString(value)), isOutbound)
    }

    /// `"<urn:uuid:...>"` without quotes and brackets.
    private func instanceText(_ bytes: [UInt8], _ range: Range<Int>) -> Excerpt {
        if range.count > 4, !bytes[range].contains(UInt8(ascii: "\\")),
            bytes.isEqual(range.lowerBound..<range.lowerBound + 2, "\"<"),
            bytes.isEqual(range.upperBound - 2..<range.upperBound, ">\"")
        {
            return Excerpt(bytes, range.lowerBound + 2..<range.upperBound - 2)
        }
        var text = bytes.unquoted(range).bytes
        if text.first == UInt8(ascii: "<"), text.last == UInt8(ascii: ">"), text.count > 2 {
            text.removeLast()
            text.removeFirst()
        }
        return Excerpt(ByteString(text))
    }

    /// The parameters that are given back with the contact and not kept in a field of their own.
    private func otherParameters(_ bytes: [UInt8], _ range: Range<Int>) -> Excerpt {
        var kept: [UInt8] = []
        for parameter in Parameters(bytes, range) {
            func isCalled(_ name: StaticString) -> Bool { bytes.isEqualIgnoringCase(parameter.name, name) }
            switch parameter.name.count {
            case 1 where isCalled("q"), 6 where isCalled("reg-id"), 7 where isCalled("expires"),
                8 where isCalled("pub-gruu"), 9 where isCalled("temp-gruu"), 13 where isCalled("+sip.instance"):
                continue
            default: break
            }
            kept.append(UInt8(ascii: ";"))
            kept.append(bytes, parameter.name.lowerBound..<(parameter.value ?? parameter.name).upperBound)
        }
        return Excerpt(ByteString(kept))
    }
}
