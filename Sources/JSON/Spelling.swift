/// Finds what somebody may have meant.
package enum Spelling {
    /// Longer names are not compared, as the work grows with the product of the lengths.
    private static let bytesMax = 128

    /// The known names that differ by few letters from this one, the nearest first, at most three.
    /// The case of ASCII letters does not count. Without units for hints in the budget there are none.
    package static func near(
        _ name: String, among known: some Sequence<String>, work: WorkBudget
    ) -> [String] {
        find(name, among: known, work).map(\.name)
    }

    /// ` (did you mean a?)`, or nothing.
    package static func proposal(
        for name: String, among known: some Sequence<String>, work: WorkBudget
    ) -> String {
        near(name, among: known, work: work).first.map { " (did you mean \($0)?)" } ?? ""
    }

    /// ` (did you mean "a" or "b"?)`, or nothing. A name that is clearly farther away than another
    /// is left out.
    static func hint(
        for name: String, among known: some Sequence<String>, work: WorkBudget
    ) -> String {
        let found = find(name, among: known, work)
        guard let nearest = found.first else { return "" }
        let names = found.filter { $0.distance <= nearest.distance + 1 }.map { "\"\($0.name)\"" }
        return " (did you mean \(names.joined(separator: " or "))?)"
    }

    private static func find(
        _ name: String, among known: some Sequence<String>, _ work: WorkBudget
    ) -> [(name: String, distance: Int)] {
        guard name.utf8.count <= bytesMax else { return [] }
        let letters = letters(name)
        let distanceMax = max(1, letters.count / 3)
        var found: [(name: String, distance: Int)] = []
        for candidate in known {
            guard work.spendForHint(20 + min(candidate.utf8.count, bytesMax)) else { break }
            guard candidate.utf8.count <= bytesMax else { continue }
            let other = Self.letters(candidate)
            guard abs(other.count - letters.count) <= distanceMax else { continue }
            guard work.spendForHint(letters.count * other.count / 2) else { break }
            if let distance = distance(letters, other, atMost: distanceMax) {
                found.append((candidate, distance))
            }
        }
        found.sort {
            $0.distance == $1.distance
                ? $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
                : $0.distance < $1.distance
        }
        return Array(found.prefix(3))
    }

    private static func letters(_ name: String) -> [Unicode.Scalar] {
        name.unicodeScalars.map { scalar in
            ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value + 32)) : scalar
        }
    }

    /// Levenshtein's distance, in which two neighbours that changed places count as one change; nil
    /// if it is greater than `most`.
    private static func distance(
        _ a: [Unicode.Scalar], _ b: [Unicode.Scalar], atMost most: Int
    ) -> Int? {
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            var least = i + 1
            for j in b.indices {
                var best = min(last[j + 1], row[j]) + 1
                best = min(best, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, before[j - 1] + 1)
                }
                row.append(best)
                least = min(least, best)
            }
            // A later row is never less, but for a swap, which goes back one row more.
            guard least <= most + 1 else { return nil }
            (before, last) = (last, row)
        }
        return last[b.count] <= most ? last[b.count] : nil
    }
}
