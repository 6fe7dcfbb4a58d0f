internal import Bytes

extension LinkPattern {
    /// The rank of the pattern: of its host, its path, its fragment and its query. At the first
    /// difference, the lower number is tried first.
    private var ranks: [[Int]] {
        let items = parts.flatMap { $0.query }
        let fixed = items.count { $0.fixed != nil }
        let needed = items.count { $0.isNeeded }
        return [
            [host.name == nil ? 0 : 1], main.ranks, fragment.map { [0] + $0.ranks } ?? [1],
            [-fixed, -needed],
        ]
    }

    /// The elements in the order in which their patterns are tried: by rank, those of equal rank
    /// as they were.
    static func inOrder<Element>(
        _ elements: [Element], pattern: (Element) -> LinkPattern
    ) -> [Element] {
        let ranks = elements.map { pattern($0).ranks }
        let order = elements.indices.sorted { a, b in
            for (left, right) in zip(ranks[a], ranks[b]) where left != right {
                return left.lexicographicallyPrecedes(right)
            }
            return a < b
        }
        return order.map { elements[$0] }
    }

    /// The pattern without the names of its captures. Two patterns with the same shape match the
    /// same URLs, but for captures that go into params which take only integers.
    var shape: [ExactString] {
        var shape = [ExactString(scheme.map { "s" + $0.text } ?? "")]
        switch host {
        case .fixed(let name): shape.append(ExactString(name.map { "h" + $0.text } ?? ""))
        case .label(let prefix, _, let suffix):
            shape += [ExactString("l" + prefix), ExactString(suffix)]
        }
        shape.append(ignoresCase ? "i" : "c")
        for part in parts {
            shape.append("#")
            for segment in part.segments {
                shape.append(segment.isRest ? "*" : "/")
                shape += segment.literals.map { ExactString("t" + $0.text) }
            }
            for item in part.query.sorted(by: { $0.key.text < $1.key.text }) {
                shape += ["?", item.key]
                shape.append(item.fixed.map { ExactString("=" + $0.text) } ?? "{")
                if item.isNeeded { shape.append("!") }
            }
        }
        return shape
    }
}
