public import Reactor
public import SIP

extension EventLoop {
    /// The time of this turn, as the rules want it.
    public var time: Now {
        let time = now
        return Now(monotonic: Instant(milliseconds: time.monotonic), wall: time.wall)
    }
}
