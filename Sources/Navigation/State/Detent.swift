internal import Bytes
internal import JSON

// Detents: the heights at which a sheet can rest. A session has them as the text that clients sent.

/// The rule for the text of a detent.
enum Detent {
    /// The rule, for error messages.
    static let rule =
        "must be medium, large, fraction:0.1 to fraction:1 with at most two decimals, or height:1 "
        + "to height:5000"

    /// Whether the text is a detent.
    static func isValid(_ text: String) -> Bool {
        if text == "medium" || text == "large" { return true }
        let parts = text.utf8.split(
            separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return false }
        let value = parts[1]
        switch String(Substring(parts[0])) {
        case "fraction": return hundredths(value).map { (10...100).contains($0) } ?? false
        case "height": return plainNumber(value).map { (1...5000).contains($0) } ?? false
        default: return false
        }
    }

    /// A number with at most two decimals, in hundredths.
    private static func hundredths(_ text: Substring.UTF8View) -> Int? {
        let parts = text.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = plainNumber(parts[0]) else { return nil }
        guard parts.count == 2 else { return whole * 100 }
        guard (1...2).contains(parts[1].count),
            let decimals = Decimal.number(parts[1], digitsMax: 2)
        else { return nil }
        return whole * 100 + (parts[1].count == 1 ? decimals * 10 : decimals)
    }

    /// A number of at most four digits without a leading zero.
    private static func plainNumber(_ text: Substring.UTF8View) -> Int? {
        guard text.count == 1 || text.first != ASCII.zero else { return nil }
        return Decimal.number(text, digitsMax: 4)
    }
}

extension ObjectReader {
    /// The member `detents`.
    ///
    /// - Parameter others: whether other texts are left out, as in a session that was exported when
    ///   any text was a detent; otherwise they are faults.
    mutating func detents(leavingOutOthers others: Bool = false) -> [ExactString]? {
        guard let items = array("detents") else { return nil }
        guard items.count <= Limits.detentsMax else {
            refuse("detents", "must have at most \(Limits.detentsMax) items", isLimit: true)
            return nil
        }
        var detents: [ExactString] = []
        for (index, item) in items.enumerated() {
            if case .string(let text) = item, others || Detent.isValid(text) {
                if Detent.isValid(text) { detents.append(ExactString(text)) }
            } else {
                refuse(at: "/detents/\(index)", Detent.rule)
            }
        }
        return detents
    }
}

extension JSON {
    /// A command that was stored when any text was a detent, without the texts that are none.
    var withoutFormerDetents: JSON {
        guard case .object(var command) = self, case .array(let items)? = command["detents"] else {
            return self
        }
        command["detents"] = .array(
            items.filter { item in
                if case .string(let text) = item { Detent.isValid(text) } else { true }
            })
        return .object(command)
    }
}
