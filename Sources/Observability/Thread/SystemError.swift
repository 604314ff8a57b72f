import Glibc

/// A call to the operating system that failed, with the system's own words.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call: `open`, `pthread_create`.
    public var call: String
    /// What it was about: a path, mostly; may be empty.
    public var subject: String
    /// The value of `errno`.
    public var code: Int32

    /// Describes a failed call.
    public init(call: String, subject: String = "", code: Int32) {
        self.call = call
        self.subject = subject
        self.code = code
    }

    /// The system's text for the code: `No space left on device`.
    public var reason: String { String(cString: strerror(code)) }

    /// `open /var/lib/wakeline/journal.log: Permission denied`.
    public var description: String {
        subject.isEmpty ? "\(call): \(reason)" : "\(call) \(subject): \(reason)"
    }
}
