import CAllocations
import SIP
import Signaling
import WakelineServer

/// A core with two registered phones, whose outbox is emptied as the carrier does it.
final class Node {
    let core: Core
    let alice = FlowID(slot: 1, serial: 1)
    let bob = FlowID(slot: 2, serial: 2)
    private(set) var now = Now(monotonic: Instant(milliseconds: 1_000_000), wall: 1_800_000_000_000)
    private var serial = 0
    private var digest: DigestResponse
    private let account: Account?
    private let ha1 = Array(repeating: UInt8(ascii: "0"), count: 32)
    /// What was sent last.
    private(set) var last: [UInt8] = []
    private var errands: [Errand] = []
    /// Allocations within the core.
    private(set) var allocations: UInt64 = 0

    init() throws {
        var settings = Settings()
        settings.domains = ["example.test"]
        settings.algorithms = [.md5]
        // The clock stands still here.
        settings.requestsPerFlow = .none
        settings.requestsPerAccount = .none
        let hashes = try Hashes.openSSL()
        var state: UInt64 = 1
        core = Core(
            settings: settings,
            hashes: hashes,
            random: RandomSource { words in
                for index in words.indices {
                    state = state &* 6_364_136_223_846_793_005 &+ 1
                    words[index] = state
                }
            },
            secret: [UInt8](repeating: 1, count: 32),
            now: now
        )
        digest = DigestResponse(hashes)
        account = Account(ha1MD5: ha1, ha1SHA256: ha1 + ha1)
        for (flow, user) in [(alice, "alice"), (bob, "bob")] {
            let info = FlowInfo(
                transport: .tcp,
                local: SocketAddress(ipv4: 0x7f00_0001, port: 5060),
                remote: SocketAddress(ipv4: 0xc000_0201, port: 40_000)
            )
            core.opened(flow, info, now: now)
            register(user, on: flow)
        }
    }

    /// Registers with a fresh challenge.
    @discardableResult
    func register(_ user: String, on flow: FlowID) -> Int {
        send(flow, registration(user, nonce: nil))
        let nonce = Self.nonce(in: last)
        return send(flow, registration(user, nonce: nonce))
    }

    private func registration(_ user: String, nonce: String?) -> [UInt8] {
        serial += 1
        var text = """
            REGISTER sip:example.test SIP/2.0
            Via: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bKr\(serial);rport
            Max-Forwards: 70
            From: <sip:\(user)@example.test>;tag=1
            To: <sip:\(user)@example.test>
            Call-ID: r-\(user)
            CSeq: \(serial) REGISTER
            Contact: <sip:\(user)@192.0.2.1:5060;transport=tcp>;reg-id=1;+sip.instance="<urn:uuid:\(user)>"
            Supported: path, outbound
            Expires: 3600

            """
        if let nonce {
            let response = digest.response(
                .md5,
                ha1: ha1,
                nonce: Array(nonce.utf8),
                quality: (count: Array("00000001".utf8), clientNonce: Array("c".utf8), qop: Array("auth".utf8)),
                method: Array("REGISTER".utf8),
                uri: Array("sip:example.test".utf8)
            )
            text += "Authorization: Digest username=\"\(user)\",realm=\"example.test\",nonce=\"\(nonce)\","
            text += "uri=\"sip:example.test\",response=\"\(String(decoding: response, as: UTF8.self))\","
            text += "algorithm=MD5,cnonce=\"c\",qop=auth,nc=00000001\n"
        }
        return Samples.lines(text + "Content-Length: 0\n\n")
    }

    private static func nonce(in message: [UInt8]) -> String {
        let text = String(decoding: message, as: UTF8.self)
        guard let range = text.firstRange(of: "nonce=\"") else { return "" }
        return String(text[range.upperBound...].prefix { $0 != "\"" })
    }

    /// Feeds one message and empties the outbox.
    @discardableResult
    func send(_ flow: FlowID, _ bytes: [UInt8]) -> Int {
        let before = wl_allocations()
        core.received(flow, bytes.span, now: now)
        allocations += wl_allocations() - before
        return drain()
    }

    private func drain() -> Int {
        var count = 0
        repeat {
            for index in core.outbox.entries.indices {
                guard case .send(_, let range) = core.outbox.entries[index] else { continue }
                count += range.count
                last = Array(core.outbox.arena[range])
            }
            core.outbox.removeAll()
            core.takeErrands(into: &errands)
            for errand in errands {
                switch errand {
                case .persist(let ticket, _, _): core.persisted(ticket, now: now)
                case .lookUp(let ticket, let address): core.account(ticket, address, account, now: now)
                case .record, .registration, .foreignDomain: count += 1
                }
            }
        } while !core.outbox.isEmpty
        return count
    }

    func pass(_ interval: Interval) {
        now.monotonic = now.monotonic + interval
        now.wall += interval.milliseconds
        core.advance(to: now)
        _ = drain()
    }
}
