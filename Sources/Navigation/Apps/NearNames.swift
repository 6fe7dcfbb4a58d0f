/// Declared names that look like the given one, the likest first; at most three.
package func nearNames(_ name: String, among candidates: some Sequence<String>) -> [String] {
    let wanted = Array(name.lowercased().unicodeScalars.prefix(nearNameScalarsMax))
    let most = max(1, wanted.count / 3)
    return
        candidates
        .map { ($0, distance(wanted, Array($0.lowercased().unicodeScalars))) }
        .filter { $0.1 <= most }
        .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
        .prefix(3)
        .map(\.0)
}

/// No name is longer; what is cut off cannot be near.
private let nearNameScalarsMax = 130

/// The least number of insertions, removals, replacements and swaps of neighbours that turn one
/// into the other (optimal string alignment).
private func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var older: [Int] = []
    var above = Array(0...b.count)
    for i in 1...a.count {
        var row = [i]
        for j in 1...b.count {
            let replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
            var best = min(replaced, above[j] + 1, row[j - 1] + 1)
            if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                best = min(best, older[j - 2] + 1)
            }
            row.append(best)
        }
        older = above
        above = row
    }
    return above[b.count]
}

extension String {
    /// The text itself if it is short, else its beginning, for messages.
    package var clipped: String {
        utf8.count <= 80 ? self : String(prefix(60)) + "…"
    }
}
