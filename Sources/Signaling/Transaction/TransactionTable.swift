import SIP

/// All transactions, found by slot, by key, and by the flow they wait on.
struct TransactionTable {
    typealias ClientID = SlotTable<ClientTransaction>.ID
    typealias ServerID = SlotTable<ServerTransaction>.ID

    private var clients = SlotTable<ClientTransaction>()
    private var servers = SlotTable<ServerTransaction>()
    /// By the slot of its transaction; a slot that is free keeps the last.
    private var keys: [TransactionKey] = []
    private var serversByKey = PlaceIndex()

    var clientCount: Int { clients.count }
    var serverCount: Int { servers.count }

    /// The server transaction of a request; nil where there is none.
    func server(_ key: TransactionKey) -> ServerID? {
        serversByKey.find(key.hash) { keys[$0] == key }.flatMap { servers.id(inSlot: $0) }
    }

    subscript(client id: ClientID) -> ClientTransaction? {
        @inline(__always) get { clients[id] }
    }

    subscript(server id: ServerID) -> ServerTransaction? {
        @inline(__always) get { servers[id] }
    }

    /// Where a request came from, and whether nothing is lost on the way there; nil where its transaction is gone.
    ///
    /// By itself, so that the rest of the transaction is not copied for it.
    func source(server id: ServerID) -> (flow: FlowID, isReliable: Bool)? {
        guard let server = servers[id] else { return nil }
        return (server.flow, server.isReliable)
    }

    /// Where a request of ours went, the proxied request it is a branch of, and which; nil where it is gone.
    ///
    /// By itself, as above.
    func branch(client id: ClientID) -> (flow: FlowID, context: ResponseContext?, index: Int, isInvite: Bool)? {
        guard let client = clients[id] else { return nil }
        return (client.flow, client.context, client.branch, client.machine.isInvite)
    }

    /// Changes a client transaction in place.
    @inline(__always)
    mutating func update(client id: ClientID, _ change: (inout ClientTransaction) -> Void) {
        clients.update(id, change)
    }

    /// Changes a server transaction in place.
    @inline(__always)
    mutating func update(server id: ServerID, _ change: (inout ServerTransaction) -> Void) {
        servers.update(id, change)
    }

    mutating func insert(_ server: ServerTransaction, _ key: TransactionKey, in flows: inout FlowTable) -> ServerID {
        let id = servers.insert(server)
        let slot = Int(id.slot)
        if slot < keys.count { keys[slot] = key } else { keys.append(key) }
        serversByKey.insert(slot, key.hash) { keys[$0].hash }
        link(server: id, server.flow, &flows)
        return id
    }

    mutating func remove(server id: ServerID, from flows: inout FlowTable) -> ServerTransaction? {
        guard let server = servers.remove(id) else { return nil }
        unlink(server, id, &flows)
        let slot = Int(id.slot)
        serversByKey.remove(slot, keys[slot].hash) { keys[$0].hash }
        return server
    }

    mutating func insert(_ client: ClientTransaction, in flows: inout FlowTable) -> ClientID {
        let id = clients.insert(client)
        link(client: id, client.flow, &flows)
        return id
    }

    mutating func remove(client id: ClientID, from flows: inout FlowTable) -> ClientTransaction? {
        guard let client = clients.remove(id) else { return nil }
        unlink(client, id, &flows)
        return client
    }

    /// Moves a client transaction to the flow that took the place of its own.
    mutating func move(client id: ClientID, to flow: FlowID, in flows: inout FlowTable) {
        guard let client = clients[id] else { return }
        unlink(client, id, &flows)
        link(client: id, flow, &flows)
    }

    /// The client transactions that wait on a flow.
    func clients(waitingOn flow: FlowTable.Flow) -> [ClientID] {
        var ids: [ClientID] = []
        var at = flow.firstClient
        while let client = clients[at] {
            ids.append(at)
            at = client.next
        }
        return ids
    }

    /// The server transactions that owe a response to a flow.
    func servers(owing flow: FlowTable.Flow) -> [ServerID] {
        var ids: [ServerID] = []
        var at = flow.firstServer
        while let server = servers[at] {
            ids.append(at)
            at = server.next
        }
        return ids
    }

    private mutating func link(client id: ClientID, _ flow: FlowID, _ flows: inout FlowTable) {
        let head = flows[flow]?.firstClient ?? .none
        clients.update(id) {
            $0.flow = flow
            $0.next = head
            $0.previous = .none
        }
        clients.update(head) { $0.previous = id }
        flows.update(flow) { $0.firstClient = id }
    }

    private mutating func unlink(_ client: ClientTransaction, _ id: ClientID, _ flows: inout FlowTable) {
        let (next, previous) = (client.next, client.previous)
        clients.update(next) { $0.previous = previous }
        clients.update(previous) { $0.next = next }
        flows.update(client.flow) { if $0.firstClient == id { $0.firstClient = client.next } }
    }

    private mutating func link(server id: ServerID, _ flow: FlowID, _ flows: inout FlowTable) {
        let head = flows[flow]?.firstServer ?? .none
        servers.update(id) {
            $0.next = head
            $0.previous = .none
        }
        servers.update(head) { $0.previous = id }
        flows.update(flow) { $0.firstServer = id }
    }

    private mutating func unlink(_ server: ServerTransaction, _ id: ServerID, _ flows: inout FlowTable) {
        let (next, previous) = (server.next, server.previous)
        servers.update(next) { $0.previous = previous }
        servers.update(previous) { $0.next = next }
        flows.update(server.flow) { if $0.firstServer == id { $0.firstServer = server.next } }
    }
}

extension SlotTable.ID {
    /// The identity of nothing: generations begin at 1.
    static var none: SlotTable.ID { SlotTable.ID(slot: 0, generation: 0) }
}

/// A request of ours that waits for responses: the machine, and whom it belongs to.
struct ClientTransaction: SlotEntry {
    /// One of the two machines of a client; each event is handed to the one it is.
    enum Machine {
        case invite(InviteClientTransaction)
        case other(NonInviteClientTransaction)

        var isInvite: Bool {
            if case .invite = self { true } else { false }
        }

        func start() -> TransactionEffects {
            switch self {
            case .invite(let machine): machine.start()
            case .other(let machine): machine.start()
            }
        }

        mutating func receive(status: UInt16) -> TransactionEffects {
            change({ $0.receive(status: status) }, { $0.receive(status: status) })
        }

        mutating func retransmissionTimerFired() -> TransactionEffects {
            change({ $0.retransmissionTimerFired() }, { $0.retransmissionTimerFired() })
        }

        mutating func lifetimeTimerFired() -> TransactionEffects {
            change({ $0.lifetimeTimerFired() }, { $0.lifetimeTimerFired() })
        }

        /// A CANCEL has left; only an INVITE can be cancelled.
        mutating func cancelled() -> TransactionEffects {
            change({ $0.cancelled() }, { _ in .none })
        }

        private mutating func change(
            _ invite: (inout InviteClientTransaction) -> TransactionEffects,
            _ other: (inout NonInviteClientTransaction) -> TransactionEffects
        ) -> TransactionEffects {
            switch self {
            case .invite(var machine):
                defer { self = .invite(machine) }
                return invite(&machine)
            case .other(var machine):
                defer { self = .other(machine) }
                return other(&machine)
            }
        }
    }

    var machine: Machine
    /// Where the request went.
    var flow: FlowID
    /// The proxied request it is a branch of; nil for a CANCEL.
    var context: ResponseContext?
    /// Which branch of it.
    var branch: Int
    /// The bytes sent, kept only where they may have to be sent again.
    var sent: [UInt8] = []
    var retransmission = TimerWheel<CoreTimer>.TimerID.none
    var lifetime = TimerWheel<CoreTimer>.TimerID.none
    /// The CANCEL that followed this INVITE with the same branch.
    var cancel = SlotTable<ClientTransaction>.ID.none
    var next = SlotTable<ClientTransaction>.ID.none
    var previous = SlotTable<ClientTransaction>.ID.none
}

/// A request of a peer that is owed a final response.
struct ServerTransaction: SlotEntry {
    /// One of the two machines of a server; each event is handed to the one it is.
    enum Machine {
        case invite(InviteServerTransaction)
        case other(NonInviteServerTransaction)

        func receiveRetransmission() -> TransactionEffects {
            switch self {
            case .invite(let machine): machine.receiveRetransmission()
            case .other(let machine): machine.receiveRetransmission()
            }
        }

        mutating func receiveACK() -> TransactionEffects {
            change({ $0.receiveACK() }, { _ in .none })
        }

        mutating func send(status: UInt16) -> TransactionEffects {
            change({ $0.send(status: status) }, { $0.send(status: status) })
        }

        mutating func retransmissionTimerFired() -> TransactionEffects {
            change({ $0.retransmissionTimerFired() }, { _ in .none })
        }

        mutating func lifetimeTimerFired() -> TransactionEffects {
            change({ $0.lifetimeTimerFired() }, { $0.lifetimeTimerFired() })
        }

        private mutating func change(
            _ invite: (inout InviteServerTransaction) -> TransactionEffects,
            _ other: (inout NonInviteServerTransaction) -> TransactionEffects
        ) -> TransactionEffects {
            switch self {
            case .invite(var machine):
                defer { self = .invite(machine) }
                return invite(&machine)
            case .other(var machine):
                defer { self = .other(machine) }
                return other(&machine)
            }
        }
    }

    var machine: Machine
    /// Where the request came from.
    var flow: FlowID
    let isReliable: Bool
    /// The proxied request, while it is one.
    var context: ResponseContext?
    /// The errand it waits for; 0 for none.
    var ticket: UInt64 = 0
    /// The last response sent, kept only where it may have to be sent again.
    var sent: [UInt8] = []
    var retransmission = TimerWheel<CoreTimer>.TimerID.none
    var lifetime = TimerWheel<CoreTimer>.TimerID.none
    /// Sends a 100, or gives up on a caller that is gone.
    var patience = TimerWheel<CoreTimer>.TimerID.none
    var next = SlotTable<ServerTransaction>.ID.none
    var previous = SlotTable<ServerTransaction>.ID.none
}

/// What a timer of the core is for.
///
/// A timer whose transaction is gone finds nothing.
struct CoreTimer: BitwiseCopyable {
    enum Kind: UInt8 {
        case clientRetransmission, clientLifetime, timerC, signOfLife
        case serverRetransmission, serverLifetime, trying, orphaned
        case expiry, unconfirmed
    }

    var kind: Kind
    /// A `ClientID` or `ServerID`.
    var id: UInt64
}
