import SIP

/// A first byte says how the rest is cut; what comes out must not depend on it.
func runStream(_ input: [UInt8]) {
    guard let first = input.first else { return }
    let stream = Array(input.dropFirst())
    var limits = Limits()
    // Small enough that inputs reach them.
    limits.startLine = 200
    limits.headerSection = 1000
    limits.body = 500
    let whole = cut(stream, limits, width: stream.count)
    let parts = cut(stream, limits, width: Int(first & 15) + 1)
    promise(whole == parts, "whole: \(whole), cut by \(first & 15 + 1): \(parts)")
}

private func cut(_ stream: [UInt8], _ limits: Limits, width: Int) -> [StreamFramer.Verdict] {
    var verdicts: [StreamFramer.Verdict] = []
    var framer = StreamFramer()
    var unread: [UInt8] = []
    var fed = 0
    while true {
        while !unread.isEmpty {
            let verdict = framer.next(unread.span, limits: limits)
            if case .incomplete(let missing) = verdict {
                promise(missing > 0, "nothing is missing, and yet it is incomplete")
                break
            }
            verdicts.append(verdict)
            if case .fault = verdict { return verdicts }
            promise(verdict.consumed > 0 && verdict.consumed <= unread.count, "\(verdict) of \(unread.count)")
            unread.removeFirst(verdict.consumed)
        }
        guard fed < stream.count else { return verdicts }
        let next = min(max(width, 1), stream.count - fed)
        unread += stream[fed..<fed + next]
        fed += next
    }
}
