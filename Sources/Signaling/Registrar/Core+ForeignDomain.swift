import SIP

/// Phones that are set to a domain which is not served here: the operator hears of it, though not of each attempt.
extension Core {
    /// Reports a REGISTER that goes to a domain not served here; one that goes elsewhere for other reasons is none.
    func reportForeignDomain(of request: Request) {
        let message = request.message
        guard message.method == .register, let uri = try? message.target() else { return }
        reportForeignDomain(uri, of: request)
    }

    /// Reports a REGISTER by the URI that names a domain not served here.
    func reportForeignDomain(_ uri: SIPURI, of request: Request) {
        let bytes = request.message.bytes
        guard servedDomain(bytes, uri, on: request.flow) == nil else { return }
        // A phone tries again every few seconds, and scanners try without end.
        guard now.monotonic >= nextForeignReport else {
            foreignRegistrations += 1
            return
        }
        errands.append(
            .foreignDomain(
                ForeignDomain(
                    domain: ByteString(bytes[uri.host].prefix(Self.longestDomain)),
                    remote: flows[request.flow]?.info.remote,
                    unreported: foreignRegistrations
                )
            )
        )
        foreignRegistrations = 0
        nextForeignReport = now.monotonic + Self.foreignReportInterval
    }

    /// As long as a name in DNS can be.
    private static let longestDomain = 255
    private static let foreignReportInterval = Interval.seconds(10)
}
