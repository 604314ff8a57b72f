import Synchronization

/// Raised once by one thread, seen by another.
final class StopFlag: Sendable {
    private let raised = Atomic(false)

    /// Whether it is time to stop.
    var isRaised: Bool { raised.load(ordering: .acquiring) }

    /// Tells the other thread to stop.
    func raise() { raised.store(true, ordering: .releasing) }
}
