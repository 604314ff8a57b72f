import Glibc
import Locking
import Observability
import Testing

@testable import Storage

/// Collects what a store answers.
final class Answers: Sendable {
    private let kept = Mutex<[StoreAnswer]>([])

    func take(_ answers: [StoreAnswer]) { kept.withLock { $0.append(contentsOf: answers) } }

    var all: [StoreAnswer] { kept.withLock { $0 } }

    /// The highest ticket that is committed.
    var committed: UInt64 {
        all.reduce(0) { if case .committed(let ticket) = $1 { max($0, ticket) } else { $0 } }
    }

    var failed: [UInt64] {
        all.flatMap { answer -> [UInt64] in
            guard case .failed(let tickets, _) = answer else { return [] }
            return tickets
        }
    }

    var exceptions: [[AccountException]] {
        all.compactMap { if case .accountsChanged(let exceptions) = $0 { exceptions } else { nil } }
    }
}

@Suite("Store")
struct StoreTests {
    let scratch = Scratch()
    let answers = Answers()
    let sink = RecordingSink()

    func open(_ change: (inout StoreSettings) -> Void = { _ in }, found: inout [String: String]) throws -> Store {
        var settings = StoreSettings()
        change(&settings)
        let answers = answers
        return try Store(
            try scratch.directory(),
            settings: settings,
            logger: Logger(subsystem: "storage", level: .trace, sink: sink),
            restoring: { found[String(decoding: $0, as: UTF8.self)] = String(decoding: $1, as: UTF8.self) },
            answer: { answers.take($0) }
        )
    }

    func open(_ change: (inout StoreSettings) -> Void = { _ in }) throws -> Store {
        var found: [String: String] = [:]
        return try open(change, found: &found)
    }

    func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("what is answered as committed is there the next time; closing commits the rest")
    func durable() throws {
        let store = try open()
        for ticket: UInt64 in 1...1_000 {
            store.append(ticket: ticket, key: bytes("k\(ticket % 100)"), value: bytes("v\(ticket)"))
        }
        store.append(ticket: 1_001, key: bytes("k0"), value: nil)
        store.close()
        #expect(answers.committed == 1_001)
        #expect(answers.failed.isEmpty)
        var found: [String: String] = [:]
        try open(found: &found).close()
        #expect(found.count == 99)
        #expect(found["k7"] == "v907")
        #expect(sink.count(.error) == 0)
    }

    @Test("requests that come together share a commit")
    func batching() throws {
        let store = try open { $0.commitFloor = 20_000 }
        defer { store.close() }
        let clock = ContinuousClock()
        let start = clock.now
        for ticket: UInt64 in 1...100 {
            store.append(ticket: ticket, key: bytes("k"), value: bytes("v\(ticket)"))
            usleep(100)
        }
        #expect(eventually { answers.committed == 100 })
        let statistics = store.statistics
        #expect(statistics.appends == 100)
        // One each 20 ms, however long it all took.
        let floors = Int((clock.now - start) / .milliseconds(20))
        #expect(statistics.commits >= 1 && statistics.commits <= floors + 2)
    }

    @Test("look-ups are answered by ticket; a missing account is nil")
    func lookUps() throws {
        let credentials = AccountCredentials(ha1MD5: bytes("m"), ha1SHA256: bytes("s"), digest: nil)
        try AccountDatabase(try scratch.directory())
            .add(Account(address: try AccountAddress("a@x"), credentials: credentials), now: 0)
        let store = try open()
        defer { store.close() }
        store.lookUp(ticket: 5, account: bytes("a@X"))
        store.lookUp(ticket: 6, account: bytes("b@x"))
        #expect(eventually { answers.all.contains(.account(ticket: 6, nil)) })
        #expect(answers.all.contains(.account(ticket: 5, credentials)))
        #expect(store.statistics.lookUps == 2)
    }

    @Test("accounts that another process changes are announced, and at the start as well")
    func changes() throws {
        let store = try open { $0.accountCheck = 5 }
        defer { store.close() }
        #expect(eventually { answers.exceptions == [[]] })
        let credentials = AccountCredentials(ha1MD5: [], ha1SHA256: [], digest: "MD5")
        try AccountDatabase(try scratch.directory())
            .add(Account(address: try AccountAddress("a@x"), credentials: credentials), now: 0)
        let exception = AccountException(account: bytes("a@x"), digest: "MD5")
        #expect(eventually { answers.exceptions.last == [exception] })
    }

    @Test("full logs are merged in the background while appends go on")
    func rotation() throws {
        let store = try open {
            $0.rowsPerLog = 50
            $0.commitFloor = 0
        }
        for ticket: UInt64 in 1...1_000 {
            let value = ticket % 3 == 0 ? nil : bytes("\(ticket)")
            store.append(ticket: ticket, key: bytes("k\(ticket % 70)"), value: value)
            if ticket % 40 == 0 { #expect(eventually { answers.committed == ticket }) }
        }
        #expect(eventually { store.statistics.logsToMerge == 0 })
        store.close()
        #expect(scratch.names.count { $0.hasPrefix("bindings.") && $0.hasSuffix(".db") } == 2)
        var found: [String: String] = [:]
        try open(found: &found).close()
        var expected: [String: String] = [:]
        for ticket in 1...1_000 { expected["k\(ticket % 70)"] = ticket % 3 == 0 ? nil : "\(ticket)" }
        #expect(found == expected)
    }

    @Test("a full disk fails appends, is logged once, and recovers by itself")
    func fullDisk() throws {
        let store = try open {
            $0.maximumPages = 8
            $0.firstPause = 10
            $0.longestPause = 20
        }
        store.append(ticket: 1, key: bytes("a"), value: bytes("1"))
        #expect(eventually { answers.committed == 1 })
        for ticket: UInt64 in 2...6 {
            store.append(ticket: ticket, key: bytes("b"), value: [UInt8](repeating: 1, count: 100_000))
            #expect(eventually { answers.failed.contains(ticket) })
            usleep(8_000)
        }
        #expect(answers.failed == [2, 3, 4, 5, 6])
        #expect(sink.count(.error) == 1)
        #expect(sink.count(.notice) == 0)
        usleep(25_000)
        store.append(ticket: 7, key: bytes("c"), value: bytes("1"))
        #expect(eventually { answers.committed == 7 })
        store.close()
        #expect(sink.count(.notice) == 1)
        var found: [String: String] = [:]
        try open(found: &found).close()
        #expect(found == ["a": "1", "c": "1"])
    }

    @Test("a second store on the same directory is refused, and the first goes on")
    func second() throws {
        let store = try open()
        #expect(kindThrown { _ = try open() } == .locked)
        store.append(ticket: 1, key: bytes("a"), value: bytes("1"))
        store.close()
        #expect(answers.committed == 1)
    }

    @Test("pauses between tries double up to a bound")
    func pauses() {
        var episode = WriteEpisode(first: 100, longest: 300)
        let error = StorageError(.inputOutput, file: "f", detail: "d")
        var begun: [Int64] = []
        var refused: [Int64] = []
        for time: Int64 in stride(from: 0, to: 1_000, by: 50) {
            if kindThrown({ try episode.allowsTry(at: time) }) != nil { refused.append(time) }
            if episode.record(error, at: time) { begun.append(time) }
        }
        #expect(begun == [0])
        let tries: Set<Int64> = [0, 100, 300, 600, 900]
        #expect(refused == stride(from: 0, to: 1_000, by: 50).filter { !tries.contains($0) })
        let ended = [episode.close(), episode.close()]
        #expect(ended == [true, false])
    }
}
