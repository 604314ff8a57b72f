import Locking
import Observability

/// One request to the store's thread.
enum StoreRequest: Sendable {
    case append(ticket: UInt64, Record)
    case lookUp(ticket: UInt64, account: [UInt8])
}

/// The way from those who ask to the store's thread.
final class StoreQueue: Sendable {
    let statistics = Mutex(StoreStatistics())

    private let doorbell: Doorbell
    private let state = Mutex(State())

    private struct State {
        var requests: [StoreRequest] = []
        var isClosing = false
    }

    init(doorbell: Doorbell) { self.doorbell = doorbell }

    /// Adds a request, and wakes the thread for the first one.
    func post(_ request: StoreRequest) {
        let isFirst = state.withLock { state in
            guard !state.isClosing else { return false }
            state.requests.append(request)
            return state.requests.count == 1
        }
        if isFirst { doorbell.ring() }
    }

    /// All requests there are; nil when there are none and there will be none.
    func take() -> [StoreRequest]? {
        state.withLock { state in
            if state.isClosing, state.requests.isEmpty { return nil }
            var taken: [StoreRequest] = []
            swap(&taken, &state.requests)
            return taken
        }
    }

    /// Sleeps until a request comes, or for so long.
    func wait(milliseconds: Int64) {
        doorbell.wait(milliseconds: Int32(clamping: max(0, milliseconds)))
    }

    /// Takes no more requests.
    func close() {
        state.withLock { $0.isClosing = true }
        doorbell.ring()
    }
}
