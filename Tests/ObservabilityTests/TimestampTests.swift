import Testing

@testable import Observability

@Suite("Timestamps")
struct TimestampTests {
    static let known: [(Int64, String)] = [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (951_868_799_999, "2000-02-29T23:59:59.999Z"),
        (1_000_000_000_000, "2001-09-09T01:46:40.000Z"),
        (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
        (1_795_230_960_123, "2026-11-21T03:16:00.123Z"),
        (2_147_483_647_000, "2038-01-19T03:14:07.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
    ]

    @Test("known dates are written and read", arguments: known)
    func dates(wall: Int64, text: String) {
        #expect(Timestamp.text(wall) == text)
        #expect(Timestamp.parse(Array(text.utf8)) == wall)
    }

    @Test("every day of 1200 years comes back")
    func roundTrip() {
        for day: Int64 in stride(from: -200_000, through: 240_000, by: 1) {
            let date = Timestamp.civil(fromDays: day)
            guard Timestamp.days(year: date.year, month: date.month, day: date.day) == day else {
                Issue.record("day \(day)")
                return
            }
        }
    }

    @Test("what four digits can't say is cut", arguments: [Int64.max, Int64.min])
    func extremes(wall: Int64) {
        #expect(Timestamp.text(wall).utf8.count == Timestamp.length)
    }

    @Test(
        "anything else is no timestamp",
        arguments: ["", "2026-11-21", "2026-13-21T03:16:00.123Z", "2026-11-21 03:16:00.123Z"]
    )
    func refused(text: String) {
        #expect(Timestamp.parse(Array(text.utf8)) == nil)
    }

    @Test("written one behind the other are the same as each by itself")
    func writer() {
        var writer = TimestampWriter()
        let end: Int64 = 253_402_300_799_999
        let times: [Int64] = [
            -1, 0, 7, 500, -500, 999, 1000, 1_795_230_960_123, 1_795_230_960_999, 1_795_230_960_001, 1_795_230_961_000,
            end - 1, end, end + 1, end - 998, .max, .min, 42,
        ]
        for time in times {
            var one: [UInt8] = []
            var other: [UInt8] = []
            writer.append(time, to: &one)
            Timestamp.append(time, to: &other)
            #expect(one == other, "\(time)")
        }
    }
}
