import SIP

/// One attempt at a device.
struct Branch {
    enum Progress: Equatable {
        /// Nothing has come back.
        case calling
        /// A provisional response has come.
        case ringing
        /// A final response has come, or none ever will.
        case ended
    }

    var device: Device
    /// The way that is tried now.
    var way = 0
    var client = TransactionTable.ClientID.none
    var progress = Progress.calling
    /// A CANCEL is to leave as soon as a provisional response allows it (RFC 3261 section 9.1).
    var wantsCancel = false
    /// The branch that goes to the same device by an earlier way, and may only be slow.
    var earlier: Int?
    var cancelReason: CancelReason?
    var timerC = TimerWheel<CoreTimer>.TimerID.none
    var breadth: UInt32
}

/// Why a branch is cancelled, as Reason tells the phone (RFC 3326): a call answered elsewhere is no missed call.
enum CancelReason {
    case completedElsewhere
    case declinedElsewhere
}

/// A proxied request until it has its final answer (RFC 3261 section 16.7).
final class ResponseContext {
    let request: Request
    /// Devices that are not tried yet, highest q first.
    var pending: [Device]
    var branches: [Branch] = []
    /// The best final response so far.
    var best: BranchResult?
    /// Challenges of other branches, to go out with a 401 or 407 (RFC 3261 section 16.7 step 7).
    var challenges: [(branch: Int, lines: [UInt8])] = []
    /// The token of the dialog's Route, and how many Route values are ours; nil outside dialogs.
    let ownRoutes: Int
    let breadth: UInt32
    /// A provisional response went upstream.
    var hasProvisional = false
    /// A final response went upstream.
    var isAnswered = false
    /// The caller gave up.
    var isCancelled = false
    /// Why the last way failed, for the verdict.
    var lastFailure: StaticString?

    init(request: Request, pending: [Device], ownRoutes: Int, breadth: UInt32) {
        self.request = request
        self.pending = pending
        self.ownRoutes = ownRoutes
        self.breadth = breadth
    }

    var isInvite: Bool { request.message.method == .invite }

    var isIdle: Bool { branches.allSatisfy { $0.progress == .ended } }
}

/// How a branch ended.
enum BranchResult {
    /// With a response from the device.
    case response(Message, branch: Int)
    /// Without one: this server says so itself.
    case synthetic(Status)

    var status: UInt16 {
        switch self {
        case .response(let message, _): message.status
        case .synthetic(let status): status.code
        }
    }

    /// Whether this is the better answer to give (RFC 3261 section 16.7 step 6).
    func isBetter(than other: BranchResult) -> Bool { rank < other.rank }

    /// Lower is better: 6xx, then by class; within 4xx those that tell the caller what to do about it.
    private var rank: Int {
        switch status {
        case 600...: 0
        case 401, 407, 415, 420, 484: 400
        // What this server had to make up says less than what a device said.
        case 408, 480, 430: if case .synthetic = self { 497 } else { 450 }
        case 400..<500: 450
        case 503: 599
        default: Int(status / 100) * 100
        }
    }
}
