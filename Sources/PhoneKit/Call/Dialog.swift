import SIP

/// What both sides of a dialog keep (RFC 3261 section 12), as it goes into the next request.
final class Dialog {
    /// From or To of the other side, with its tag.
    var remote: [UInt8]
    /// The tag by itself; empty where the other side has none.
    var remoteTag: [UInt8]
    /// The remote target: what the other side's Contact said last.
    var target: [UInt8]
    /// Lines of Route.
    var routes: [UInt8]

    /// Reads the dialog that an answer makes, for the caller (RFC 3261 section 12.1.2).
    ///
    /// - Returns: nil where there is no To tag.
    convenience init?(answer: Message) {
        guard let to = answer.first(.to), let tag = (try? answer.tag(.to)) ?? nil else { return nil }
        self.init(answer, remote: to.value, tag: tag, isReversed: true)
    }

    /// Reads the dialog that a request makes, for the side that is called (RFC 3261 section 12.1.1).
    ///
    /// - Returns: nil where there is no From.
    convenience init?(request: Message) {
        guard let from = request.first(.from) else { return nil }
        self.init(request, remote: from.value, tag: (try? request.tag(.from)) ?? nil, isReversed: false)
    }

    private init(_ message: Message, remote: Range<Int>, tag: Range<Int>?, isReversed: Bool) {
        let bytes = message.bytes
        self.remote = Array(bytes[remote])
        remoteTag = tag.map { Array(bytes[$0]) } ?? []
        target = []
        routes = []
        if let contact = (try? message.firstNameAddress(.contact)) ?? nil { target = Array(bytes[contact.uri]) }
        var values: [Range<Int>] = []
        for value in message.values(.recordRoute) { values.append(value) }
        for value in isReversed ? values.reversed() : values {
            routes.append(text: "Route: ")
            routes.append(bytes, value)
            routes.append(text: "\r\n")
        }
    }

    /// Takes the target over that a request or answer within the dialog names (RFC 3261 section 12.2).
    func refreshTarget(_ message: Message) {
        guard let contact = (try? message.firstNameAddress(.contact)) ?? nil else { return }
        target = Array(message.bytes[contact.uri])
    }
}
