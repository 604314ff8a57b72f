/// What goes wrong in a world, beside the connections that break.
extension World {
    /// Spreads the faults over the day.
    func arrangeFaults() {
        let hours = scenario.hours / scenario.faults
        let day = Int64(scenario.hours * 3_600_000)
        func times(_ perDay: Double, _ body: (Int64) -> Void) {
            var at: Int64 = 120_000
            while true {
                at += faultRandom.pause(mean: 86_400_000 / perDay / scenario.faults)
                guard at < day else { return }
                body(at)
            }
        }
        _ = hours
        for node in nodes {
            times(24) { at in
                let losesPower = faultRandom.happens(0.2)
                queue.arrange(Event(.nodeCrashes, node.index, losesPower ? 1 : 0), at: at)
            }
            times(12) { at in
                queue.arrange(Event(.diskFaultBegins, node.index), at: at)
                queue.arrange(Event(.diskFaultEnds, node.index), at: at + faultRandom.within(500...60_000))
            }
        }
        for access in Access.all.indices {
            times(6) { at in
                queue.arrange(Event(.partitionBegins, access), at: at)
                queue.arrange(Event(.partitionEnds, access), at: at + faultRandom.within(2000...180_000))
            }
        }
        for handset in handsets where handset.kind != .desk {
            times(4) { at in queue.arrange(Event(.changesNetwork, handset.index), at: at) }
            times(1) { at in
                queue.arrange(Event(.isKilled, handset.index, faultRandom.happens(0.3) ? 1 : 0), at: at)
            }
        }
    }

    func partitionBegins(_ access: Int) {
        guard !isQuieting else { return }
        tally.partitions += 1
        isCut[access] = true
    }

    func partitionEnds(_ access: Int) { isCut[access] = false }
}
