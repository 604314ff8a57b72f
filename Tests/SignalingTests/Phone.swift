import SIP
import Signaling
import TestSupport
import Testing

/// A phone of the tests: it writes its messages by hand and knows its own state.
final class Phone {
    let world: World
    let user: String
    let password: String
    var flow: FlowID
    var instance: String?
    var regID: Int?
    var cseq = 0
    private var nonce: String?
    private var count = 0
    private var branch = 0
    private(set) var callID: String

    init(_ world: World, _ user: String, instance: String? = nil, regID: Int? = 1) {
        self.world = world
        self.user = user
        self.instance = instance
        self.regID = instance == nil ? nil : regID
        password = world.accounts["\(user)@example.test"] ?? "none"
        flow = world.open()
        callID = "reg-\(user)-\(instance ?? "")-\(regID ?? 0)"
    }

    var address: String { "sip:\(user)@example.test" }
    var contact: String { "sip:\(user)@192.0.2.1:5060;transport=tcp" }

    func newBranch() -> String {
        branch += 1
        return "z9hG4bK-\(user)-\(flow)-\(branch)"
    }

    /// Registers, answering the challenge.
    ///
    /// - Returns: the last response.
    @discardableResult
    func register(
        expires: Int? = 3600,
        contact: String? = nil,
        extra: String = "",
        parameters: String = "",
        _ location: SourceLocation = #_sourceLocation
    ) throws -> Message {
        var response = try attempt(expires: expires, contact: contact, extra: extra, parameters: parameters, location)
        if response.status == 401 {
            take(response)
            response = try attempt(expires: expires, contact: contact, extra: extra, parameters: parameters, location)
        }
        return response
    }

    func sendRegister(
        expires: Int? = 3600,
        contact: String? = nil,
        extra: String = "",
        parameters: String = "",
        wrongPassword: Bool = false
    ) {
        cseq += 1
        var contactValue = contact ?? "<\(self.contact)>"
        if contact == nil, let instance {
            contactValue += ";+sip.instance=\"<urn:uuid:\(instance)>\""
            if let regID { contactValue += ";reg-id=\(regID)" }
        }
        contactValue += parameters
        var text = """
            REGISTER sip:example.test SIP/2.0
            Via: SIP/2.0/TCP 192.0.2.1:5060;branch=\(newBranch());rport
            Max-Forwards: 70
            From: <\(address)>;tag=reg\(user)
            To: <\(address)>
            Call-ID: \(callID)
            CSeq: \(cseq) REGISTER
            Supported: path, outbound, gruu

            """
        if !contactValue.isEmpty { text += "Contact: \(contactValue)\n" }
        if let expires { text += "Expires: \(expires)\n" }
        text += extra
        text += authorization(
            "Authorization",
            method: "REGISTER",
            uri: "sip:example.test",
            password: wrongPassword ? "wrong" : nil
        )
        world.send(flow, String(text.dropLast()))
    }

    private func attempt(
        expires: Int?,
        contact: String?,
        extra: String,
        parameters: String,
        _ location: SourceLocation
    ) throws -> Message {
        sendRegister(expires: expires, contact: contact, extra: extra, parameters: parameters)
        return try world.next(flow, location)
    }

    /// Takes the nonce out of a challenge.
    func take(_ response: Message) {
        let field = response.value(.wwwAuthenticate) ?? response.value(.proxyAuthenticate) ?? ""
        nonce = field.components(after: "nonce=\"").first
        count = 0
    }

    func authorization(_ name: String, method: String, uri: String, password: String? = nil) -> String {
        guard let nonce else { return "" }
        count += 1
        let nc = String(count + 0x1_0000_0000, radix: 16).dropFirst()
        var digest = DigestResponse(.openSSL)
        let response = digest.response(
            .sha256,
            ha1: hex(.sha256, "\(user):example.test:\(password ?? self.password)"),
            nonce: Array(nonce.utf8),
            quality: (count: Array(nc.utf8), clientNonce: Array("cn".utf8), qop: Array("auth".utf8)),
            method: Array(method.utf8),
            uri: Array(uri.utf8)
        )
        return "\(name): Digest username=\"\(user)\",realm=\"example.test\",nonce=\"\(nonce)\",uri=\"\(uri)\","
            + "response=\"\(String(decoding: response, as: UTF8.self))\",algorithm=SHA-256,cnonce=\"cn\",qop=auth,nc=\(nc)\n"
    }

    /// Sends a request outside or within a dialog.
    @discardableResult
    func request(
        _ method: String,
        to uri: String,
        callID: String = "call-1",
        cseq: Int = 1,
        branch: String? = nil,
        toTag: String? = nil,
        from: String? = nil,
        toAddress: String? = nil,
        extra: String = "",
        body: String = ""
    ) -> String {
        let branch = branch ?? newBranch()
        let tag = toTag.map { ";tag=\($0)" } ?? ""
        world.send(
            flow,
            """
            \(method) \(uri) SIP/2.0
            Via: SIP/2.0/TCP 192.0.2.1:5060;branch=\(branch);rport
            Max-Forwards: 70
            From: "\(user)" <\(from ?? address)>;tag=from-\(user)
            To: <\(toAddress ?? uri)>\(tag)
            Call-ID: \(callID)
            CSeq: \(cseq) \(method)
            Contact: <\(contact)>
            \(extra)
            """.trimmedEnd + (body.isEmpty ? "" : "\n\n" + body)
        )
        return branch
    }

    /// Answers a request.
    func answer(_ request: Message, _ status: Int, _ reason: String, tag: String? = nil, extra: String = "") {
        var text = "SIP/2.0 \(status) \(reason)\n"
        for field in request.fields {
            switch field.name {
            case .via, .from, .callID, .cseq, .recordRoute:
                text += request.text(field.line).replacingLineEnds
            case .to:
                let line = request.text(field.line).replacingLineEnds
                text +=
                    line.contains("tag=") || status == 100 ? line : line.dropLast() + ";tag=\(tag ?? "to-\(user)")\n"
            default: break
            }
        }
        if status < 300 { text += "Contact: <\(contact)>\n" }
        text += extra
        world.send(flow, String(text.dropLast()))
    }
}

extension String {
    var trimmedEnd: String {
        var text = self
        while text.hasSuffix("\n") || text.hasSuffix(" ") { text.removeLast() }
        return text
    }

    var replacingLineEnds: String { split(separator: "\r\n", omittingEmptySubsequences: false).joined(separator: "\n") }

    /// What stands between each `start` and the next quote.
    func components(after start: String) -> [String] {
        var found: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: start) {
            rest = rest[range.upperBound...]
            found.append(String(rest.prefix { $0 != "\"" }))
        }
        return found
    }
}
