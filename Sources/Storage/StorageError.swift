import CSQLite
import Glibc

/// What went wrong with a file of the data directory, and what mends it.
public struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of trouble a caller can tell apart.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// No space is left, or the file is at its bound.
        case diskFull
        /// The file or its directory can't be written.
        case readOnly
        /// The file is damaged, or no database at all.
        case corrupt
        /// Another process holds it.
        case locked
        /// A newer version of Wakeline wrote it.
        case newerFormat
        /// The file or directory can't be opened or made.
        case cannotOpen
        /// The device failed to read, write or sync.
        case inputOutput
        /// The account is there already.
        case exists
        /// The address of an account is none.
        case invalidAddress
        /// Anything else: a fault of the program, or out of memory.
        case unexpected
    }

    /// The kind of trouble.
    public var kind: Kind
    /// The file or directory it is about.
    public var file: String
    /// What was wrong, with the library's or the system's own words.
    public var detail: String

    /// Describes a trouble.
    public init(_ kind: Kind, file: String, detail: String) {
        self.kind = kind
        self.file = file
        self.detail = detail
    }

    /// What a person can do about it.
    public var mend: String {
        switch kind {
        case .diskFull: "make room on the device"
        case .readOnly: "let the user who runs wakeline write there, or mount it writable"
        case .corrupt: "stop the server, keep a copy, and restore the file from a backup"
        case .locked: "stop the other process that uses this data directory, or try again later"
        case .newerFormat: "use the version of wakeline that wrote it, or a newer one"
        case .cannotOpen: "check that the path is right and its directory is there and writable"
        case .inputOutput: "check the device and the kernel's log"
        case .exists: "replace it with --replace, or choose another address"
        case .invalidAddress: "write it as user@domain"
        case .unexpected: "report this with the log around it"
        }
    }

    /// One line: the file, what was wrong, the mend.
    public var description: String { "\(file): \(detail); \(mend)" }

    /// The kind that a result code of SQLite stands for.
    static func kind(ofSQLite code: Int32) -> Kind {
        switch code & 0xff {
        case SQLITE_FULL: .diskFull
        case SQLITE_READONLY, SQLITE_PERM: .readOnly
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: .corrupt
        case SQLITE_BUSY, SQLITE_LOCKED: .locked
        case SQLITE_CANTOPEN: .cannotOpen
        case SQLITE_IOERR: .inputOutput
        default: .unexpected
        }
    }

    /// The kind that an `errno` stands for.
    static func kind(ofSystem code: Int32) -> Kind {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EROFS: .readOnly
        case EIO: .inputOutput
        case EWOULDBLOCK: .locked
        default: .cannotOpen
        }
    }

    /// A failed call to the system on a file.
    static func system(_ call: String, _ file: String, _ code: Int32) -> StorageError {
        StorageError(kind(ofSystem: code), file: file, detail: "\(call): \(String(cString: strerror(code)))")
    }
}
