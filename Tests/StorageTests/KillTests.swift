import Glibc
import Observability
import Synchronization
import Testing

@testable import Storage

@Suite("Killed processes")
struct KillTests {
    let scratch = Scratch()

    @Test("what a killed process had acknowledged is there, in the middle of rotations and merges", arguments: 1...4)
    func kill(round: Int) async throws {
        let path = scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
            try appendUntilKilled(path, lifetime: UInt32(round) * 40_000)
        }
        let acknowledged = readFile(scratch.file("acknowledged")).withUnsafeBytes { raw in
            raw.count >= 8 ? raw.loadUnaligned(as: UInt64.self) : 0
        }
        #expect(acknowledged > 0)
        var found: [String: UInt64] = [:]
        let store = try Store(
            try scratch.directory(),
            logger: Logger(subsystem: "storage", sink: RecordingSink()),
            restoring: { found[String(decoding: $0, as: UTF8.self)] = UInt64(String(decoding: $1, as: UTF8.self)) },
            answer: { _ in }
        )
        store.close()
        // The last acknowledged record of each key, or a later one, must be there; a deletion must hold.
        for key in 0..<keys {
            let offset = (acknowledged + keys - key) % keys
            guard acknowledged > offset else { continue }
            let ticket = acknowledged - offset
            let value = found["k\(key)"]
            if value == nil, isDeletion(ticket) || isDeletion(ticket + keys) { continue }
            #expect(value ?? 0 >= ticket, "key \(key)")
        }
    }
}

private let keys: UInt64 = 37

private func isDeletion(_ ticket: UInt64) -> Bool { ticket / keys % 3 == 2 }

private final class Noted: Sendable {
    let highest = Atomic<UInt64>(0)
}

/// Appends without end, notes the last acknowledged ticket, and kills itself so many microseconds after the first was
/// acknowledged.
private func appendUntilKilled(_ path: String, lifetime: UInt32) throws {
    let noted = Noted()
    let note = open("\(path)/acknowledged", O_WRONLY | O_CREAT, 0o600)
    var settings = StoreSettings()
    settings.rowsPerLog = 100
    settings.commitFloor = 0
    let store = try Store(
        try DataDirectory(path: path),
        settings: settings,
        logger: Logger(subsystem: "storage", sink: RecordingSink()),
        restoring: { _, _ in },
        answer: { answers in
            for case .committed(var ticket) in answers {
                pwrite(note, &ticket, 8, 0)
                noted.highest.store(ticket, ordering: .releasing)
            }
        }
    )
    let killer = try NamedThread("killer") {
        while noted.highest.load(ordering: .acquiring) == 0 { usleep(100) }
        usleep(lifetime)
        Glibc.kill(getpid(), SIGKILL)
    }
    var ticket: UInt64 = 0
    while true {
        ticket += 1
        store.append(
            ticket: ticket,
            key: Array("k\(ticket % keys)".utf8),
            value: isDeletion(ticket) ? nil : Array("\(ticket)".utf8)
        )
        // At most one record of a key is not acknowledged.
        while ticket - noted.highest.load(ordering: .acquiring) >= keys - 1 { usleep(100) }
    }
    killer.join()
}
