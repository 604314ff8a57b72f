import CPlatform
import Glibc
import Reactor
import Synchronization
import Testing

@Suite("Event loop")
struct EventLoopTests {
    @Test("a timer is never early, and the last deadline holds")
    func timers() throws {
        let loop = try EventLoop()
        var fired: [Int64] = []
        let timer = DeadlineTimer(loop: loop) {
            fired.append(loop.now.monotonic)
            loop.stop()
        }
        let start = loop.now.monotonic
        timer.schedule(at: start + 5)
        timer.schedule(at: start + 30)
        try loop.run()
        #expect(fired.count == 1)
        #expect(fired.first ?? 0 >= start + 30)
        timer.schedule(at: start + 60_000)
        timer.schedule(at: start - 5)
        try loop.run()
        #expect(fired.count == 2)
        timer.schedule(at: loop.now.monotonic + 1)
        timer.schedule(at: nil)
        let other = DeadlineTimer(loop: loop) { loop.stop() }
        other.schedule(at: loop.now.monotonic + 20)
        try loop.run()
        #expect(fired.count == 2)
    }

    @Test("time stands still for a turn, and the end of a turn comes once after all that was ready")
    func turns() throws {
        let loop = try EventLoop()
        var seen: [TurnTime] = []
        var log: [String] = []
        let first = try Mailbox<Int>(loop: loop) { log.append("first \($0)") }
        let second = try Mailbox<Int>(loop: loop) {
            log.append("second \($0)")
            seen.append(loop.now)
            let until = clock() + CLOCKS_PER_SEC / 100
            while clock() < until {}
            seen.append(loop.now)
        }
        loop.endOfTurn = { log.append("end") }
        second.handle.post(1)
        first.handle.post(2)
        first.handle.post(3)
        try loop.runTurn()
        #expect(log.sorted() == ["end", "first 2", "first 3", "second 1"])
        #expect(log.last == "end")
        #expect(seen.count == 2 && seen.first == seen.last)
        #expect(loop.now.monotonic > seen.last?.monotonic ?? .max)
    }

    @Test("with a pace, turns begin at its multiples, and what became ready meanwhile comes together")
    func pace() throws {
        let loop = try EventLoop()
        var turns: [Int64] = []
        var seen: [Int] = []
        let mailbox = try Mailbox<Int>(loop: loop) { seen.append($0) }
        loop.endOfTurn = {
            turns.append(loop.now.monotonic)
            if turns.count == 3 { loop.stop() }
        }
        loop.pace = 20
        mailbox.handle.post(1)
        mailbox.handle.post(2)
        try loop.run()
        #expect(seen == [1, 2])
        for (earlier, later) in zip(turns, turns.dropFirst()) { #expect(earlier / 20 < later / 20) }
        // A turn that does not wait begins at once.
        loop.pace = 100_000
        let now = loop.now.monotonic
        try loop.runTurn(waits: false)
        #expect(turns.count == 4 && turns.last ?? .max < now + 50_000)
    }

    @Test("what other threads post arrives once, in order, and a flood wakes the loop")
    func flood() throws {
        let loop = try EventLoop()
        var next = [0, 0]
        var isOrdered = true
        let mailbox = try Mailbox<(thread: Int, number: Int)>(loop: loop) { message in
            if next[message.thread] != message.number { isOrdered = false }
            next[message.thread] += 1
            if next == [50_000, 50_000] { loop.stop() }
        }
        var threads: [pthread_t] = []
        for thread in 0..<2 {
            let start = Unmanaged.passRetained(Start(handle: mailbox.handle, thread: thread))
            var id = pthread_t()
            // The thread takes over the reference to what it starts with.
            let result = pthread_create(
                &id,
                nil,
                { context in
                    guard let context else { return nil }
                    let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                    for number in 0..<50_000 { start.handle.post((start.thread, number)) }
                    return nil
                },
                start.toOpaque()
            )
            #expect(result == 0)
            threads.append(id)
        }
        try loop.run()
        for thread in threads { pthread_join(thread, nil) }
        #expect(isOrdered)
        #expect(next == [50_000, 50_000])
    }

    @Test("a message that is posted during delivery is delivered too")
    func postDuringDelivery() throws {
        let loop = try EventLoop()
        var seen: [Int] = []
        let handle = try LoopHandle<Int>()
        let mailbox = try Mailbox<Int>(loop: loop, handle: handle) { number in
            seen.append(number)
            if number < 5 { handle.post(number + 1) } else { loop.stop() }
        }
        handle.post(1)
        try loop.run()
        #expect(seen == [1, 2, 3, 4, 5])
        #expect(mailbox.handle === handle)
    }

    @Test("a signal calls its action, and the old disposition comes back")
    func signals() throws {
        let loop = try EventLoop()
        var caught = 0
        do {
            let watcher = try SignalWatcher(loop: loop, signal: SIGUSR2) {
                caught += 1
                loop.stop()
            }
            kill(getpid(), SIGUSR2)
            try loop.run()
            withExtendedLifetime(watcher) {}
        }
        #expect(caught == 1)
        var old = sigaction()
        sigaction(SIGUSR2, nil, &old)
        #expect(unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self) == 0)
    }

    @Test("a watcher pool reports its descriptors, and nothing after they are forgotten")
    func pool() throws {
        let loop = try EventLoop()
        let pool = WatcherPool(loop: loop)
        let recorder = Recorder()
        pool.report(to: recorder)
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        #expect(pool.watch(ends[0], slot: 700, token: 42))
        #expect(!pool.watch(ends[0], slot: 700, token: 43))
        write(ends[1], "x", 1)
        try loop.runTurn()
        #expect(recorder.seen == [Recorder.Event(token: 42, readiness: .readable)])
        pool.setReading(false, slot: 700)
        pool.setWriting(true, slot: 700)
        try loop.runTurn()
        #expect(recorder.seen.last == Recorder.Event(token: 42, readiness: .writable))
        pool.setWriting(false, slot: 700)
        try loop.runTurn(waits: false)
        #expect(recorder.seen.count == 2)
        pool.setReading(true, slot: 700)
        pool.forget(slot: 700)
        try loop.runTurn(waits: false)
        #expect(recorder.seen.count == 2)
        #expect(pool.watch(ends[0], slot: 700, token: 44))
        try loop.runTurn()
        #expect(recorder.seen.last?.token == 44)
    }
}

private final class Start: Sendable {
    let handle: LoopHandle<(thread: Int, number: Int)>
    let thread: Int

    init(handle: LoopHandle<(thread: Int, number: Int)>, thread: Int) {
        self.handle = handle
        self.thread = thread
    }
}

private final class Recorder: ReadinessHandler {
    struct Event: Equatable {
        var token: UInt64
        var readiness: Readiness
    }

    var seen: [Event] = []

    func ready(_ token: UInt64, _ readiness: Readiness) { seen.append(Event(token: token, readiness: readiness)) }
}
