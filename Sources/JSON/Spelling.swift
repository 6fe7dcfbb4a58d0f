/// Finds what somebody may have meant.
package enum Spelling {
    /// Longer names are not compared, as the work grows with the product of the lengths.
    private static let lengthMax = 64
    /// So many names are looked at.
    private static let namesMax = 200

    /// The known names that differ by few letters from this one, the nearest first, at most three
    /// and none that is clearly farther away than another. Case does not count.
    package static func near(_ name: String, among known: some Sequence<String>) -> [String] {
        let letters = Array(name.lowercased().unicodeScalars)
        guard letters.count <= lengthMax else { return [] }
        let distanceMax = max(1, letters.count / 3)
        var found: [(name: String, distance: Int)] = []
        for candidate in known.prefix(namesMax) {
            let other = Array(candidate.lowercased().unicodeScalars)
            guard abs(other.count - letters.count) <= distanceMax else { continue }
            let distance = distance(letters, other)
            if distance <= distanceMax { found.append((candidate, distance)) }
        }
        found.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
        let farthest = (found.first?.distance ?? 0) + 1
        return found.prefix(3).filter { $0.distance <= farthest }.map(\.name)
    }

    /// ` (did you mean "a" or "b"?)`, or nothing.
    package static func hint(for name: String, among known: some Sequence<String>) -> String {
        let names = near(name, among: known).map { "\"\($0)\"" }
        return names.isEmpty ? "" : " (did you mean \(names.joined(separator: " or "))?)"
    }

    /// Levenshtein's distance, in which two neighbours that changed places count as one change.
    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(last[j + 1], row[j]) + 1
                best = min(best, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, before[j - 1] + 1)
                }
                row.append(best)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
