/// The number of changes that make one word out of another.
public enum EditDistance {
    /// Counts insertions, deletions, replacements and swaps of two neighbours (the restricted
    /// Damerau-Levenshtein distance). The work is proportional to the product of the lengths.
    ///
    /// - Returns: nil if the distance is greater than `distanceMax`.
    public static func between(
        _ a: [Unicode.Scalar], _ b: [Unicode.Scalar], atMost distanceMax: Int
    ) -> Int? {
        var rowBefore: [Int] = []
        var lastRow = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            var least = i + 1
            for j in b.indices {
                var best = min(lastRow[j + 1], row[j]) + 1
                best = min(best, lastRow[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, rowBefore[j - 1] + 1)
                }
                row.append(best)
                least = min(least, best)
            }
            // Values never get smaller from one row to the next, except by a swap, which uses the
            // row before the last one.
            guard least <= distanceMax + 1 else { return nil }
            (rowBefore, lastRow) = (lastRow, row)
        }
        return lastRow[b.count] <= distanceMax ? lastRow[b.count] : nil
    }
}
