/// What is fed with anything at all: each must neither trap nor break its promises.
enum FuzzTarget: String, CaseIterable, Sendable {
    /// The cutting of streams into messages: the same however they come.
    case stream
    /// Messages: all that can be read of them, and writing them again.
    case message
    /// URIs and their comparison.
    case uri
    /// Digest credentials.
    case digest
    /// Events into the rules, in any order.
    case core

    /// Feeds one input; ends the process where a promise is broken.
    func run(_ input: [UInt8]) {
        switch self {
        case .stream: runStream(input)
        case .message: runMessage(input)
        case .uri: runURI(input)
        case .digest: runDigest(input)
        case .core: CoreScene(input).run()
        }
    }
}

/// Ends the process unless something holds.
func promise(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fatalError(what()) }
}
