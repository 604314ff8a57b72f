import Glibc
import Locking
import Testing

@testable import Observability

private final class CountingSink: LogSink {
    let lines = Mutex<[LogLine]>([])

    func take(_ line: LogLine) { lines.withLock { $0.append(line) } }
}

@Suite("Call journal")
struct JournalTests {
    let scratch = Scratch()
    private let sink = CountingSink()
    let start: Int64 = 1_795_230_960_123

    func line(_ callID: String, at offset: Int64 = 0, branch: Int = 0) -> [UInt8] {
        var out: [UInt8] = []
        var times = TimestampWriter()
        JournalLine.begin(wall: start + offset, &times, callID: Array(callID.utf8).span, step: "fork", to: &out)
        JournalLine.add("branch", branch, to: &out)
        JournalLine.end(&out)
        return out
    }

    func journal(bound: Int = 1 << 20, capacity: Int = 1 << 20) throws -> (WriterThread, JournalFile) {
        let thread = try WriterThread(interval: 1)
        let logger = Logger(subsystem: "journal", sink: sink)
        return (
            thread,
            JournalFile(on: thread, directory: scratch.path, bound: bound, capacity: capacity, logger: logger)
        )
    }

    @Test("a line is logfmt, whatever is in its values")
    func format() {
        var out: [UInt8] = []
        var times = TimestampWriter()
        let callID: [UInt8] = Array("a\"b".utf8) + [0xff, 0x0a]
        JournalLine.begin(wall: start, &times, callID: callID.span, step: "push", to: &out)
        JournalLine.add("kind", "voip" as StaticString, to: &out)
        JournalLine.add("status", Int64.min, to: &out)
        JournalLine.add("zero", 0, to: &out)
        JournalLine.add("reason", Array("gone \u{1b}".utf8), to: &out)
        JournalLine.end(&out)
        let expected =
            #"at=2026-11-21T03:16:00.123Z call-id="a\"b\xff\n" step=push kind=voip status=-9223372036854775808 zero=0"#
            + #" reason="gone \x1b""# + "\n"
        #expect(String(decoding: out, as: UTF8.self) == expected)
    }

    @Test("the steps of one call are found in both files, in order, with the time between them")
    func reading() throws {
        let (thread, journal) = try journal(bound: 1_500)
        for index in 0..<24 {
            journal.append(line(index % 3 == 0 ? "call@a" : "call@ab", at: Int64(index) * 1_500, branch: index))
        }
        thread.close()
        #expect(scratch.names == ["journal.log", "journal.log.1"])
        let found = try JournalReader(directory: scratch.path).entries(callID: "call@a")
        #expect(found.map(\.text) == stride(from: 0, to: 24, by: 3).map { "step=fork branch=\($0)" })
        let timeline = JournalReader.timeline(of: found)
        #expect(timeline[0] == "   +0.000 s  step=fork branch=0")
        #expect(timeline[7] == "  +31.500 s  step=fork branch=21")
        #expect(try JournalReader(directory: scratch.path).entries(callID: "call@").isEmpty)
        #expect(try JournalReader(directory: scratch.path).entries(callID: "").isEmpty)
    }

    @Test("neither file grows over the bound, and lines are never cut")
    func bounded() throws {
        let (thread, journal) = try journal(bound: 1_000)
        for index in 0..<50 {
            var batch: [UInt8] = []
            for part in 0..<7 { batch += line("call@\(index)", branch: part) }
            journal.append(batch)
        }
        thread.close()
        for name in scratch.names {
            let text = scratch.text(name)
            #expect(1...1_000 ~= text.utf8.count)
            #expect(text.split(separator: "\n").allSatisfy { $0.hasPrefix("at=") && $0.contains(" branch=") })
        }
        #expect(scratch.text("journal.log").hasSuffix(String(decoding: line("call@49", branch: 6), as: UTF8.self)))
    }

    @Test("a line longer than the bound gets a file of its own")
    func longLine() throws {
        let (thread, journal) = try journal(bound: 50)
        journal.append(line("call@a") + line("call@b"))
        thread.close()
        #expect(scratch.text("journal.log") == String(decoding: line("call@b"), as: UTF8.self))
        #expect(scratch.text("journal.log.1") == String(decoding: line("call@a"), as: UTF8.self))
    }

    @Test("the journal goes on after a line that was cut off")
    func cutOff() throws {
        let descriptor = scratch.create("journal.log")
        _ = writeAll(line("call@a")[...] + Array("at=2026-11-21T03:1".utf8), to: descriptor)
        close(descriptor)
        let (thread, journal) = try journal()
        journal.append(line("call@a", branch: 1))
        thread.close()
        let found = try JournalReader(directory: scratch.path).entries(callID: "call@a")
        #expect(found.map(\.text) == ["step=fork branch=0", "step=fork branch=1"])
    }

    @Test("a journal that can't be written is reported once, and what is too much is counted")
    func failing() throws {
        #expect(mkdir(scratch.file("journal.log"), 0o700) == 0)
        defer { rmdir(scratch.file("journal.log")) }
        let (thread, journal) = try journal(capacity: 200)
        for _ in 0..<3 {
            journal.append(line("call@a"))
            usleep(10_000)
        }
        journal.append([UInt8](repeating: 10, count: 1_000))
        thread.bell.ring()
        thread.close()
        #expect(sink.lines.withLock { $0.count { $0.level == .error } } == 1)
        #expect(sink.lines.withLock { $0.count { $0.level == .warning } } == 1)
        #expect(throws: SystemError.self) { try JournalReader(directory: "/nowhere").entries(callID: "x") }
    }
}
