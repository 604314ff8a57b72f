/// Writes an answer to a request (RFC 3261 section 8.2.6).
///
/// Usage: `begin`, any number of `append` on the buffer itself, `end`.
public enum ResponseBuilder {
    /// Writes status line, Via, From, To, Call-ID and CSeq of the request, and Timestamp in a 100.
    ///
    /// - Parameters:
    ///   - status: the code.
    ///   - reason: appends the reason phrase.
    ///   - request: what is answered.
    ///   - toTag: 64 random bits for the tag that is added where the request's To has none (RFC 3261 section 19.3); nil in
    ///     a 100.
    ///   - source: where the request came from, for `received` and `rport` in the topmost Via (RFC 3261 section 18.2.1,
    ///     RFC 3581 section 4).
    ///   - keepAlive: seconds to put into a `keep` that was offered (RFC 6223 section 4.3); nil leaves it alone.
    ///   - edits: worked with, and empty afterwards.
    ///   - out: takes the bytes.
    public static func begin(
        _ status: UInt16,
        reason: (inout [UInt8]) -> Void,
        to request: Message,
        toTag: UInt64?,
        source: SocketAddress?,
        keepAlive: UInt64? = nil,
        edits: inout MessageEdits,
        _ out: inout [UInt8]
    ) {
        out.append(text: "SIP/2.0 ")
        out.append(decimal: UInt64(status))
        out.append(0x20)
        reason(&out)
        out.append(text: "\r\n")
        var isTopVia = true
        for field in request.fields {
            switch field.name {
            case .via:
                if isTopVia, let source, let via = try? request.topVia() {
                    edits.removeAll()
                    edits.markReceived(via, from: source, keepAlive: keepAlive, in: request)
                    edits.apply(to: request, field.line, &out)
                } else {
                    out.append(request.bytes, field.line)
                }
                isTopVia = false
            case .from, .callID, .cseq:
                out.append(request.bytes, field.line)
            case .timestamp where status == 100:
                out.append(request.bytes, field.line)
            case .to:
                guard let toTag, (try? request.tag(.to)) == nil else {
                    out.append(request.bytes, field.line)
                    continue
                }
                out.append(request.bytes, field.line.lowerBound..<field.value.upperBound)
                out.append(text: ";tag=")
                out.append(hex: toTag, digits: 16)
                out.append(text: "\r\n")
            default: break
            }
        }
    }

    /// Ends an answer that has no body.
    public static func end(_ out: inout [UInt8]) {
        out.append(text: "Content-Length: 0\r\n\r\n")
    }
}

extension MessageEdits {
    /// Adds `received`, and fills in `rport` where it was asked for, in the topmost Via of a request.
    ///
    /// RFC 3261 section 18.2.1 wants `received` where the host of sent-by is not the source's address; RFC 3581 section 4
    /// wants it always where `rport` is there.
    ///
    /// An offer of keep-alives is answered in the same place (RFC 6223 section 4.3).
    public mutating func markReceived(
        _ via: Via,
        from source: SocketAddress,
        keepAlive: UInt64?,
        in message: Message
    ) {
        let isSource = SocketAddress(host: message.bytes, via.host, port: source.port) == source
        let wantsPort = via.rport.map { $0.value == nil } ?? false
        // First, since `received` may come to stand right behind.
        if let keepAlive, let keep = via.keep, keep.value == nil {
            insert(at: keep.name.upperBound) {
                $0.append(text: "=")
                $0.append(decimal: keepAlive)
            }
        }
        if wantsPort, let rport = via.rport {
            insert(at: rport.name.upperBound) {
                $0.append(text: "=")
                $0.append(decimal: UInt64(source.port))
            }
        }
        // What the client wrote there itself counts for nothing.
        if let forged = via.received {
            replace(forged) { $0.append(host: source) }
        } else if !isSource || via.rport != nil {
            insert(at: via.value.upperBound) {
                $0.append(text: ";received=")
                $0.append(host: source)
            }
        }
    }
}

extension [UInt8] {
    /// Appends the address without brackets, as `received` has it in practice, so that IPv6 reads `received=2001:db8::1`.
    mutating func append(host address: SocketAddress) {
        let start = count
        address.appendHost(to: &self)
        if self[start] == UInt8(ascii: "[") {
            removeLast()
            remove(at: start)
        }
    }
}
