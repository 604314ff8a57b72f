import SIP
import Signaling
import WakelineServer

/// Everything that is measured.
enum Suite {
    static func benchmarks() throws -> [Benchmark] {
        [parse(), edit(), frame(), timers(), try digest(), try message(), try call(), try register()]
    }

    private static func parse() -> Benchmark {
        Benchmark(name: "parse: INVITE, 20 header fields", rounds: 20_000) { rounds in
            let invite = Samples.invite
            var message = Message()
            var sum = 0
            for _ in 0..<rounds {
                message.parse(invite.span)
                sum += message.fields.count
            }
            return sum
        }
    }

    private static func edit() -> Benchmark {
        Benchmark(name: "edit: push Via and Record-Route, pop Route, new target", rounds: 20_000) { rounds in
            let message = Message(Samples.invite)
            var edits = MessageEdits()
            var out: [UInt8] = []
            var sum = 0
            for _ in 0..<rounds {
                edits.removeAll()
                out.removeAll(keepingCapacity: true)
                edits.insert(at: message.headerStart) {
                    $0.append(text: "Via: SIP/2.0/TCP 127.0.0.1;branch=z9hG4bKx\r\n")
                }
                edits.insert(at: message.headerStart) { $0.append(text: "Record-Route: <sip:token@127.0.0.1;lr>\r\n") }
                if let route = message.first(.route) { edits.removeFirstValue(route, of: message) }
                edits.replace(message.requestURI) { $0.append(text: "sip:bob@192.0.2.2:5060") }
                edits.apply(to: message, &out)
                sum += out.count
            }
            return sum
        }
    }

    private static func frame() -> Benchmark {
        Benchmark(name: "frame: INVITE", rounds: 20_000) { rounds in
            let invite = Samples.invite
            let limits = Limits()
            var sum = 0
            for _ in 0..<rounds {
                var framer = StreamFramer()
                sum += framer.next(invite.span, limits: limits).consumed
            }
            return sum
        }
    }

    private static func timers() -> Benchmark {
        Benchmark(name: "timer wheel: arm, re-arm, expire", rounds: 100_000) { rounds in
            var wheel = TimerWheel<UInt64>(now: Instant(milliseconds: 0))
            var sum = 0
            for round in 0..<rounds {
                let id = wheel.arm(at: Instant(milliseconds: Int64(round % 1000 + 32_000)), UInt64(round))
                wheel.rearm(id, at: Instant(milliseconds: Int64(round % 4000 + 500)))
            }
            while wheel.expire(at: Instant(milliseconds: 40_000)) != nil { sum += 1 }
            return sum
        }
    }

    private static func digest() throws -> Benchmark {
        var digest = DigestResponse(try .openSSL())
        let ha1 = Array(repeating: UInt8(ascii: "0"), count: 32)
        return Benchmark(name: "digest: one response with MD5", rounds: 5_000) { rounds in
            var sum = 0
            for round in 0..<rounds {
                let response = digest.response(
                    .md5,
                    ha1: ha1,
                    nonce: [UInt8(truncatingIfNeeded: round)],
                    quality: nil,
                    method: [82],
                    uri: [115]
                )
                sum += Int(response[0])
            }
            return sum
        }
    }

    /// A MESSAGE from phone to phone, and its 200 back.
    private static func message() throws -> Benchmark {
        let node = try Node()
        let text = Dialogues.message
        return Benchmark(name: "core: MESSAGE and 200, forwarded", rounds: 2_000) { rounds in
            var sum = 0
            for _ in 0..<rounds {
                sum += Dialogues.exchange(node, text)
            }
            return sum
        } allocations: {
            node.allocations
        }
    }

    /// A whole call: INVITE, 180, 200, ACK, BYE, 200.
    private static func call() throws -> Benchmark {
        let node = try Node()
        return Benchmark(name: "core: a call of 6 messages, forwarded", rounds: 1_000) { rounds in
            var sum = 0
            for round in 0..<rounds {
                sum += Dialogues.call(node)
                if round % 250 == 249 { node.pass(.seconds(33)) }
            }
            return sum
        } allocations: {
            node.allocations
        }
    }

    /// A challenged REGISTER: two requests, a 401 and a 200.
    private static func register() throws -> Benchmark {
        let node = try Node()
        return Benchmark(name: "core: REGISTER, 401, REGISTER, 200 (with the phone's side)", rounds: 1_000) { rounds in
            var sum = 0
            for _ in 0..<rounds {
                sum += node.register("alice", on: node.alice)
                guard Message(node.last).status == 200 else { fatalError("not registered") }
            }
            return sum
        } allocations: {
            node.allocations
        }
    }
}
