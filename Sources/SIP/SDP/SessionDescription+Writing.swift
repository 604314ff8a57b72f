extension SessionDescription {
    /// The letters of lines that are only kept, in the order in which they are written (RFC 8866 section 5).
    static let keptLines = Array("iuepbtrzk".utf8)

    /// The description as bytes.
    public var bytes: [UInt8] {
        var out: [UInt8] = []
        write(to: &out)
        return out
    }

    /// Appends the description, in the order of RFC 8866 section 5.
    public func write(to out: inout [UInt8]) {
        out.append(text: "v=0\r\no=")
        out.append(origin.username)
        out.append(text: " ")
        out.append(decimal: origin.sessionID)
        out.append(text: " ")
        out.append(decimal: origin.version)
        out.append(text: " ")
        origin.address.write(to: &out)
        out.append(text: "\r\n")
        Line(type: UInt8(ascii: "s"), value: sessionName).write(to: &out)
        write("iuep", to: &out)
        connection?.writeLine(to: &out)
        write("b", to: &out)
        out.append(text: "t=")
        out.append(decimal: timing.start)
        out.append(text: " ")
        out.append(decimal: timing.stop)
        out.append(text: "\r\n")
        // A time and its repetitions keep their order.
        for line in otherLines where "tr".utf8.contains(line.type) { line.write(to: &out) }
        write("zk", to: &out)
        for attribute in attributes { attribute.write(to: &out) }
        for stream in media { stream.write(to: &out) }
    }

    private func write(_ types: String, to out: inout [UInt8]) {
        for type in types.utf8 { for line in otherLines where line.type == type { line.write(to: &out) } }
    }
}

extension MediaDescription {
    /// The letters of lines that are only kept, in the order in which they are written (RFC 8866 section 5).
    static let keptLines = Array("icbk".utf8)

    fileprivate func write(to out: inout [UInt8]) {
        out.append(text: "m=")
        out.append(kind)
        out.append(text: " ")
        out.append(decimal: UInt64(port))
        if portCount != 1 {
            out.append(text: "/")
            out.append(decimal: UInt64(portCount))
        }
        out.append(text: " ")
        out.append(transport)
        for format in formats {
            out.append(text: " ")
            out.append(format)
        }
        out.append(text: "\r\n")
        for type in Self.keptLines {
            if type == UInt8(ascii: "c") { connection?.writeLine(to: &out) }
            for line in otherLines where line.type == type { line.write(to: &out) }
        }
        for attribute in attributes { attribute.write(to: &out) }
    }
}

extension SessionDescription.Connection {
    fileprivate func write(to out: inout [UInt8]) {
        out.append(text: isIPv6 ? "IN IP6 " : "IN IP4 ")
        out.append(host)
    }

    fileprivate func writeLine(to out: inout [UInt8]) {
        out.append(text: "c=")
        write(to: &out)
        out.append(text: "\r\n")
    }
}

extension SessionDescription.Attribute {
    fileprivate func write(to out: inout [UInt8]) {
        out.append(text: "a=")
        out.append(name)
        if let value {
            out.append(text: ":")
            out.append(value)
        }
        out.append(text: "\r\n")
    }
}

extension SessionDescription.Line {
    fileprivate func write(to out: inout [UInt8]) {
        out.append(type)
        out.append(text: "=")
        out.append(value)
        out.append(text: "\r\n")
    }
}
