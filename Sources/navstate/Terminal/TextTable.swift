internal import Bytes

/// Rows of text in columns, under a heading.
package struct TextTable {
    private let rows: [[String]]

    /// No column gets wider than this.
    private static let columnsMax = 40

    /// - Parameter rows: the heading, then the rows. Each has as many texts as the heading.
    package init(_ rows: [[String]]) {
        self.rows = rows.map { row in
            row.map { Printable.clipped(Printable.text($0), to: Self.columnsMax) }
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
