/// Finds what someone probably meant.
enum Suggestion {
    /// The candidate that is nearest to `word`, when one is near at all.
    static func closest(to word: String, among candidates: some Sequence<String>) -> String? {
        let word = Array(word.lowercased().utf8.prefix(64))
        // A third of the letters may be wrong, and one always.
        let bound = max(1, word.count / 3)
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let distance = distance(word, Array(candidate.lowercased().utf8))
            if distance <= bound, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.candidate
    }

    /// Number of letters to add, drop, change, or swap with their neighbour, to make one word of the other.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            current.reserveCapacity(right.count + 1)
            for column in right.indices {
                let change = last[column] + (left[row] == right[column] ? 0 : 1)
                var cost = min(change, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
