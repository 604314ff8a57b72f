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
        var at = start
        let end = input.count
        while at < end {
            if input[at] == 0x0d, at + 1 < end, input[at + 1] == 0x0a { return at + 2 }
            let (name, nameRange, afterName) = Self.name(input, from: at)
            at = afterName
            while at < end, input[at] == 0x20 || input[at] == 0x09 { at += 1 }
            var value = at..<at
            var isWhole = false
            // To the CRLF that is not followed by white space: the rest are folds.
            while at < end {
                at = input.firstLineBreak(from: at)
                guard at < end else { break }
                let byte = input[at]
                if byte == 0x0d || byte == 0x0a {
                    guard byte == 0x0d, at + 1 < end, input[at + 1] == 0x0a else {
                        note(.lineEnd)
                        at += 1
                        continue
                    }
                    value = value.lowerBound..<max(at, value.lowerBound)
                    at += 2
                    if at < end, input[at] == 0x20 || input[at] == 0x09 { continue }
                    isWhole = true
                    break
                }
            }
            guard isWhole else {
                note(.headerLine)
                return end
            }
            guard let name else {
                note(.headerLine)
                continue
            }
            guard fields.count < limits.headerFields else {
                note(.tooManyHeaderFields)
                continue
            }
            var lower = value.lowerBound
            var upper = value.upperBound
            while upper > lower, input[upper - 1].isLWS { upper -= 1 }
            while lower < upper, input[lower].isLWS { lower += 1 }
            fields.append(
                HeaderField(
                    name: name,
                    nameRange: nameRange,
                    value: lower..<upper,
                    lineEnd: at
                )
            )
        }
        note(.headerLine)
        return end
    }

    /// Reads the name that a line begins with.
    ///
    /// - Returns: the name, nil where there is none with its colon; where it is; and where what follows begins.
    @inline(__always)
    private static func name(_ input: Span<UInt8>, from start: Int) -> (HeaderName?, Range<Int>, next: Int) {
        // What is known is a token, so that only what is not known has to be looked at byte by byte; no name that is known
        // is longer than this.
        let near = start..<min(start + 24, input.count)
        let colon = input.extracting(near).first(UInt8(ascii: ":")).map { $0 + start } ?? start
        let known = HeaderName(input, start..<colon)
        if known != .other { return (known, start..<colon, colon + 1) }
        var at = start
        while at < input.count, input[at].isIn(.token) { at += 1 }
        let range = start..<at
        while at < input.count, input[at] == 0x20 || input[at] == 0x09 { at += 1 }
        guard at < input.count, input[at] == UInt8(ascii: ":"), !range.isEmpty else { return (nil, range, at) }
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
