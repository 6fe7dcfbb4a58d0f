internal import Bytes

/// Durations as users write them: `45s`, `500ms`, `2m`, `1h`, `7d`.
package enum Duration {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    /// Parses a duration into milliseconds. Returns nil if the text is not a duration. 0 needs no
    /// unit.
    package static func milliseconds(_ text: String) -> Int64? {
        if text == "0" { return 0 }
        return scaled(text, units.map { ($0.name, $0.milliseconds) })
    }

    /// Writes a duration in the largest unit that divides it.
    package static func text(milliseconds: Int64) -> String {
        guard milliseconds != 0 else { return "0s" }
        let unit = units.first { milliseconds.isMultiple(of: $0.milliseconds) }
        return "\(milliseconds / (unit?.milliseconds ?? 1))\(unit?.name ?? "ms")"
    }
}

/// Numbers of bytes: `64MiB`, `32KiB`, `1GiB`, `4096`.
package enum Size {
    private static let units: [(name: String, bytes: Int64)] = [
        ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    /// Parses a size into bytes. Returns nil if the text is not a size. `K`, `M` and `G` mean
    /// `KiB`, `MiB` and `GiB`.
    package static func bytes(_ text: String) -> Int? {
        let short: [(String, Int64)] = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("", 1)]
        return scaled(text, units.map { ($0.name, $0.bytes) } + short).map { Int($0) }
    }

    /// Writes a size in the largest unit that divides it.
    package static func text(bytes: Int) -> String {
        let unit = units.first { bytes != 0 && bytes.isMultiple(of: Int($0.bytes)) }
        guard let unit, unit.bytes > 1 else { return "\(bytes)B" }
        return "\(bytes / Int(unit.bytes))\(unit.name)"
    }
}

/// Parses digits followed by a unit. Returns nil for any other text and for numbers that are too
/// large.
private func scaled(_ text: String, _ units: [(name: String, factor: Int64)]) -> Int64? {
    let digits = text.utf8.prefix { ASCII.isDigit($0) }
    guard let number = Decimal.number(digits, digitsMax: 15) else { return nil }
    let name = String(decoding: text.utf8.dropFirst(digits.count), as: UTF8.self)
    guard let unit = units.first(where: { $0.name.lowercased() == name.lowercased() }) else {
        return nil
    }
    let (product, overflow) = Int64(number).multipliedReportingOverflow(by: unit.factor)
    return overflow ? nil : product
}
