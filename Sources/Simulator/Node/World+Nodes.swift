import SIP
import Signaling

/// Nodes: what a carrier, a disk and an operator do around the real core.
extension World {
    static let domain: ByteString = "example.test"

    /// Starts a node on what its disk holds.
    func begin(_ node: Node) {
        var settings = Settings()
        settings.domains = [Self.domain]
        settings.flowTimer = .seconds(Int64(scenario.flowTimer))
        node.epoch += 1
        let core = Core(
            settings: settings,
            hashes: hashes,
            random: nodeRandom,
            secret: [UInt8](repeating: UInt8(truncatingIfNeeded: node.index &+ 1), count: 32),
            now: now
        )
        for key in node.disk.order {
            guard let value = node.disk.committed[key], !value.isEmpty else { continue }
            if !core.restore(key, value, now: now) {
                broke(.durable, "node \(node.index) could not read what it stored for \(key)", [])
            }
        }
        node.core = core
    }

    /// Hands an event to a node's core, and carries out what it wants.
    func use(_ node: Node, _ body: (Core) -> Void) {
        guard let core = node.core else { return }
        body(core)
        serve(node, core)
    }

    private func serve(_ node: Node, _ core: Core) {
        while true {
            core.takeErrands(into: &node.errands)
            let outbox = core.outbox
            if outbox.isEmpty, node.errands.isEmpty { break }
            let entries = outbox.entries
            var closing: [(FlowID, CloseReason)] = []
            for entry in entries {
                switch entry {
                case .send(let flow, let range):
                    if let pipe = pipe(flow, of: node) { sendDown(pipe, outbox.arena[range]) }
                case .tag(let flow, let tag): if let pipe = pipe(flow, of: node) { check(tag, pipe) }
                case .keepAlive(let flow, let interval):
                    guard let pipe = pipe(flow, of: node) else { continue }
                    pipes[pipe].silenceLimit = interval?.milliseconds ?? .max
                    if let interval { arrangeSilence(pipe, interval) }
                case .close(let flow, let reason): closing.append((flow, reason))
                case .connect, .watch: break
                }
            }
            outbox.removeAll()
            for errand in node.errands { run(errand, node) }
            for (flow, reason) in closing { if let pipe = pipe(flow, of: node) { closeAtNode(pipe, flow, reason) } }
            guard node.core === core else { return }
        }
        guard let deadline = core.nextDeadline, deadline.milliseconds < node.timerAt else { return }
        node.timerAt = max(deadline.milliseconds, time)
        queue.arrange(Event(.nodeTimer, node.index), at: node.timerAt)
    }

    private func arrangeSilence(_ pipe: Int, _ interval: Interval) {
        guard !pipes[pipe].isTimed else { return }
        pipes[pipe].isTimed = true
        arrange(.silenceEnds, pipe, Int(pipes[pipe].generation), in: interval.milliseconds)
    }

    /// The pipe of a node's flow; nil where it is closed.
    func pipe(_ flow: FlowID, of node: Node) -> Int? {
        guard flow.slot < node.slots.count, node.slots[flow.slot] >= 0 else { return nil }
        let index = Int(node.slots[flow.slot])
        return pipes[index].nodeFlow == flow ? index : nil
    }

    /// A connection arrived.
    func open(_ node: Node, _ index: Int) {
        let flow = node.claim(index)
        pipes[index].nodeFlow = flow
        let handset = handsets[Int(pipes[index].handset)]
        let info = FlowInfo(
            transport: .tcp,
            local: SocketAddress(ipv4: 0x0a00_0001, port: 5060),
            remote: address(handset, index),
            isTrusted: true
        )
        use(node) { $0.opened(flow, info, now: now) }
    }

    func nodeTimer(_ node: Node) {
        guard node.core != nil, time >= node.timerAt else { return }
        node.timerAt = .max
        use(node) { $0.advance(to: now) }
        if let deadline = node.core?.nextDeadline, deadline.milliseconds < node.timerAt {
            node.timerAt = max(deadline.milliseconds, time)
            queue.arrange(Event(.nodeTimer, node.index), at: node.timerAt)
        }
    }

    private func run(_ errand: Errand, _ node: Node) {
        switch errand {
        case .persist(let ticket, let key, let value):
            node.disk.write(Disk.Write(ticket: ticket, key: key, value: value))
            guard !node.isCommitting else { return }
            node.isCommitting = true
            // Commits are quick as a rule; now and then a disk takes its time.
            let pause = networkRandom.happens(0.002) ? networkRandom.within(100...900) : networkRandom.within(1...5)
            arrange(.commitDone, node.index, Int(node.epoch), in: pause)
        case .lookUp(let ticket, let address):
            node.lookUps.append((ticket, address))
            arrange(.accountFound, node.index, node.lookUps.count - 1, in: networkRandom.within(0...3))
        case .record(let step): record(step)
        case .registration, .foreignDomain: break
        }
    }

    func accountFound(_ node: Node, _ place: Int) {
        guard place < node.lookUps.count, let lookUp = node.lookUps[place] else { return }
        node.lookUps[place] = nil
        if node.lookUps.allSatisfy({ $0 == nil }) { node.lookUps.removeAll(keepingCapacity: true) }
        let account = account(lookUp.address)
        use(node) { $0.account(lookUp.ticket, lookUp.address, account, now: now) }
    }

    /// The account of a user of the world; made once.
    private func account(_ address: AddressOfRecord) -> Account? {
        guard let user = Int(String(decoding: address.user.bytes.dropFirst(), as: UTF8.self)), devices.indices ~= user
        else { return nil }
        if let account = accounts[user] { return account }
        func ha1(_ algorithm: DigestAlgorithm) -> [UInt8] {
            var text = address.user.bytes
            text.append(UInt8(ascii: ":"))
            text.append(contentsOf: Self.domain.bytes)
            text.append(UInt8(ascii: ":"))
            text.append(contentsOf: address.user.bytes)
            var scratch: [UInt8] = []
            var out: [UInt8] = []
            algorithm.appendHexHash(of: text, hashes, &scratch, &out)
            return out
        }
        let account = Account(ha1MD5: ha1(.md5), ha1SHA256: ha1(.sha256))
        accounts[user] = account
        return account
    }

    func commitDone(_ node: Node, _ epoch: Int32) {
        guard node.core != nil, node.epoch == epoch else { return }
        node.isCommitting = false
        let (writes, isSafe) = node.disk.commit()
        tally.commits += 1
        for write in writes {
            use(node) {
                if isSafe { $0.persisted(write.ticket, now: now) } else { $0.persistFailed(write.ticket, now: now) }
            }
        }
        guard !node.disk.pending.isEmpty, !node.isCommitting else { return }
        node.isCommitting = true
        arrange(.commitDone, node.index, Int(node.epoch), in: networkRandom.within(1...5))
    }

    /// A node's process dies between two steps, or its machine loses power.
    func nodeCrashes(_ node: Node, losesPower: Bool) {
        guard node.core != nil, !isQuieting else { return }
        if losesPower { tally.powerLosses += 1 } else { tally.crashes += 1 }
        checkDurability(node)
        for place in node.slots where place >= 0 {
            let index = Int(place)
            pipes[index].nodeFlow = nil
            if losesPower {
                pipes[index].isDead = true
            } else if pipes[index].phoneHolds, !pipes[index].isDead {
                // The kernel closes what the process had.
                arrange(.closeDown, index, Int(pipes[index].generation), in: networkRandom.within(1...400))
            }
            if !pipes[index].phoneHolds { pipes.release(index) }
        }
        node.die()
        let downtime = losesPower ? faultRandom.within(20_000...120_000) : faultRandom.within(100...5000)
        arrange(.nodeRestarts, node.index, in: downtime)
    }

    func nodeRestarts(_ node: Node) {
        guard node.core == nil else { return }
        begin(node)
        use(node) { $0.advance(to: now) }
    }
}
