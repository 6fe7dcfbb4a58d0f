internal import Bytes

// From text that is not JSON, such as a part of a URL, to a value.

extension JSONSchema {
    /// Converts text to a valid value, if there is one. The text is tried as a string, then as a
    /// number that is written as `JSON.plainText` writes it, `true`, `false` and `null`.
    public func convert(_ text: String, work: WorkBudget) throws(WorkBudgetError) -> JSON? {
        for reading in readings(of: text) where try isValid(reading, work: work) { return reading }
        return nil
    }

    /// Why the text cannot be converted, as a phrase whose subject is the text, such as
    /// `which is not an integer (7 is)`. Nil if it can be converted.
    public func misfit(of text: String, work: WorkBudget) throws(WorkBudgetError) -> String? {
        if let reading = readings(of: text).first {
            return try validate(reading, work: work).first.map { "but " + $0.detail }
        }
        let plain = Self.plain(text).flatMap { number($0) == nil ? nil : $0 }
        let hint = accepts(.number) ? plain.map { " (\($0) is)" } ?? "" : ""
        return "which is not \(acceptedTypes.intersection(Self.textualTypes).sentence)\(hint)"
    }

    /// The types that a text can be converted to.
    public static let textualTypes: JSONTypes = [.string, .number, .boolean, .null]

    /// The values that the text may stand for, of types that are accepted.
    private func readings(of text: String) -> [JSON] {
        var readings = [JSON.string(text)]
        switch ExactString(text) {
        case "true": readings.append(.bool(true))
        case "false": readings.append(.bool(false))
        case "null": readings.append(.null)
        default: if let number = number(text) { readings.append(number) }
        }
        return readings.filter { accepts($0.type) }
    }

    /// Reads an integer without leading zeros or, if fractions are accepted, one with decimals.
    private func number(_ text: String) -> JSON? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        let parts = digits.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isDigit) }),
            parts[0].count == 1 || parts[0].first != UInt8(ascii: "0")
        else { return nil }
        if parts.count == 1 {
            return ExactString(text) == "-0" ? nil : Int64(text).map(JSON.integer)
        }
        guard accepts(.fraction), let number = try? JSON(parsing: Array(text.utf8)) else {
            return nil
        }
        // 7.0 is the number 7, which is written without a fraction.
        guard case .double(let double) = number, let whole = Int64(exactly: double) else {
            return number
        }
        return .integer(whole)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    /// The plain text of a number that is written in another way, such as `007` or `1e2`.
    private static func plain(_ text: String) -> String? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.drop { [UInt8(ascii: "+"), UInt8(ascii: "-")].contains($0) }
            .drop { $0 == UInt8(ascii: "0") }
        guard let first = digits.first, isDigit(first),
            let number = try? JSON(parsing: Array(digits))
        else { return nil }
        return (isNegative ? "-" : "") + number.plainText
    }
}

extension JSON {
    /// The value as text that is not JSON: a string as it is, and a number as a plain decimal in
    /// its shortest form, without an exponent. Arrays and objects are written as JSON.
    public var plainText: String {
        switch self {
        case .string(let text): text
        case .double(let number): Self.plainText(number)
        case .null, .bool, .integer, .array, .object: text
        }
    }

    private static func plainText(_ number: Double) -> String {
        let parts = number.magnitude.description.split(separator: "e")
        let decimal = (parts.first ?? "0").split(separator: ".")
        let fraction = decimal.count > 1 && String(decimal[1]) != "0" ? decimal[1] : ""
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        var digits = (decimal.first ?? "0") + fraction
        var point = (decimal.first ?? "0").count + exponent
        if point <= 0 {
            digits = Substring(String(repeating: "0", count: 1 - point)) + digits
            point = 1
        }
        digits += String(repeating: "0", count: max(point - digits.count, 0))
        let whole = digits.prefix(point)
        let rest = digits.dropFirst(point)
        let sign = number < 0 ? "-" : ""
        return sign + whole + (rest.isEmpty ? "" : "." + rest)
    }
}
