import SIP

/// The 200 to a REGISTER: every binding, and what the extensions add (RFC 3261 section 10.3 step 8).
extension Core {
    func accept(_ pending: PendingRegistration) {
        let message = pending.request.message
        let bindings = pending.after
        respond(pending.request, .ok) { out in
            for place in bindings.indices {
                appendContact(bindings[place], of: pending.address, withGRUU: pending.supportsGRUU, &out)
            }
            for field in message.fields where field.name == .path { out.append(message.bytes, field.line) }
            if settings.sendsServiceRoute, pending.request.isRegistering {
                out.append(text: "Service-Route: <sip:")
                appendSentBy(for: pending.request.flow, to: &out)
                appendTransport(for: pending.request.flow, to: &out)
                out.append(text: ";lr>\r\n")
            }
            if pending.usesOutbound {
                out.append(text: "Require: outbound\r\n")
                if settings.flowTimer > .zero {
                    out.append(text: "Flow-Timer: ")
                    out.append(decimal: UInt64(clamping: settings.flowTimer.seconds))
                    out.append(text: "\r\n")
                }
            }
            out.append(text: "Supported: path, outbound, gruu\r\n")
        }
        // Only now: what waits for a device is released by an accepted REGISTER, and once.
        for place in bindings.indices where bindings[place].flow == pending.request.flow {
            takeOver(bindings[place], of: pending.address, from: pending.before)
        }
    }

    private func appendContact(
        _ binding: Binding,
        of address: AddressOfRecord,
        withGRUU: Bool,
        _ out: inout [UInt8]
    ) {
        out.append(text: "Contact: <")
        out.append(binding.contact)
        out.append(text: ">")
        out.append(binding.parameters)
        if let instance = binding.instance {
            out.append(text: ";+sip.instance=\"<")
            out.append(instance)
            out.append(text: ">\"")
        }
        if binding.regID > 0 {
            out.append(text: ";reg-id=")
            out.append(decimal: UInt64(binding.regID))
        }
        if binding.q < 1000 {
            out.append(text: ";q=0.")
            let digits = String(1000 + Int(binding.q))
            out.append(contentsOf: digits.utf8.dropFirst())
        }
        out.append(text: ";expires=")
        out.append(decimal: UInt64(clamping: max(0, (binding.expires - now.wall + 999) / 1000)))
        if withGRUU, let instance = binding.instance, binding.gruuSerial != 0 {
            out.append(text: ";pub-gruu=\"")
            address.appendURI(to: &out)
            out.append(text: ";gr=")
            out.append(instance)
            out.append(text: "\";temp-gruu=\"sip:")
            temporaryGRUUs.append(serial: binding.gruuSerial, random: random.next(), to: &out)
            out.append(UInt8(ascii: "@"))
            out.append(address.domain)
            out.append(text: ";gr\"")
        }
        out.append(text: "\r\n")
    }

    /// Appends `;transport=...` of a flow.
    func appendTransport(for flow: FlowID, to out: inout [UInt8]) {
        guard let transport = flows[flow]?.info.transport else { return }
        out.append(text: ";transport=")
        out.append(text: transport.uriName)
    }
}

extension Request {
    /// Whether a REGISTER adds or keeps a binding, rather than asking or removing.
    var isRegistering: Bool { message.has(.contact) }
}
