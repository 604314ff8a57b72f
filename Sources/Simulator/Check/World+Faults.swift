/// What goes wrong in a world, beside the connections that break.
extension World {
    /// Spreads the faults over the day.
    func arrangeFaults() {
        let day = Int64(scenario.hours * 3_600_000)
        func times(_ perDay: Double, _ body: (Int64) -> Void) {
            var at: Int64 = 120_000
            while true {
                at += faultRandom.pause(mean: 86_400_000 / perDay / scenario.faults)
                guard at < day else { return }
                body(at)
            }
        }
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
                let seconds = Int(faultRandom.within(2...180))
                queue.arrange(Event(.partitionBegins, access, seconds), at: at)
            }
        }
        for handset in handsets where handset.kind != .desk {
            times(4) { at in queue.arrange(Event(.changesNetwork, handset.index), at: at) }
            times(1) { at in
                queue.arrange(Event(.isKilled, handset.index, faultRandom.happens(0.3) ? 1 : 0), at: at)
            }
        }
    }

    func partitionBegins(_ access: Int, seconds: Int) {
        guard !isQuieting, !isCut[access] else { return }
        tally.partitions += 1
        isCut[access] = true
        cutUntil[access] = time + Int64(seconds) * 1000
        arrange(.partitionEnds, access, in: Int64(seconds) * 1000)
    }

    func partitionEnds(_ access: Int) { if time >= cutUntil[access] { isCut[access] = false } }
}
