import Reactor
import SIP

/// What is to be done later, on a loop: a handful of things, each once.
final class Agenda {
    /// Names an entry, so that it can be struck out.
    struct EntryID: Hashable {
        fileprivate let number: UInt64
    }

    private struct Entry {
        let id: EntryID
        let at: Int64
        let action: () -> Void
    }

    private let loop: EventLoop
    private var entries: [Entry] = []
    private var made: UInt64 = 0
    private var timer: DeadlineTimer?

    init(loop: EventLoop) {
        self.loop = loop
        timer = DeadlineTimer(loop: loop) { [unowned self] in self.work() }
    }

    /// Does something after a while; what it holds is kept until then.
    @discardableResult
    func after(_ interval: Interval, _ action: @escaping () -> Void) -> EntryID {
        made += 1
        let id = EntryID(number: made)
        let (at, overflow) = loop.now.monotonic.addingReportingOverflow(interval.milliseconds)
        entries.append(Entry(id: id, at: overflow ? .max : at, action: action))
        schedule()
        return id
    }

    /// Strikes an entry out; nothing happens where it is done.
    func cancel(_ id: EntryID?) {
        guard let id else { return }
        entries.removeAll { $0.id == id }
    }

    /// Strikes everything out.
    func cancelAll() { entries.removeAll() }

    private func work() {
        while let next = entries.indices.min(by: { entries[$0].at < entries[$1].at }),
            entries[next].at <= loop.now.monotonic
        {
            entries.remove(at: next).action()
        }
        schedule()
    }

    private func schedule() { timer?.schedule(at: entries.map(\.at).min()) }
}
