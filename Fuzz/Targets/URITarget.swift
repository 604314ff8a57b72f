import SIP

/// Two URIs, a line each.
func runURI(_ input: [UInt8]) {
    let end = input.firstIndex(of: 10) ?? input.endIndex
    let one = input.startIndex..<end
    let other = min(end + 1, input.endIndex)..<input.endIndex
    promise(URIComparison.areEqual(input, one, input, one), "a URI is not itself")
    promise(
        URIComparison.areEqual(input, one, input, other) == URIComparison.areEqual(input, other, input, one),
        "a comparison has a direction"
    )
    for range in [one, other] {
        _ = TelURI(input, range)
        _ = SIPURI.fault(input, range)
        if let address = SocketAddress(host: input, range, port: 5060) {
            var text: [UInt8] = []
            address.appendHost(to: &text)
            promise(
                SocketAddress(host: text, 0..<text.count, port: 5060) == address,
                "\(address) is not read as it was written"
            )
        }
        guard let uri = try? SIPURI(input, range) else { continue }
        for part in [uri.user, uri.password, uri.host, uri.parameters, uri.headers] {
            guard let part else { continue }
            promise(part.lowerBound >= range.lowerBound && part.upperBound <= range.upperBound, "\(part) of \(range)")
            _ = input.unescaped(part)
        }
        for parameter in Parameters(input, uri.parameters) { _ = parameter.value.map { input.unquoted($0) } }
        _ = input.parameter("transport", in: uri.parameters)
    }
}
