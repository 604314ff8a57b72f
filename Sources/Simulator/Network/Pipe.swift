import SIP

/// A connection between a phone and a node, as the network sees it.
struct Pipe {
    enum State: UInt8 {
        case free
        case connecting
        case open
    }

    var state = State.free
    /// Tells this use of the place from others.
    var generation: Int32 = 0
    var handset: Int32 = 0
    var node: Int32 = 0
    /// The node's life in which it was opened.
    var epoch: Int32 = 0
    var access: UInt8 = 0
    var ticket: UInt64 = 0
    /// Which of the phone's lines it is for; 0 before the phone has said.
    var regID: UInt32 = 0
    /// The node's identity of it; nil where the node does not know it, or not any more.
    var nodeFlow: FlowID?
    /// Whether the phone has it.
    var phoneHolds = false
    /// Whether the phone knows that it is open.
    var phoneKnows = false
    /// Whether the way is gone, and nobody was told.
    var isDead = false
    /// Whether somebody has sent into the dead way and will give up.
    var nodeIsGivingUp = false
    var phoneIsGivingUp = false
    /// When what was sent last arrives: a stream keeps its order.
    var upReady: Int64 = 0
    var downReady: Int64 = 0
    /// When anything passed last.
    var lastPassed: Int64 = 0
    /// When the node heard something last, and for how long it may hear nothing.
    var lastHeard: Int64 = 0
    var silenceLimit: Int64 = .max
    /// Whether the silence is being watched.
    var isTimed = false
}

/// All connections there are, by place.
struct PipeTable {
    var pipes: [Pipe] = []
    private var free: [Int32] = []
    private(set) var count = 0

    subscript(_ index: Int) -> Pipe {
        get { pipes[index] }
        _modify { yield &pipes[index] }
    }

    mutating func claim() -> Int {
        count += 1
        if let place = free.popLast() { return Int(place) }
        pipes.append(Pipe())
        return pipes.count - 1
    }

    mutating func release(_ index: Int) {
        let generation = pipes[index].generation &+ 1
        pipes[index] = Pipe()
        pipes[index].generation = generation & 0x00ff_ffff
        free.append(Int32(truncatingIfNeeded: index))
        count -= 1
    }
}

/// Messages on their way.
struct ParcelStore {
    private struct Parcel {
        var bytes: [UInt8]
        var generation: Int32
    }

    private var parcels: [Parcel] = []
    private var free: [Int32] = []
    private(set) var count = 0

    mutating func put(_ bytes: [UInt8], generation: Int32) -> Int {
        count += 1
        if let place = free.popLast() {
            parcels[Int(place)] = Parcel(bytes: bytes, generation: generation)
            return Int(place)
        }
        parcels.append(Parcel(bytes: bytes, generation: generation))
        return parcels.count - 1
    }

    mutating func take(_ place: Int) -> (bytes: [UInt8], generation: Int32) {
        count -= 1
        let parcel = parcels[place]
        parcels[place].bytes = []
        free.append(Int32(truncatingIfNeeded: place))
        return (parcel.bytes, parcel.generation)
    }
}
