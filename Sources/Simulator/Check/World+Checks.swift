import PhoneKit
import SIP
import Signaling

/// The rules that hold in every world.
extension World {
    func journal(_ call: CallRecord) -> [String] {
        var lines = [
            "call \(call.number), \(call.callID): phone \(call.caller) to user \(call.callee), wished at "
                + "\(WorldTime(call.wishedAt)), placed at \(call.placedAt.map { WorldTime($0).description } ?? "never"), "
                + "answered at \(call.answeredAt.map { WorldTime($0).description } ?? "never"), over at "
                + "\(call.endedAt.map { WorldTime($0).description } ?? "never")"
        ]
        for ring in call.rings {
            lines.append(
                "phone \(ring.handset) rang at \(WorldTime(ring.at)) until "
                    + "\(ring.endedAt.map { WorldTime($0).description } ?? "now")"
            )
        }
        lines += call.steps.map { "\(WorldTime($0.wall - Self.dawn)) node: \($0.kind)" }
        for index in [call.caller] + devices[call.callee] {
            let handset = handsets[index]
            lines.append("phone \(index), \(handset.kind), \(handset.state), last:")
            lines += handset.notes.lines
        }
        return lines
    }

    /// A phone that could be reached rings within its budget, as long as it still can.
    func mustRing(_ number: Int) {
        tally.checks += 1
        guard let call = calls[number], call.rings.isEmpty, call.endedAt == nil,
            nodes[handsets[call.caller].node].epoch == call.epoch, isConnected(handsets[call.caller]),
            !wasCut(handsets[call.caller])
        else { return }
        let waiting = call.expected.filter { isSound($0.pipe, $0.generation) && handsets[$0.handset].phone != nil }
        guard let first = waiting.first else { return }
        // A proxy tries one flow of a device after the other: it may be busy with one that is dead.
        guard !call.expected.contains(where: { $0.handset == first.handset && !isSound($0.pipe, $0.generation) }),
            handsets[first.handset].pipes.allSatisfy({ isSound(Int($0), pipes[Int($0)].generation) }),
            !wasCut(handsets[first.handset])
        else { return }
        broke(.rings, "phone \(first.handset) did not ring within 3 s, though it could be reached", journal(call))
    }

    /// A phone in use registers within ten seconds, as long as nothing stands in its way.
    func mustBeRegistered(_ handset: Handset, _ epoch: Int32) {
        tally.checks += 1
        guard !isQuieting, let phone = handset.phone, handset.state == .inUse, !phone.isRegistered,
            time - cutUntil[Int(handset.access)] > 25_000,
            nodes[handset.node].core != nil, nodes[handset.node].epoch == epoch, time - handset.troubleAt > 10_000,
            !nodes[handset.node].disk.isFaulty, time - nodes[handset.node].disk.mendedAt > 10_000
        else { return }
        broke(
            .rings,
            "phone \(handset.index) was taken in hand, and is not registered after 10 s: \(phone.state)",
            handset.notes.lines
        )
    }

    /// Whether what was sent to or by a phone a moment ago had to wait for its way to be whole again.
    func wasCut(_ handset: Handset) -> Bool { time - cutUntil[Int(handset.access)] < 6000 }

    /// Nobody rings for a call that is over.
    func mustBeSilent(_ number: Int) {
        tally.checks += 1
        defer { forgetIfDone(number) }
        guard let call = calls[number], call.callerWasConnected, isConnected(handsets[call.caller]),
            nodes[handsets[call.caller].node].epoch == call.epoch, let endedAt = call.endedAt
        else { return }
        for ring in call.rings where ring.endedAt == nil && call.answeredAt == nil {
            let handset = handsets[ring.handset]
            guard handset.phone != nil, isConnected(handset), !wasCut(handset), !wasCut(handsets[call.caller]),
                handset.pipes.allSatisfy({ isSound(Int($0), pipes[Int($0)].generation) }),
                call.expected.contains(where: { $0.handset == ring.handset && isSound($0.pipe, $0.generation) })
            else { continue }
            broke(
                .oneRing,
                "phone \(ring.handset) still rings \(time - endedAt) ms after call \(number) was over",
                journal(call)
            )
        }
    }

    /// A call that rings is not given up as soon as its connection breaks: the server goes on with it for a while.
    func checkPatience(_ caller: Handset, _ call: CallRecord) {
        tally.checks += 1
        let rings = call.rings.contains { $0.endedAt == nil && time - $0.at > 2000 }
        guard rings, caller.phone != nil, nodes[caller.node].core != nil, nodes[caller.node].epoch == call.epoch,
            time - caller.troubleAt < 7000, !wasCut(caller)
        else { return }
        broke(.everythingEnds, "call \(call.number) was dropped as soon as its connection broke", journal(call))
    }

    /// Every call ends, on every device.
    func mustBeOver(_ number: Int) {
        tally.checks += 1
        guard let call = calls[number] else { return }
        if call.endedAt == nil {
            return broke(.everythingEnds, "call \(number) is not over after a quarter of an hour", journal(call))
        }
        for ring in call.rings where ring.endedAt == nil {
            broke(.everythingEnds, "phone \(ring.handset) never heard the end of call \(number)", journal(call))
        }
        forgetIfDone(number)
    }

    /// A message is for the device it comes to, and worth waking it for.
    func checkDelivery(_ handset: Handset, _ bytes: [UInt8]) {
        guard handset.state == .asleep, time - handset.radioAt > Self.radioTail, time - handset.sentAt > 40_000 else {
            return
        }
        tally.checks += 1
        switch bytes.first {
        case UInt8(ascii: "I"), UInt8(ascii: "M"), UInt8(ascii: "B"), UInt8(ascii: "C"), UInt8(ascii: "A"): break
        default:
            // The answer to a call is part of the call, however late it comes.
            let message = Message(bytes)
            if !message.isRequest, message.method == .invite { return }
            let line = ByteString(bytes.prefix { $0 != 0x0d })
            broke(.quiet, "phone \(handset.index) was woken by \(line)", handset.notes.lines)
        }
    }

    /// A flow belongs to the device that is on it.
    func check(_ tag: FlowTag, _ pipe: Int) {
        let handset = handsets[Int(pipes[pipe].handset)]
        if tag.addressOfRecord != handset.identity.address.text || tag.instance != Excerpt(handset.identity.instance) {
            broke(
                .rightDevice,
                "the flow of phone \(handset.index) was given to \(tag.addressOfRecord), \(tag.instance ?? "no instance")",
                handset.notes.lines
            )
        }
    }

    /// A device has one flow for each reg-id: when the next is registered, the one before is closed (RFC 5626 section 4.2).
    func checkSuccession(_ handset: Handset, regID: UInt32) {
        tally.checks += 1
        let node = nodes[handset.node]
        let held = handset.pipes.last { pipes[Int($0)].regID == regID }
        guard let flow = held.flatMap({ pipes[Int($0)].nodeFlow }) else { return }
        let before = node.ways.updateValue(flow, forKey: Node.Way(handset: handset.index, regID: regID))
        guard let before, before != flow, pipe(before, of: node) != nil else { return }
        broke(
            .oneRing,
            "phone \(handset.index) has a second flow for its reg-id \(regID), and the first was left open",
            handset.notes.lines
        )
    }

    /// What was acknowledged is on the disk.
    func checkDurability(_ node: Node) {
        tally.checks += 1
        for handset in handsets where handset.node == node.index && handset.parkedUntil > now.wall {
            if !node.disk.holds(handset.identity.address.text, instance: handset.identity.instance) {
                broke(
                    .durable,
                    "the binding of phone \(handset.index) was acknowledged, and is not on the disk",
                    handset.notes.lines
                )
            }
        }
    }

    /// Lets everything come to its end, and looks whether anything is left.
    func comeToRest() {
        isQuieting = true
        for index in isCut.indices { isCut[index] = false }
        for node in nodes {
            node.disk.isFaulty = false
            if node.core == nil { nodeRestarts(node) }
        }
        for handset in handsets {
            if handset.state == .flat { handset.state = .killed }
            isOpened(handset)
        }
        // The longest that a phone waits before it tries again is half an hour.
        run(until: time + 2_400_000)
        guard violations.isEmpty else { return }
        for call in calls {
            if let call, call.endedAt == nil {
                broke(.everythingEnds, "call \(call.number) never ended", journal(call))
            }
        }
        let busy = handsets.filter { $0.phone.map { $0.unfinished.requests + $0.unfinished.calls > 0 } ?? false }
        for handset in handsets where handset.phone.map({ !$0.isRegistered }) ?? false {
            broke(.everythingEnds, "phone \(handset.index) did not find back to its server", handset.notes.lines)
        }
        // Somebody always renews a registration: only what stays is left over.
        run(until: time + 40_000)
        for handset in busy {
            if let left = handset.phone?.unfinished, left.requests + left.calls > 0 {
                broke(.tidy, "phone \(handset.index) at rest still has \(left)", handset.notes.lines)
            }
        }
        guard violations.isEmpty else { return }
        // All at once would be more than a node lets wait.
        let rest = time
        for (place, handset) in handsets.enumerated() {
            run(until: rest + Int64(place / 4))
            use(handset) { $0.stop(now: now) }
        }
        run(until: time + 600_000)
        for node in nodes {
            guard violations.isEmpty, let counts = node.core?.counts else { continue }
            if counts.flows + counts.bindings + counts.serverTransactions + counts.clientTransactions + counts.waiting
                > 0
            {
                broke(.tidy, "node \(node.index) with no phones left still has \(counts)", [])
            }
        }
        if violations.isEmpty, pipes.count > 0 {
            broke(.tidy, "\(pipes.count) connections are left when all phones have gone", [])
        }
    }
}
