import PhoneKit
import SIP
import TestSupport
import Testing

@testable import Signaling
@testable import Simulator

/// Each rule is broken on purpose, and must say so.
@Suite("A broken rule is noticed") struct CheckTests {
    /// A world without faults in which all phones have registered.
    private func world(phones: Int = 12) -> World {
        var scenario = Scenario()
        scenario.phones = phones
        scenario.faults = 0
        scenario.callsPerDay = 0
        scenario.messagesPerDay = 0
        scenario.twoDevices = 0
        let world = World(scenario, hashes: .openSSL)
        world.run(until: 60_000)
        return world
    }

    private func only(_ world: World, _ rule: Violation.Rule, _ location: SourceLocation = #_sourceLocation) {
        #expect(world.violations.map(\.rule) == [rule], sourceLocation: location)
    }

    @Test("a call that never ends")
    func endless() throws {
        let world = world()
        var call = CallRecord(number: 0, caller: 0, callee: 1, wishedAt: 0)
        call.steps = [JournalStep(callID: "1", wall: World.dawn + 1000, flow: nil, kind: .cancelled)]
        world.calls.append(call)
        world.mustBeOver(0)
        only(world, .everythingEnds)
        let text = try #require(world.violations.first).description
        #expect(text.contains("seed 1") && text.contains("00:00:01.000 node: cancelled") && text.contains("phone 0"))
    }

    @Test("a binding that was acknowledged and is gone")
    func forgotten() throws {
        let world = world()
        #expect(world.handsets.contains { $0.parkedUntil > 0 })
        world.checkDurability(world.nodes[0])
        #expect(world.violations.isEmpty)
        world.nodes[0].disk = Disk()
        world.checkDurability(world.nodes[0])
        #expect(!world.violations.isEmpty && world.violations.allSatisfy { $0.rule == .durable })
    }

    @Test("a phone that rings twice, for another, or for nobody")
    func strayRings() {
        let callID: ByteString = "c"
        let incoming = IncomingCall(callID: callID, from: "sip:x@example.test", displayName: "", session: [])
        let twice = world()
        twice.calls.append(CallRecord(number: 0, caller: 0, callee: twice.handsets[1].user, wishedAt: 0))
        twice.callNumbers[callID] = 0
        twice.rang(twice.handsets[1], CallHandle(number: 1), incoming)
        #expect(twice.violations.isEmpty)
        twice.rang(twice.handsets[1], CallHandle(number: 2), incoming)
        only(twice, .oneRing)

        let other = world()
        other.calls.append(CallRecord(number: 0, caller: 0, callee: other.handsets[1].user, wishedAt: 0))
        other.callNumbers[callID] = 0
        other.rang(other.handsets[2], CallHandle(number: 1), incoming)
        only(other, .rightDevice)

        let nobody = world()
        nobody.rang(nobody.handsets[2], CallHandle(number: 1), incoming)
        only(nobody, .rightDevice)
    }

    @Test("a device that has two flows for one reg-id")
    func secondFlow() throws {
        let world = world()
        let desk = try #require(world.handsets.first { $0.kind == .desk && $0.pipes.count == 2 })
        for regID in [UInt32(1), 2] { world.checkSuccession(desk, regID: regID) }
        #expect(world.violations.isEmpty)
        // What was the second line's is said to be the first's.
        for pipe in desk.pipes { world.pipes[Int(pipe)].regID = 3 - world.pipes[Int(pipe)].regID }
        world.checkSuccession(desk, regID: 1)
        only(world, .oneRing)
    }

    @Test("a phone that still rings when the call is over")
    func lateRing() {
        let world = world()
        let handset = world.handsets[1]
        let pipe = Int(handset.pipes.first ?? 0)
        var call = CallRecord(number: 0, caller: 0, callee: handset.user, wishedAt: 0)
        call.rings = [CallRecord.Ring(handset: 1, at: 1)]
        call.endedAt = 50_000
        call.callerWasConnected = true
        call.epoch = world.nodes[0].epoch
        call.expected = [(1, pipe, world.pipes[pipe].generation)]
        world.calls.append(call)
        world.launch(world.handsets[0])
        world.mustBeSilent(0)
        only(world, .oneRing)
    }

    @Test("a phone that could have rung")
    func silentPhone() {
        let world = world()
        let handset = world.handsets[1]
        let pipe = Int(handset.pipes.first ?? 0)
        var call = CallRecord(number: 0, caller: 0, callee: handset.user, wishedAt: 0)
        call.epoch = world.nodes[0].epoch
        call.expected = [(1, pipe, world.pipes[pipe].generation)]
        world.calls.append(call)
        world.mustRing(0)
        only(world, .rings)
    }

    @Test("a flow that is given to another phone")
    func strayTag() {
        let world = world()
        let pipe = Int(world.handsets[0].pipes.first ?? 0)
        world.check(FlowTag(addressOfRecord: "u9@example.test", instance: nil, regID: 0), pipe)
        only(world, .rightDevice)
    }

    @Test("a phone that is woken by what could wait")
    func needless() {
        let world = world()
        let handset = world.handsets[0]
        handset.state = .asleep
        handset.radioAt = -100_000
        handset.sentAt = -100_000
        world.checkDelivery(handset, Array("INVITE sip:u0@example.test SIP/2.0\r\n\r\n".utf8))
        #expect(world.violations.isEmpty)
        world.checkDelivery(handset, Array("NOTIFY sip:u0@example.test SIP/2.0\r\n\r\n".utf8))
        only(world, .quiet)
    }

    @Test("something that is left over when all is quiet")
    func leftovers() {
        let world = world()
        // A connection that nobody on either side knows of.
        _ = world.pipes.claim()
        world.comeToRest()
        only(world, .tidy)
    }
}
