internal import Bytes

/// Finds the known names that a misspelled name may stand for.
public enum Spelling {
    /// Longer names are not compared, because the work grows with the product of the lengths.
    private static let bytesMax = 128

    /// At most three known names that differ in few letters, the nearest first. The case of ASCII
    /// letters is ignored. There are none if the budget has no units for hints left.
    public static func near(
        _ name: String, among known: some Sequence<String>, work: WorkBudget
    ) -> [String] {
        find(name, among: known, work).map { $0.name }
    }

    /// The text ` (did you mean a?)`, or an empty text.
    public static func proposal(
        for name: String, among known: some Sequence<String>, work: WorkBudget
    ) -> String {
        near(name, among: known, work: work).first.map { " (did you mean \($0)?)" } ?? ""
    }

    /// ` (did you mean "a" or "b"?)`, or nothing. Only names about as near as the nearest one are
    /// included.
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
        let meanings = otherWords[ExactString(name)] ?? []
        var found: [(name: String, distance: Int)] = []
        for candidate in known {
            guard work.spendForHint(20 + min(candidate.utf8.count, bytesMax)) else { break }
            guard candidate.utf8.count <= bytesMax else { continue }
            if meanings.contains(where: { $0 == candidate }) {
                found.append((candidate, 0))
                continue
            }
            let other = Self.letters(candidate)
            guard abs(other.count - letters.count) <= distanceMax else { continue }
            guard work.spendForHint(letters.count * other.count / 2) else { break }
            if let distance = EditDistance.between(letters, other, atMost: distanceMax) {
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

    /// Words that are common elsewhere for what has another name here.
    private static let otherWords: [ExactString: [String]] = [
        "ttl": ["ttlSeconds"], "expiresIn": ["ttlSeconds"], "maxAge": ["ttlSeconds"],
        "page": ["cursor", "before"], "offset": ["cursor", "before"], "after": ["cursor"],
        "since": ["after"], "size": ["limit"], "pageSize": ["limit"], "perPage": ["limit"],
        "tab": ["in"], "container": ["in"], "screen": ["route"], "view": ["route"],
        "args": ["params"], "arguments": ["params"], "link": ["url"], "uri": ["url"],
        "name": ["title"], "label": ["title"], "else": ["instead"], "otherwise": ["instead"],
        "fact": ["when"], "facts": ["when"], "condition": ["when"], "if": ["when"],
        "steps": ["count"], "tags": ["labels"], "prefix": ["q"], "search": ["q"],
    ]

    private static func letters(_ name: String) -> [Unicode.Scalar] {
        name.unicodeScalars.map { scalar in
            ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value + 32)) : scalar
        }
    }
}
