import PhoneKit
import SIP
import Signaling

/// Connections and what passes over them.
extension World {
    /// How long a connection attempt or unacknowledged data may go without an answer.
    private static let patience: Int64 = 20_000
    /// `TCP_USER_TIMEOUT` of a node.
    private static let nodePatience: Int64 = 25_000
    /// Radio silence after which the next use counts as a wake-up.
    static let radioTail: Int64 = 10_000

    private func delay(_ access: UInt8) -> Int64 { networkRandom.within(Access.all[Int(access)].latency) }

    func isWhole(_ pipe: Int, _ generation: Int32) -> Bool {
        pipes[pipe].state != .free && pipes[pipe].generation == generation
    }

    /// A phone opens a connection.
    func connect(_ handset: Handset, ticket: UInt64) {
        let index = pipes.claim()
        pipes[index].state = .connecting
        pipes[index].handset = Int32(truncatingIfNeeded: handset.index)
        pipes[index].node = Int32(truncatingIfNeeded: handset.node)
        pipes[index].access = handset.access
        pipes[index].ticket = ticket
        pipes[index].phoneHolds = true
        handset.pipes.append(Int32(truncatingIfNeeded: index))
        useRadio(handset, .connect)
        handset.sentAt = time
        let generation = Int(pipes[index].generation)
        let access = Int(handset.access)
        if isCut[access], cutUntil[access] - time > Self.patience / 2 {
            arrange(.connectFails, index, generation, in: Self.patience)
        } else {
            arrange(.connectArrives, index, generation, in: departure(handset.access) - time + delay(handset.access))
        }
    }

    func connectArrives(_ index: Int, _ generation: Int32) {
        guard isWhole(index, generation) else { return }
        let node = nodes[Int(pipes[index].node)]
        let back = delay(pipes[index].access)
        guard node.core != nil, !isCut[Int(pipes[index].access)] else {
            return arrange(.connectFails, index, Int(generation), in: back)
        }
        tally.connections += 1
        pipes[index].state = .open
        pipes[index].epoch = node.epoch
        pipes[index].lastPassed = time
        pipes[index].lastHeard = time
        // Until it has authenticated, a flow may take half a minute.
        pipes[index].silenceLimit = 30_000
        open(node, index)
        pipes[index].isTimed = true
        arrange(.silenceEnds, index, Int(generation), in: 30_000)
        pipes[index].downReady = time + back
        arrange(.connectSucceeds, index, Int(generation), in: back)
        let access = Access.all[Int(pipes[index].access)]
        if scenario.faults > 0, !isQuieting {
            let pause = networkRandom.pause(mean: access.breakHours * 3_600_000 / scenario.faults)
            arrange(.pathFails, index, Int(generation), in: pause)
        }
    }

    func connectFails(_ index: Int, _ generation: Int32) {
        guard isWhole(index, generation) else { return }
        let handset = handsets[Int(pipes[index].handset)]
        let ticket = pipes[index].ticket
        let isHeld = pipes[index].phoneHolds
        letGo(index)
        guard isHeld else { return }
        use(handset) { $0.connectFailed(ConnectTicket(rawValue: ticket), .error, now: now) }
    }

    func connectSucceeds(_ index: Int, _ generation: Int32) {
        guard isWhole(index, generation), pipes[index].phoneHolds else { return }
        let handset = handsets[Int(pipes[index].handset)]
        let ticket = ConnectTicket(rawValue: pipes[index].ticket)
        let info = FlowInfo(
            transport: .tcp,
            local: address(handset, index),
            remote: SocketAddress(ipv4: 0x0a00_0001, port: 5060)
        )
        handset.notes.add(.connected, index, at: time)
        pipes[index].phoneKnows = true
        use(handset) { $0.connected(ticket, phoneFlow(index), info, now: now) }
    }

    /// The phone's identity of a connection.
    func phoneFlow(_ index: Int) -> FlowID { FlowID(slot: index, serial: UInt64(pipes[index].generation) + 1) }

    func pipe(_ flow: FlowID) -> Int? {
        let index = flow.slot
        guard index < pipes.pipes.count, pipes[index].state == .open, flow == phoneFlow(index) else { return nil }
        return index
    }

    /// The address a connection seems to come from: many phones share one, and ports are used again soon.
    func address(_ handset: Handset, _ index: Int) -> SocketAddress {
        SocketAddress(
            ipv4: 0xc633_6400 | UInt32(handset.access) << 4,
            port: UInt16(truncatingIfNeeded: 1024 + index % 60_000)
        )
    }

    /// Whether what is sent now arrives; where it does not, the sender gives up in time.
    private func passes(_ index: Int, fromPhone: Bool) -> Bool {
        let access = Int(pipes[index].access)
        let isForgotten = !isQuieting && time - pipes[index].lastPassed > Access.all[access].idleTimeout
        // What is sent while the way is cut off for long is given up; a short cut only delays it.
        let isTooLate = isCut[access] && cutUntil[access] - time > Self.patience / 2
        if isForgotten || isTooLate, !pipes[index].isDead {
            pipes[index].isDead = true
            tally.deadPaths += 1
        }
        guard pipes[index].isDead else {
            pipes[index].lastPassed = time
            return true
        }
        let generation = Int(pipes[index].generation)
        if fromPhone, !pipes[index].phoneIsGivingUp {
            pipes[index].phoneIsGivingUp = true
            arrange(.phoneGivesUp, index, generation, in: Self.patience)
        } else if !fromPhone, !pipes[index].nodeIsGivingUp {
            pipes[index].nodeIsGivingUp = true
            arrange(.nodeGivesUp, index, generation, in: Self.nodePatience)
        }
        return false
    }

    /// When what is sent now can set out: at once, or when the way is whole again and the sender has tried once more.
    private func departure(_ access: UInt8) -> Int64 {
        isCut[Int(access)] ? max(time, cutUntil[Int(access)]) + networkRandom.within(50...1500) : time
    }

    private func upTime(_ index: Int) -> Int64 {
        let at = max(departure(pipes[index].access) + delay(pipes[index].access), pipes[index].upReady)
        pipes[index].upReady = at
        return at - time
    }

    private func downTime(_ index: Int) -> Int64 {
        let at = max(departure(pipes[index].access) + delay(pipes[index].access), pipes[index].downReady)
        pipes[index].downReady = at
        return at - time
    }

    /// A phone sends.
    func sendUp(_ handset: Handset, _ flow: FlowID, _ bytes: ArraySlice<UInt8>) {
        guard let index = pipe(flow), pipes[index].phoneHolds else { return }
        let isPing = bytes.first == 0x0d
        useRadio(handset, isPing ? .ping : Self.cause(bytes))
        handset.sentAt = time
        trace(handset.index, "sends", bytes)
        guard passes(index, fromPhone: true) else { return }
        if isPing {
            arrange(.pingUp, index, Int(pipes[index].generation), in: upTime(index))
        } else {
            let parcel = parcels.put(Array(bytes), generation: pipes[index].generation)
            arrange(.messageUp, index, parcel, in: upTime(index))
        }
    }

    static func cause(_ bytes: ArraySlice<UInt8>) -> Tally.Cause {
        switch bytes.first {
        case UInt8(ascii: "R"): .register
        case UInt8(ascii: "M"): .message
        default: .call
        }
    }

    func useRadio(_ handset: Handset, _ cause: Tally.Cause) {
        if time - handset.radioAt > Self.radioTail { tally.wakeUps[cause.rawValue] += 1 }
        handset.radioAt = time
    }

    func messageUp(_ index: Int, _ place: Int) {
        let (bytes, generation) = parcels.take(place)
        guard isWhole(index, generation), let flow = pipes[index].nodeFlow else { return }
        tally.messagesUp += 1
        tally.bytes += bytes.count
        pipes[index].lastHeard = time
        let node = nodes[Int(pipes[index].node)]
        use(node) { $0.received(flow, bytes.span, now: now) }
    }

    func pingUp(_ index: Int, _ generation: Int32) {
        guard isWhole(index, generation), pipes[index].nodeFlow != nil else { return }
        tally.pings += 1
        tally.bytes += 4
        pipes[index].lastHeard = time
        guard passes(index, fromPhone: false) else { return }
        arrange(.pongDown, index, Int(generation), in: downTime(index))
    }

    func pongDown(_ index: Int, _ generation: Int32) {
        guard isWhole(index, generation), pipes[index].phoneHolds else { return }
        tally.bytes += 2
        let handset = handsets[Int(pipes[index].handset)]
        useRadio(handset, .ping)
        let flow = phoneFlow(index)
        use(handset) { $0.stirred(flow, now: now) }
    }

    /// A node sends.
    func sendDown(_ index: Int, _ bytes: ArraySlice<UInt8>) {
        guard passes(index, fromPhone: false) else { return }
        let parcel = parcels.put(Array(bytes), generation: pipes[index].generation)
        arrange(.messageDown, index, parcel, in: downTime(index))
    }

    func messageDown(_ index: Int, _ place: Int) {
        let (bytes, generation) = parcels.take(place)
        guard isWhole(index, generation), pipes[index].phoneHolds else { return }
        tally.messagesDown += 1
        tally.bytes += bytes.count
        let handset = handsets[Int(pipes[index].handset)]
        trace(handset.index, "receives", bytes)
        checkDelivery(handset, bytes)
        useRadio(handset, Self.cause(bytes[...]))
        let flow = phoneFlow(index)
        use(handset) { $0.received(flow, bytes.span, now: now) }
    }

    /// A phone closes.
    func closeFromPhone(_ handset: Handset, _ flow: FlowID) {
        guard let index = pipe(flow), pipes[index].phoneHolds else { return }
        dropFromPhone(handset, index, isSaid: true)
    }

    /// The phone's side is gone; `isSaid` where the network still carries the news.
    func dropFromPhone(_ handset: Handset, _ index: Int, isSaid: Bool) {
        pipes[index].phoneHolds = false
        handset.pipes.removeAll { $0 == Int32(truncatingIfNeeded: index) }
        guard pipes[index].nodeFlow != nil else {
            if pipes[index].state == .open { letGo(index) }
            return
        }
        if isSaid, !pipes[index].isDead {
            arrange(.closeUp, index, Int(pipes[index].generation), in: upTime(index))
        } else {
            pipes[index].isDead = true
        }
    }

    func closeUp(_ index: Int, _ generation: Int32) {
        guard isWhole(index, generation), let flow = pipes[index].nodeFlow else { return }
        closeAtNode(index, flow, .peer)
    }

    /// The node hears that a connection is over.
    func closeAtNode(_ index: Int, _ flow: FlowID, _ reason: CloseReason) {
        let node = nodes[Int(pipes[index].node)]
        pipes[index].nodeFlow = nil
        node.release(flow)
        let isHeld = pipes[index].phoneHolds
        if isHeld, !pipes[index].isDead {
            arrange(.closeDown, index, Int(pipes[index].generation), in: downTime(index))
        } else if !isHeld {
            letGo(index)
        }
        use(node) { $0.closed(flow, reason, now: now) }
    }

    func closeDown(_ index: Int, _ generation: Int32) {
        guard isWhole(index, generation), pipes[index].phoneHolds else { return }
        closeAtPhone(index, .peer)
    }

    /// The phone hears that a connection is over.
    func closeAtPhone(_ index: Int, _ reason: CloseReason) {
        let handset = handsets[Int(pipes[index].handset)]
        let flow = phoneFlow(index)
        pipes[index].phoneHolds = false
        handset.pipes.removeAll { $0 == Int32(truncatingIfNeeded: index) }
        handset.notes.add(.closed, index, at: time)
        handset.troubleAt = time
        if pipes[index].nodeFlow == nil { letGo(index) } else { pipes[index].isDead = true }
        use(handset) { $0.closed(flow, reason, now: now) }
    }

    private func letGo(_ index: Int) {
        let handset = handsets[Int(pipes[index].handset)]
        handset.pipes.removeAll { $0 == Int32(truncatingIfNeeded: index) }
        pipes.release(index)
    }

    /// A connection breaks: both sides are told, or none.
    func pathFails(_ index: Int, _ generation: Int32) {
        guard isWhole(index, generation), pipes[index].state == .open, !isQuieting else { return }
        let access = Access.all[Int(pipes[index].access)]
        let handset = handsets[Int(pipes[index].handset)]
        handset.notes.add(.pathDied, index, at: time)
        handset.troubleAt = time
        tally.deadPaths += 1
        if networkRandom.happens(access.silentBreaks) {
            pipes[index].isDead = true
        } else {
            if let flow = pipes[index].nodeFlow { closeAtNode(index, flow, .error) }
            if isWhole(index, generation), pipes[index].phoneHolds { closeAtPhone(index, .error) }
        }
    }

    func silenceEnds(_ index: Int, _ generation: Int32) {
        guard isWhole(index, generation) else { return }
        pipes[index].isTimed = false
        guard let flow = pipes[index].nodeFlow, pipes[index].silenceLimit < .max else { return }
        let end = pipes[index].lastHeard + pipes[index].silenceLimit
        if end > time {
            pipes[index].isTimed = true
            arrange(.silenceEnds, index, Int(generation), in: end - time)
        } else {
            closeAtNode(index, flow, .silence)
        }
    }

    func nodeGivesUp(_ index: Int, _ generation: Int32) {
        guard isWhole(index, generation), let flow = pipes[index].nodeFlow else { return }
        closeAtNode(index, flow, .error)
    }

    func phoneGivesUp(_ index: Int, _ generation: Int32) {
        guard isWhole(index, generation), pipes[index].phoneHolds else { return }
        closeAtPhone(index, .error)
    }

    /// Whether a connection is sound at this moment.
    func isSound(_ index: Int, _ generation: Int32) -> Bool {
        guard isWhole(index, generation), pipes[index].state == .open else { return false }
        let pipe = pipes[index]
        return pipe.phoneHolds && pipe.nodeFlow != nil && !pipe.isDead && !isCut[Int(pipe.access)]
            && time - pipe.lastPassed <= Access.all[Int(pipe.access)].idleTimeout
    }
}
