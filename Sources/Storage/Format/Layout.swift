internal import Bytes

/// The names in a store's directory.
struct Layout: Sendable {
    let root: String

    var lock: String { "\(root)/LOCK" }
    var manifest: String { "\(root)/MANIFEST.json" }
    var log: String { "\(root)/log" }
    var quarantine: String { "\(root)/quarantine" }

    func segment(_ number: Int) -> String { "\(log)/\(Self.name(number))" }

    /// Ten digits and `.jsonl`, so that names sort like numbers.
    static func name(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 10 - digits.count)) + digits + ".jsonl"
    }

    /// The number of a segment's name; nil for other names, which are left alone.
    static func number(_ name: String) -> Int? {
        guard name.hasSuffix(".jsonl"), name.utf8.count == 16 else { return nil }
        return Decimal.number(name.utf8.prefix(10), digitsMax: 10)
    }
}
