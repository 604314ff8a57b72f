import Flows
public import Storage

/// What a command tells the shell (sysexits.h).
public enum ExitCode: Int32, Sendable, Equatable {
    /// Done.
    case success = 0
    /// The server that was asked after does not serve.
    case unhealthy = 1
    /// The command line, or a file it names, is wrong.
    case usage = 64
    /// A fault of the program or of the machine.
    case failure = 70
    /// It may work later: a lock, a full disk.
    case temporary = 75
    /// The configuration is wrong.
    case configuration = 78

    /// The code for an address that can't be listened on: what may be free later, and what will not.
    init(_ error: ListenError) {
        switch error {
        case .portTaken: self = .temporary
        case .noPermission, .addressNotAvailable, .familyNotSupported, .transportNotServed, .failed:
            self = .configuration
        }
    }

    /// The code for trouble with a file of the data directory.
    public init(_ error: StorageError) {
        switch error.kind {
        case .diskFull, .locked, .inputOutput: self = .temporary
        case .readOnly, .newerFormat, .cannotOpen: self = .configuration
        case .exists, .invalidAddress: self = .usage
        case .corrupt, .unexpected: self = .failure
        }
    }
}
