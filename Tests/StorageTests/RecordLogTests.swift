import Testing

@testable import Storage

@Suite("Record log")
struct RecordLogTests {
    let scratch = Scratch()
    let stop = StopFlag()

    typealias Contents = [String: String]

    func open(_ scratch: Scratch, rows: Int = 200_000, pages: Int? = nil) throws -> (log: RecordLog, found: Contents) {
        var found: Contents = [:]
        let settings = RecordLog.Settings(rowsPerLog: rows, maximumPages: pages)
        let log = try RecordLog(try scratch.directory(), settings: settings) { key, value in
            let key = String(decoding: key, as: UTF8.self)
            #expect(found[key] == nil, "handed out twice")
            found[key] = String(decoding: value, as: UTF8.self)
        }
        return (log, found)
    }

    func contents(_ scratch: Scratch) throws -> Contents { try open(scratch).found }

    func record(_ key: String, _ value: String?) -> Record {
        Record(key: Array(key.utf8), value: value.map { Array($0.utf8) })
    }

    @Test("the last value of each key survives, deleted keys are gone, an empty value is a value")
    func reopen() throws {
        do {
            let (log, found) = try open(scratch)
            #expect(found.isEmpty)
            try log.append([record("a", "1"), record("b", "2"), record("c", "3")])
            try log.append([record("b", nil), record("a", "4"), record("d", ""), record("c", nil), record("c", "5")])
        }
        #expect(try contents(scratch) == ["a": "4", "c": "5", "d": ""])
        #expect(try contents(scratch) == ["a": "4", "c": "5", "d": ""])
    }

    @Test("what was acknowledged is in a copy of the files taken at any commit")
    func copies() throws {
        let (log, _) = try open(scratch, rows: 40)
        var expected: Contents = [:]
        for index in 0..<150 {
            let key = "k\(index * 7 % 31)"
            let value = index % 5 == 0 ? nil : "v\(index)"
            try log.append([record(key, value)])
            expected[key] = value
            if log.isFull {
                try log.rotate()
                if index % 2 == 0 {
                    for number in log.takeClosedLogs() { try RecordLog.merge(log.files, log: number, stop: stop) }
                }
            }
            if index % 7 == 0 {
                let copy = Scratch()
                scratch.copy(to: copy)
                #expect(try contents(copy) == expected, "after \(index)")
            }
        }
    }

    @Test("a log cut off at any byte gives what was committed before the cut, in order")
    func cut() throws {
        let (log, _) = try open(scratch)
        for index in 0..<20 { try log.append([record("k", "\(index)")]) }
        let wal = readFile(scratch.file("bindings.1.db-wal"))
        #expect(wal.count > 20 * 4_096)
        var last = -1
        for length in stride(from: 0, through: wal.count, by: 1_999) {
            let copy = Scratch()
            scratch.copy(to: copy)
            writeFile(copy.file("bindings.1.db-wal"), Array(wal[..<length]))
            let found = try contents(copy)["k"].flatMap { Int($0) } ?? -1
            #expect(found >= last)
            last = found
        }
        #expect(last >= 18)
    }

    @Test("merging keeps all, deletes the log, and happens once")
    func merge() throws {
        do {
            let (log, _) = try open(scratch)
            try log.append([record("a", "1"), record("b", "1"), record("gone", "1")])
            try log.rotate()
            try log.append([record("b", "2"), record("gone", nil), record("never", nil)])
            try log.rotate()
            try log.append([record("a", "3")])
            #expect(log.takeClosedLogs() == [1, 2])
            #expect(log.takeClosedLogs() == [])
            for number: UInt64 in [1, 2] { try RecordLog.merge(log.files, log: number, stop: stop) }
            #expect(try log.files.logNumbers() == [3])
            #expect(try Snapshot(log.files).mergedNumber() == 2)
        }
        let (log, found) = try open(scratch)
        #expect(found == ["a": "3", "b": "2"])
        #expect(log.currentNumber == 3)
    }

    @Test("a log that was merged but not deleted brings no deleted key back")
    func mergedNotDeleted() throws {
        let early = Scratch()
        do {
            let (log, _) = try open(scratch)
            try log.append([record("a", "old"), record("b", "old")])
            try log.rotate()
            try log.append([record("a", nil), record("b", "new")])
            try log.rotate()
            scratch.copy(to: early)
            for number: UInt64 in [1, 2] { try RecordLog.merge(log.files, log: number, stop: stop) }
            // As if the process had ended between the merge and the deletion.
            writeFile(scratch.file("bindings.1.db"), readFile(early.file("bindings.1.db")))
            try RecordLog.merge(log.files, log: 1, stop: stop)
            writeFile(scratch.file("bindings.1.db"), readFile(early.file("bindings.1.db")))
            writeFile(scratch.file("bindings.2.db-wal"), [1, 2, 3])
        }
        #expect(try contents(scratch) == ["b": "new"])
        #expect(scratch.names.allSatisfy { !$0.hasPrefix("bindings.1.") && !$0.hasPrefix("bindings.2.") })
        #expect(try contents(early) == ["b": "new"])
    }

    @Test("a merge that is broken off changes nothing and can be done again")
    func brokenOff() throws {
        let (log, _) = try open(scratch)
        for start in stride(from: 0, to: 20_000, by: 5_000) {
            try log.append((start..<start + 5_000).map { record("k\($0)", "v") })
        }
        try log.rotate()
        stop.raise()
        #expect(throws: StorageError.self) { try RecordLog.merge(log.files, log: 1, stop: stop) }
        #expect(try Snapshot(log.files).mergedNumber() == 0)
        try RecordLog.merge(log.files, log: 1, stop: StopFlag())
        #expect(try log.files.logNumbers() == [2])
    }

    @Test("a log whose making was cut off is empty, not damaged")
    func cutOffMaking() throws {
        do {
            let (log, _) = try open(scratch)
            try log.append([record("a", "1")])
        }
        writeFile(scratch.file("bindings.2.db"), [])
        let (log, found) = try open(scratch)
        #expect(found == ["a": "1"])
        #expect(log.currentNumber == 2)
        #expect(log.takeClosedLogs() == [1])
    }

    @Test("closed logs of the last run are merged in this one")
    func closedLogs() throws {
        do {
            let (log, _) = try open(scratch)
            try log.append([record("a", "1")])
            try log.rotate()
            try log.append([record("b", "1")])
        }
        let (log, _) = try open(scratch)
        #expect(log.takeClosedLogs() == [1])
        #expect(log.currentNumber == 2)
    }

    @Test("a second server is kept out of the directory")
    func second() throws {
        let (log, _) = try open(scratch)
        let error = #expect(throws: StorageError.self) { _ = try open(scratch) }
        #expect(error?.kind == .locked)
        withExtendedLifetime(log) {}
    }

    @Test("a full log says so, keeps what it had, and takes more when there is room")
    func full() throws {
        do {
            let (log, _) = try open(scratch, pages: 8)
            try log.append([record("a", "1")])
            let large = String(repeating: "x", count: 50_000)
            #expect(kindThrown { try log.append([record("b", "1"), record("c", large)]) } == .diskFull)
            try log.recover()
            #expect(log.currentNumber == 1)
            try log.append([record("d", "1")])
        }
        #expect(try contents(scratch) == ["a": "1", "d": "1"])
    }

    @Test("after an error of the device a new log is begun, and the old one is kept when there is something in it")
    func suspicion() throws {
        do {
            let (log, _) = try open(scratch)
            log.isSuspect = true
            try log.recover()
            #expect(try log.files.logNumbers() == [2])
            try log.append([record("a", "1")])
            log.isSuspect = true
            try log.recover()
            try log.append([record("b", "1")])
            #expect(try log.files.logNumbers() == [2, 3])
            #expect(log.takeClosedLogs() == [2])
        }
        #expect(try contents(scratch) == ["a": "1", "b": "1"])
    }
}
