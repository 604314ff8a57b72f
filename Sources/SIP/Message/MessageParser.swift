extension Message {
    /// Indexes a message and takes a copy of its bytes; forgets what was here before.
    ///
    /// Never fails as such: `fault` says what is wrong, and what could be indexed is there, so that an answer can be made.
    ///
    /// - Parameters:
    ///   - input: one whole message, start line to body.
    ///   - limits: the bound on header fields; the framer holds the others.
    public mutating func parse(_ input: Span<UInt8>, limits: Limits = Limits()) {
        fields.removeAll(keepingCapacity: true)
        names = HeaderNames()
        duplicate = nil
        bytes.removeAll(keepingCapacity: true)
        method = .other
        status = 0
        methodRange = 0..<0
        requestURI = 0..<0
        reason = 0..<0
        fault = nil
        prepared.removeAll(keepingCapacity: true)
        let afterStart = Self.lineEnd(input, from: 0)
        startLine = 0..<(afterStart?.next ?? input.count)
        if let afterStart {
            indexStartLine(input, 0..<afterStart.end)
        } else {
            fault = .startLine
        }
        let bodyStart = indexFields(input, from: startLine.upperBound, limits: limits)
        body = bodyStart..<input.count
        unsafe input.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        finish()
    }

    /// Where the line that begins at `start` ends and the next begins; the first CRLF ends it.
    private static func lineEnd(_ input: Span<UInt8>, from start: Int) -> (end: Int, next: Int)? {
        var at = input.firstLineBreak(from: start)
        while at + 1 < input.count {
            if input[at] == 0x0d, input[at + 1] == 0x0a { return (at, at + 2) }
            at = input.firstLineBreak(from: at + 1)
        }
        return nil
    }

    private mutating func indexStartLine(_ input: Span<UInt8>, _ line: Range<Int>) {
        // A status line begins with the version, and a method can't hold a slash.
        if line.count >= 8, input.isEqualIgnoringCase(line.lowerBound..<line.lowerBound + 4, "sip/") {
            indexStatusLine(input, line)
            return
        }
        var at = line.lowerBound
        while at < line.upperBound, input[at].isIn(.token) { at += 1 }
        methodRange = line.lowerBound..<at
        method = Method(input, methodRange)
        guard at > line.lowerBound, at < line.upperBound, input[at] == 0x20 else {
            note(.startLine)
            return
        }
        let uriStart = at + 1
        var versionStart = line.upperBound
        while versionStart > uriStart, input[versionStart - 1] != 0x20 { versionStart -= 1 }
        guard versionStart > uriStart + 1 else {
            note(.startLine)
            return
        }
        requestURI = uriStart..<(versionStart - 1)
        if !input.extracting(requestURI).isVisible { note(.requestURI) }
        if !input.isEqualIgnoringCase(versionStart..<line.upperBound, "sip/2.0") { note(.version) }
    }

    private mutating func indexStatusLine(_ input: Span<UInt8>, _ line: Range<Int>) {
        status = 1  // A response for all that follows, even if its status is unreadable.
        let version = line.lowerBound..<(line.lowerBound + 7)
        let code = version.upperBound + 1
        guard line.count >= 11, input[version.upperBound] == 0x20 else {
            note(.startLine)
            return
        }
        var value: UInt16 = 0
        for position in code..<(code + 3) {
            guard input[position].isIn(.digit) else {
                note(.startLine)
                return
            }
            value = value * 10 + UInt16(input[position] - UInt8(ascii: "0"))
        }
        guard (100...699).contains(value), code + 3 == line.upperBound || input[code + 3] == 0x20 else {
            note(.startLine)
            return
        }
        status = value
        reason = min(code + 4, line.upperBound)..<line.upperBound
        if !input.isEqualIgnoringCase(version, "sip/2.0") { note(.version) }
    }

    /// Indexes all header fields.
    ///
    /// - Returns: where the body begins.
    private mutating func indexFields(_ input: Span<UInt8>, from start: Int, limits: Limits) -> Int {
        // Further on, places do not fit a field.
        let end = min(input.count, Int(clamping: UInt32.max))
        var at = start
        while at < end {
            if input[at] == StreamByte.cr, at + 1 < end, input[at + 1] == StreamByte.lf { return at + 2 }
            let (name, nameRange, afterName) = Self.name(input, from: at)
            var lower = afterName
            while lower < end, StreamByte.isBlank(input[lower]) { lower += 1 }
            guard let line = endOfField(input, from: lower), line.next <= end else { break }
            at = line.next
            guard let name else {
                note(.headerLine)
                continue
            }
            guard fields.count < limits.headerFields else {
                note(.tooManyHeaderFields)
                continue
            }
            var upper = line.end
            while upper > lower, input[upper - 1].isLWS { upper -= 1 }
            while lower < upper, input[lower].isLWS { lower += 1 }
            if names.contains(name), name.standsOnce { duplicate = duplicate ?? name }
            names.insert(name)
            fields.append(HeaderField(name: name, nameRange: nameRange, value: lower..<upper, lineEnd: at))
        }
        note(.headerLine)
        return input.count
    }

    /// Finds the CRLF that is not followed by white space: the others are folds.
    ///
    /// - Returns: where the value ends and the next line begins; nil where the message ends before.
    @inline(__always)
    private mutating func endOfField(_ input: Span<UInt8>, from start: Int) -> (end: Int, next: Int)? {
        var from = start
        while true {
            let at = input.firstLineBreak(from: from)
            guard at + 1 < input.count else {
                if at < input.count { note(.lineEnd) }
                return nil
            }
            if input[at] == StreamByte.cr, input[at + 1] == StreamByte.lf {
                let next = at + 2
                guard next < input.count, StreamByte.isBlank(input[next]) else { return (at, next) }
                from = next
            } else {
                note(.lineEnd)
                from = at + 1
            }
        }
    }

    /// Reads the name that a line begins with.
    ///
    /// - Returns: the name, nil where there is none with its colon; where it is; and where what follows begins.
    @inline(__always)
    private static func name(_ input: Span<UInt8>, from start: Int) -> (HeaderName?, Range<Int>, next: Int) {
        // What is known is a token, so that only what is not known has to be looked at byte by byte.
        if let colon = input.firstIndex(of: StreamByte.colon, from: start, to: start + 25) {
            let known = HeaderName(input, start..<colon)
            if known != .other { return (known, start..<colon, colon + 1) }
        }
        return otherName(input, from: start)
    }

    private static func otherName(_ input: Span<UInt8>, from start: Int) -> (HeaderName?, Range<Int>, next: Int) {
        var at = start
        while at < input.count, input[at].isIn(.token) { at += 1 }
        let range = start..<at
        while at < input.count, StreamByte.isBlank(input[at]) { at += 1 }
        guard at < input.count, input[at] == StreamByte.colon, !range.isEmpty else { return (nil, range, at) }
        return (HeaderName(input, range), range, at + 1)
    }

    /// Cuts the body to Content-Length, and learns a response's method from its CSeq.
    private mutating func finish() {
        if !isRequest, let sequence = try? cseq() {
            method = sequence.method
        }
        guard let field = first(.contentLength) else { return }
        guard let length = bytes.decimal(field.value), length <= UInt64(Int32.max) else {
            note(.malformed(.contentLength))
            return
        }
        if Int(length) > body.count {
            note(.bodyTooShort)
        } else {
            body = body.lowerBound..<(body.lowerBound + Int(length))
        }
    }

    /// Keeps the first fault.
    private mutating func note(_ new: MessageFault) {
        if fault == nil { fault = new }
    }
}
