import PhoneKit
import SIP

/// What a load knows of one phone.
struct LoadPhone {
    /// Whom others call.
    let uri: ByteString
    var isRegistered = false
    /// What it is doing; nil where it rests.
    var operation: Operation?
    /// When that began, in microseconds.
    var beganAt: Int64 = 0
    /// Whether it began within the time that counts.
    var counts = false
    /// Counts operations, so that what was arranged for an earlier one is known as such.
    var generation: UInt32 = 0
    /// The other phone of a call or message; -1 for none.
    var peer: Int32 = -1
    /// The call, on either side.
    var call: CallHandle?
    /// The number of the message that is on its way from here, or of the call.
    var token: UInt64 = 0
    /// Whether this phone began the call.
    var isCaller = false
    /// The time to the first 180, in microseconds.
    var ringTime: Int64?
    /// What this side of a call has still to see before it is as it should be.
    var isAnswered = false
    var didArrive = false

    /// Has a part in an operation from now on.
    ///
    /// - Returns: its number.
    @discardableResult
    mutating func begin(_ operation: Operation, isCaller: Bool) -> UInt32 {
        self.operation = operation
        self.isCaller = isCaller
        generation &+= 1
        didArrive = false
        isAnswered = false
        ringTime = nil
        return generation
    }
}
