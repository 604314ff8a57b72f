import PhoneKit
import SIP
import Signaling

/// A call of the world, from the wish to make it to its end: what the caller and all devices saw.
struct CallRecord {
    enum Outcome: UInt8, CaseIterable {
        case answered, busyOrRejected, cancelled, unanswered, unreachable, lost
    }

    /// A device that rang.
    struct Ring {
        let handset: Int
        let at: Int64
        var endedAt: Int64?
    }

    let number: Int
    let caller: Int
    let callee: Int
    let wishedAt: Int64
    var callID = ByteString()
    var handle: CallHandle?
    var placedAt: Int64?
    var answeredAt: Int64?
    var endedAt: Int64?
    var outcome: Outcome?
    var rings: [Ring] = []
    /// Devices that could be reached when it was placed, with the pipes they were on.
    var expected: [(handset: Int, pipe: Int, generation: Int32)] = []
    /// The caller's connections when it was placed.
    var callerPipes: [(pipe: Int, generation: Int32)] = []
    /// Whether they were all sound when it ended, so that the server could know of the end.
    var callerWasConnected = false
    /// Lives of the node when it was placed and when it ended.
    var epoch: Int32 = 0
    var status: UInt16 = 0
    /// What the node wrote of it.
    var steps: [JournalStep] = []
}
