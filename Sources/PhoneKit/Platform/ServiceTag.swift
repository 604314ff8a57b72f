/// What a connection carries, and so how the platform is to treat it.
public enum ServiceTag: UInt8, Sendable, CaseIterable {
    /// The signaling connection: held for a suspended app, and first to be sent.
    case signaling
    /// The voice of a call: never held, and a class of its own.
    case voice
    /// Anything else.
    case other
}

/// A platform's sockets.
public enum SocketPlatform: UInt8, Sendable, CaseIterable {
    /// CFNetwork streams, as VoIP apps used them before PushKit.
    case coreFoundation
    /// Network.framework.
    case networkFramework
    /// Sockets of Darwin.
    case darwin
    /// Sockets of Linux and Android.
    case linux
}

extension ServiceTag {
    /// The Differentiated Services code point (RFC 4594): CS5 for signaling, EF for voice.
    public var dscp: UInt8 {
        switch self {
        case .signaling: 40
        case .voice: 46
        case .other: 0
        }
    }

    /// `SO_PRIORITY` of Linux: 6 is the most that needs no privilege.
    public var priority: Int32 {
        switch self {
        case .signaling: 5
        case .voice: 6
        case .other: 0
        }
    }

    /// Whether the system may hold the connection while the app is suspended.
    ///
    /// Signaling alone: a voice channel exists only while a call does.
    public var isHeld: Bool { self == .signaling }

    /// The option a platform knows the tag by; nil where it has none, so that the connection is left as it is.
    public func option(on platform: SocketPlatform) -> PlatformOption? {
        switch (platform, self) {
        case (.coreFoundation, .signaling):
            .property("kCFStreamNetworkServiceType", "kCFStreamNetworkServiceTypeCallSignaling")
        case (.coreFoundation, .voice): .property("kCFStreamNetworkServiceType", "kCFStreamNetworkServiceTypeVoice")
        case (.networkFramework, .signaling): .property("NWParameters.serviceClass", "signaling")
        case (.networkFramework, .voice): .property("NWParameters.serviceClass", "interactiveVoice")
        case (.darwin, .signaling): .property("SO_NET_SERVICE_TYPE", "NET_SERVICE_TYPE_SIG")
        case (.darwin, .voice): .property("SO_NET_SERVICE_TYPE", "NET_SERVICE_TYPE_VO")
        case (.linux, .signaling), (.linux, .voice): .socket(dscp: dscp, priority: priority)
        case (_, .other): nil
        }
    }

    /// The property by which CFNetwork held a socket for a suspended app, until iOS 10 took it away.
    ///
    /// Only signaling ever carried it.
    public var heldStreamProperty: PlatformOption? {
        isHeld ? .property("kCFStreamNetworkServiceType", "kCFStreamNetworkServiceTypeVoIP") : nil
    }
}

/// How a platform is told.
public enum PlatformOption: Hashable, Sendable {
    /// A named property and its named value.
    case property(StaticName, StaticName)
    /// `IP_TOS` or `IPV6_TCLASS` (the code point times four) and `SO_PRIORITY`.
    case socket(dscp: UInt8, priority: Int32)
}

/// A name of the platform's.
public struct StaticName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let description: String

    /// A name as it is written.
    public init(stringLiteral value: String) { description = value }
}
