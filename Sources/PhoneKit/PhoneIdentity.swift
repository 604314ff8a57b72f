public import SIP

/// Who a phone is: its account, its device and the ways to its server.
public struct PhoneIdentity: Sendable {
    /// What it registers for and calls as.
    public var address: AddressOfRecord
    /// What others are shown; nil for none.
    public var displayName: ByteString?
    /// What proves it.
    public var secret: Secret
    /// The device's URN, `urn:uuid:...`, the same over the life of the installation (RFC 5626 section 4.1).
    public var instance: ByteString
    /// The outbound proxy set (RFC 5626 section 4.2).
    ///
    /// There is a flow to each, with `reg-id` 1 for the first and so on.
    public var proxies: [FlowTarget]
    /// How it is woken; nil where it never sleeps.
    public var push: PushParameters?

    /// Describes a phone.
    public init(
        address: AddressOfRecord,
        secret: Secret,
        instance: ByteString,
        proxies: [FlowTarget],
        displayName: ByteString? = nil,
        push: PushParameters? = nil
    ) {
        self.address = address
        self.secret = secret
        self.instance = instance
        self.proxies = proxies
        self.displayName = displayName
        self.push = push
    }
}

/// What proves an account to its server.
public enum Secret: Sendable {
    /// The password itself.
    case password(ByteString)
    /// H(username:realm:password) in lower-case hexadecimal, so that no password need be kept.
    case hashed(md5: ByteString, sha256: ByteString)
}

/// The `pn-` parameters of a Contact (RFC 8599 section 4.1).
public struct PushParameters: Hashable, Sendable {
    /// `pn-provider`: `apns`, `fcm` or `webpush`.
    public var provider: ByteString
    /// `pn-param`: team and topic with `apns`, the project with `fcm`; nil with `webpush`.
    public var parameter: ByteString?
    /// `pn-prid`: the token that calls are pushed to.
    public var token: ByteString
    /// The token for alerts, where it is another one, as with APNs.
    ///
    /// Both then stand in `pn-prid`, each with the name of its service, and the services are named in `pn-param`, as
    /// deployed user agents write it: `pn-prid=aa:voip&bb:remote`.
    public var alertToken: ByteString?

    /// Names a provider and its tokens.
    public init(provider: ByteString, parameter: ByteString?, token: ByteString, alertToken: ByteString? = nil) {
        self.provider = provider
        self.parameter = parameter
        self.token = token
        self.alertToken = alertToken
    }

    /// Appends them as parameters of a URI.
    func append(to out: inout [UInt8]) {
        out.append(text: ";pn-provider=")
        out.append(escaped: provider)
        if let parameter {
            out.append(text: ";pn-param=")
            out.append(escaped: parameter)
            if alertToken != nil { out.append(text: parameter.bytes.ends(in: ".voip") ? "&remote" : ".voip&remote") }
        }
        out.append(text: ";pn-prid=")
        out.append(escaped: token)
        if let alertToken {
            out.append(text: ":voip&")
            out.append(escaped: alertToken)
            out.append(text: ":remote")
        }
    }
}

extension [UInt8] {
    /// Appends a value of a URI parameter, escaped where it has to be (RFC 3261 section 25.1, paramchar).
    mutating func append(escaped value: ByteString) {
        for byte in value.bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "!"), UInt8(ascii: "~"), UInt8(ascii: "*"), UInt8(ascii: "'"), UInt8(ascii: "("),
                UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "/"), UInt8(ascii: ":"),
                UInt8(ascii: "&"), UInt8(ascii: "+"), UInt8(ascii: "$"):
                append(byte)
            default:
                append(UInt8(ascii: "%"))
                append(hex: UInt64(byte), digits: 2)
            }
        }
    }

    /// Whether the last bytes are this word.
    func ends(in word: StaticString) -> Bool {
        count >= word.utf8CodeUnitCount && isEqual((count - word.utf8CodeUnitCount)..<count, word)
    }
}
