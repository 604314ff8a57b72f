import Glibc
import Locking
import Testing

@testable import Observability

@Suite("Log lines")
struct LogWriterTests {
    func line(_ message: String, _ fields: [LogField] = [], as format: LogFormat) -> String {
        var out: [UInt8] = []
        LogLine(wall: 1_795_230_960_123, level: .info, subsystem: "flows", message: message, fields: fields)
            .append(as: format, to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    @Test("logfmt quotes what needs it, and nothing breaks out of a value or a line")
    func logfmt() {
        let start = "at=2026-11-21T03:16:00.123Z level=info subsystem=flows msg=\"flow opened\""
        let values: [(String, String)] = [
            ("7.1", "7.1"),
            ("tcp:[::1]:5060", "tcp:[::1]:5060"),
            ("", "\"\""),
            ("a b", "\"a b\""),
            ("a=b", "\"a=b\""),
            ("say \"hi\"", "\"say \\\"hi\\\"\""),
            ("back\\slash", "\"back\\\\slash\""),
            ("two\r\nlines\t", "\"two\\r\\nlines\\t\""),
            ("\u{1b}[31m\u{7f}\u{0}", "\"\\u001b[31m\\u007f\\u0000\""),
            ("\u{9b}31m", "\"\\u009b31m\""),
            ("Zoë ☎", "\"Zoë ☎\""),
            (String(decoding: [0x61, 0xff, 0x62] as [UInt8], as: UTF8.self), "\"a\u{fffd}b\""),
        ]
        for (value, expected) in values {
            #expect(line("flow opened", [LogField("flow.id", value)], as: .logfmt) == "\(start) flow.id=\(expected)\n")
        }
        #expect(line("x", [LogField("a b\n", 1)], as: .logfmt).hasSuffix(" a_b_=1\n"))
    }

    @Test("json is one object a line")
    func json() {
        let text = line("a \"b\"\n", [LogField("sip.call-id", "\u{1}\\"), LogField("n", 5)], as: .json)
        let start = #"{"at":"2026-11-21T03:16:00.123Z","level":"info","subsystem":"flows","#
        #expect(text == start + #""msg":"a \"b\"\n","sip.call-id":"\u0001\\","n":"5"}"# + "\n")
    }

    @Test("what is put together as bytes looks the same", arguments: [LogFormat.logfmt, .json])
    func text(format: LogFormat) {
        let values: [[UInt8]] = [
            [], Array("7.1".utf8), Array("a b".utf8), Array("say \"hi\" = back\\slash".utf8),
            Array("\r\n\t\u{1b}\u{9b}".utf8),
            Array("Zoë ☎".utf8), [0x61, 0xff, 0x62], [0x00, 0x7f],
        ]
        for value in values {
            var text = LogText(format: format)
            text.begin(wall: 1_795_230_960_123, level: .info, subsystem: "flows", message: "flow opened")
            text.add("sip.aor", [0x20] + value + [0x20], 1..<(value.count + 1))
            text.add("n", Int64(-5))
            text.add("why", "no flow to the device")
            text.add("kind", "parked")
            text.end()
            let fields = [
                LogField("sip.aor", String(decoding: value, as: UTF8.self)), LogField("n", -5),
                LogField("why", "no flow to the device"), LogField("kind", "parked"),
            ]
            #expect(String(decoding: text.bytes, as: UTF8.self) == line("flow opened", fields, as: format))
        }
    }

    @Test("lines reach the descriptor in order, and closing writes the last of them")
    func order() throws {
        let scratch = Scratch()
        let descriptor = scratch.create("log")
        defer { close(descriptor) }
        let thread = try WriterThread(interval: 1)
        let settings = LogSettings(level: .warning, subsystems: ["flows": .debug])
        let factory = LoggerFactory(settings: settings, sink: LogWriter(on: thread, descriptor: descriptor))
        for index in 0..<1_000 { factory.logger("flows").debug("line", [LogField("n", index)]) }
        factory.logger("other").info("not this")
        factory.logger("other").warning("but this")
        var text = factory.logger("flows").emptyText
        for _ in 0..<2 {
            text.begin(wall: 0, level: .info, subsystem: "flows", message: "and this")
            text.end()
        }
        factory.logger("flows").write(text)
        thread.close()
        let lines = scratch.text("log").split(separator: "\n")
        #expect(lines.count == 1_003)
        #expect(lines[999].hasSuffix("level=debug subsystem=flows msg=\"line\" n=999"))
        #expect(lines[1_000].hasSuffix("level=warning subsystem=other msg=\"but this\""))
        #expect(lines[1_002].hasSuffix("level=info subsystem=flows msg=\"and this\""))
    }

    @Test("a full queue drops lines, and a later line says how many")
    func drops() throws {
        let scratch = Scratch()
        let descriptor = scratch.create("log")
        defer { close(descriptor) }
        let thread = try WriterThread(interval: 1)
        let writer = LogWriter(on: thread, descriptor: descriptor, capacity: 10)
        // The writer is kept busy by a drain of our own, so that lines pile up.
        let gate = Gate()
        thread.add(gate)
        thread.bell.ring()
        gate.waitUntilEntered()
        let logger = Logger(subsystem: "x", sink: writer)
        for index in 0..<25 { logger.info("line", [LogField("n", index)]) }
        gate.open()
        thread.close()
        let lines = scratch.text("log").split(separator: "\n")
        #expect(lines.count == 11)
        #expect(lines.last?.hasSuffix("count=15") == true)
    }

    @Test("a reader that has gone does not end the process or hang it")
    func brokenPipe() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        let thread = try WriterThread(interval: 1)
        Logger(subsystem: "x", sink: LogWriter(on: thread, descriptor: ends[1])).info("nobody listens")
        thread.close()
    }

    @Test("levels have names, and names levels")
    func levels() {
        for level in LogLevel.allCases { #expect(LogLevel(name: level.name) == level) }
        #expect(LogLevel(name: "loud") == nil)
    }
}

/// A drain that blocks until it is opened.
private final class Gate: Drain {
    private let entered = Mutex(false)
    private let opened = Mutex(false)

    func drain() {
        entered.withLock { $0 = true }
        while !opened.withLock({ $0 }) { usleep(500) }
    }

    func waitUntilEntered() {
        while !entered.withLock({ $0 }) { usleep(500) }
    }

    func open() { opened.withLock { $0 = true } }
}
