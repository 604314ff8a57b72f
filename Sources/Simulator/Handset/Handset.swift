import PhoneKit
import SIP

/// A phone as a thing: its hardware, the app on it, and the network it is on.
final class Handset {
    enum Kind: UInt8, CaseIterable {
        /// On a desk, always on, with two flows.
        case desk
        /// A computer or an Android phone: its app goes on in the background.
        case open
        /// Its app is suspended, its sockets are taken away, and a push wakes it.
        case pushed
        /// Its app is suspended, its tagged socket is held, and a handler is called now and then.
        case held
    }

    enum State: UInt8 {
        case inUse
        case asleep
        /// The app was ended by the user or the system.
        case killed
        /// The battery is empty.
        case flat
    }

    let index: Int
    let user: Int
    let kind: Kind
    let identity: PhoneIdentity
    let node: Int
    var phone: Phone?
    var state = State.asleep
    var access: UInt8
    /// Counts networks.
    var network: UInt64 = 0
    /// Its connections.
    var pipes: [Int32] = []
    /// When its phone is woken next.
    var timerAt = Int64.max
    /// When its radio was used last.
    var radioAt: Int64 = -1_000_000
    /// When it sent something last.
    var sentAt: Int64 = -1_000_000
    /// When its last binding that a push can wake ends, by the wall clock; 0 where it has none.
    var parkedUntil: Int64 = 0
    /// Messages that wait for their answer, with the connections that were sound when they were sent.
    var messages: [(id: RequestID, pipes: [(pipe: Int, generation: Int32)])] = []
    /// Calls that ring or go on.
    var calls: [(handle: CallHandle, call: Int)] = []
    /// When a connection of it broke last, or its network changed.
    var troubleAt: Int64 = -1_000_000
    var notes = Notes()

    init(index: Int, user: Int, kind: Kind, identity: PhoneIdentity, node: Int, access: UInt8) {
        self.index = index
        self.user = user
        self.kind = kind
        self.identity = identity
        self.node = node
        self.access = access
    }
}

/// The last things that happened to a phone, to be told when something went wrong.
struct Notes {
    enum What: UInt8 {
        case registered, registrationFailed, flowLost, connected, closed, rang, ended, answered, called, slept, woke
        case killed, launched, flat, charged, changedNetwork, pushed, pathDied, unregistered, message
    }

    private var ring: InlineArray<12, (time: Int64, what: What, value: Int32)> = .init(repeating: (-1, .closed, 0))
    private var next = 0

    mutating func add(_ what: What, _ value: Int, at time: Int64) {
        ring[next] = (time, what, Int32(truncatingIfNeeded: value))
        next = (next + 1) % 12
    }

    /// Lines, oldest first.
    var lines: [String] {
        var lines: [String] = []
        for offset in 0..<12 {
            let note = ring[(next + offset) % 12]
            if note.time >= 0 { lines.append("\(WorldTime(note.time)) \(note.what) \(note.value)") }
        }
        return lines
    }
}

/// A time of the world, as people read it.
struct WorldTime: CustomStringConvertible {
    let milliseconds: Int64

    init(_ milliseconds: Int64) { self.milliseconds = milliseconds }

    /// `hh:mm:ss.mmm`.
    var description: String {
        func padded(_ number: Int64, _ digits: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let seconds = milliseconds / 1000
        return padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" + padded(seconds % 60, 2) + "."
            + padded(milliseconds % 1000, 3)
    }
}
