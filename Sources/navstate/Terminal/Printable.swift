internal import Bytes

/// Text from a server, made safe for a terminal and for the layout of columns.
package enum Printable {
    /// The text in which every character that a terminal could obey, or that changes the order in
    /// which text is shown, is an escape like `\u001b`. In JSON text this is an escape of JSON,
    /// since such characters occur only within strings.
    package static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// Control characters, marks of the writing direction, line separators, and the tags of plane
    /// 14.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
            0xFEFF, 0xE0000...0xE0FFF:
            true
        default: false
        }
    }

    /// The number of columns that text takes on a terminal: two for wide characters of East Asia
    /// and for emoji, one for all others.
    package static func columns(of text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    private static func columns(of character: Character) -> Int {
        guard let value = character.unicodeScalars.first?.value, value >= 0x1100 else { return 1 }
        let isWide = wide.contains { $0.contains(value) }
        return isWide ? 2 : 1
    }

    /// The blocks of wide characters (Unicode Standard Annex 11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
        0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]

    /// The text in at most this many columns; what is left out is shown as `…`.
    package static func clipped(_ text: String, to columnsMax: Int) -> String {
        guard columns(of: text) > columnsMax else { return text }
        var kept = ""
        var width = 0
        for character in text {
            width += columns(of: character)
            guard width < columnsMax else { break }
            kept.append(character)
        }
        return columnsMax > 0 ? kept + "…" : ""
    }

    /// The text in exactly this many columns, with spaces at its end.
    package static func padded(_ text: String, to columns: Int) -> String {
        let clipped = clipped(text, to: columns)
        let missing = max(0, columns - Self.columns(of: clipped))
        return clipped + String(repeating: " ", count: missing)
    }
}

/// Colors and emphasis for a terminal, or none.
package struct Paint: Sendable {
    private let isOn: Bool

    /// - Parameter isOn: whether escape sequences are written at all.
    package init(isOn: Bool) { self.isOn = isOn }

    /// How a piece of text looks.
    package enum Style: Sendable {
        case plain
        /// The screen that is visible in the app.
        case strong
        /// Ids, params and other details.
        case faint
        /// The selected tab.
        case accent

        /// The parameters of the sequence "select graphic rendition" (ECMA-48).
        fileprivate var code: String? {
            switch self {
            case .plain: nil
            case .strong: "1"
            case .faint: "2"
            case .accent: "36"
            }
        }
    }

    /// The text in a style.
    package func text(_ text: String, _ style: Style) -> String {
        guard isOn, let code = style.code, !text.isEmpty else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}

/// Rows of text in columns, under a heading.
package struct TextTable {
    private let rows: [[String]]

    /// No column but the last one gets wider than this.
    private static let columnsMax = 40
    private static let lastColumnsMax = 160

    /// - Parameter rows: the heading, then the rows. Each has as many texts as the heading.
    package init(_ rows: [[String]]) {
        self.rows = rows.map { row in
            row.enumerated().map { index, text in
                let isLast = index == row.count - 1
                return Printable.clipped(
                    Printable.text(text), to: isLast ? Self.lastColumnsMax : Self.columnsMax)
            }
        }
    }

    /// The lines. The heading is faint.
    package func text(_ paint: Paint) -> String {
        let widths = (rows.first ?? []).indices.map { column in
            rows.map { Printable.columns(of: $0[column]) }.max() ?? 0
        }
        return rows.enumerated().map { index, row in
            var line = zip(row, widths).map { Printable.padded($0, to: $1) }
                .joined(separator: "  ")
            while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
            return paint.text(line, index == 0 ? .faint : .plain) + "\n"
        }.joined()
    }
}
