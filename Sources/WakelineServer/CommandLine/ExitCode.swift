public import Storage

/// What a command tells the shell (sysexits.h).
public enum ExitCode: Int32, Sendable, Equatable {
    /// Done.
    case success = 0
    /// The command line, or a file it names, is wrong.
    case usage = 64
    /// A fault of the program or of the machine.
    case failure = 70
    /// It may work later: a lock, a full disk.
    case temporary = 75
    /// The configuration is wrong.
    case configuration = 78

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
