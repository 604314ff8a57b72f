import SIP

/// A challenge that was answered, so that further requests need none (RFC 7616 section 3.6).
struct DigestSession {
    let challenge: DigestChallenge
    /// Whether it goes into Proxy-Authorization.
    let isProxy: Bool
    /// H(username:realm:password) in lower-case hexadecimal.
    let ha1: [UInt8]
    /// How often the nonce was used.
    var count: UInt32 = 0
}

extension Phone {
    /// Takes up a challenge.
    ///
    /// - Returns: the challenge; nil where none can be answered.
    func takeUp(_ response: Message) -> DigestChallenge? {
        let isProxy = response.status == 407
        guard let challenge = DigestChallenge.first(in: response, isProxy ? .proxyAuthenticate : .wwwAuthenticate)
        else {
            return nil
        }
        let known = digests.firstIndex { $0.isProxy == isProxy && $0.challenge.realm == challenge.realm }
        var ha1: [UInt8] = []
        if let known, digests[known].challenge.algorithm == challenge.algorithm {
            ha1 = digests[known].ha1
        } else {
            switch identity.secret {
            case .password(let password):
                var text: [UInt8] = identity.address.user.bytes
                text.append(UInt8(ascii: ":"))
                text.append(challenge.realm)
                text.append(UInt8(ascii: ":"))
                text.append(password)
                challenge.algorithm.appendHexHash(of: text, host.hashes, &host.scratch, &ha1)
            case .hashed(let md5, let sha256): ha1 = challenge.algorithm == .md5 ? md5.bytes : sha256.bytes
            }
        }
        let session = DigestSession(challenge: challenge, isProxy: isProxy, ha1: ha1)
        if let known { digests[known] = session } else { digests.append(session) }
        return challenge
    }

    /// Appends credentials for every challenge that was met so far, or only those of registrars or proxies.
    ///
    /// - Parameters:
    ///   - isRegister: whether the request is for the registrar: others get only what proxies asked for.
    ///   - method: the request's method.
    ///   - uri: the Request-URI.
    ///   - out: takes the header fields.
    func appendCredentials(isRegister: Bool, method: StaticString, uri: [UInt8], to out: inout [UInt8]) {
        for index in digests.indices where digests[index].isProxy || isRegister {
            appendCredentials(index, method: method, uri: uri, to: &out)
        }
    }

    func appendCredentials(_ index: Int, method: StaticString, uri: [UInt8], to out: inout [UInt8]) {
        digests[index].count &+= 1
        let session = digests[index]
        let challenge = session.challenge
        var count: [UInt8] = []
        count.append(hex: UInt64(session.count), digits: 8)
        var clientNonce: [UInt8] = []
        clientNonce.append(hex: host.random.next(), digits: 16)
        var methodText: [UInt8] = []
        methodText.append(text: method)
        let response = host.digest.response(
            challenge.algorithm,
            ha1: session.ha1,
            nonce: challenge.nonce.bytes,
            quality: challenge.offersAuth ? (count: count, clientNonce: clientNonce, qop: Array("auth".utf8)) : nil,
            method: methodText,
            uri: uri
        )
        out.append(text: session.isProxy ? "Proxy-Authorization" : "Authorization")
        out.append(text: ": Digest username=\"")
        out.append(quoted: identity.address.user)
        out.append(text: "\",realm=\"")
        out.append(quoted: challenge.realm)
        out.append(text: "\",nonce=\"")
        out.append(quoted: challenge.nonce)
        out.append(text: "\",uri=\"")
        out.append(contentsOf: uri)
        out.append(text: "\",response=\"")
        out.append(contentsOf: response)
        out.append(text: "\",algorithm=")
        out.append(text: challenge.algorithm.name)
        if challenge.offersAuth {
            out.append(text: ",qop=auth,nc=")
            out.append(contentsOf: count)
            out.append(text: ",cnonce=\"")
            out.append(contentsOf: clientNonce)
            out.append(text: "\"")
        }
        if let opaque = challenge.opaque {
            out.append(text: ",opaque=\"")
            out.append(quoted: opaque)
            out.append(text: "\"")
        }
        out.append(text: "\r\n")
    }
}

extension [UInt8] {
    /// Appends the content of a quoted string, with its escapes.
    mutating func append(quoted string: ByteString) {
        for byte in string.bytes {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
            append(byte)
        }
    }
}
