extension QRCode {
    /// The code as lines of half-block characters, each of which is two modules high, with the
    /// quiet zone around it.
    ///
    /// - Parameter isTerminal: whether colors can be set: black on white, as readers expect it on
    ///   any terminal. Otherwise light modules are drawn, which is right on a dark background.
    package func text(isTerminal: Bool) -> String {
        let rows = stride(from: -Self.quiet, to: size + Self.quiet, by: 2)
        return rows.map { row in
            let cells = (-Self.quiet..<size + Self.quiet).map { column in
                let isDark = (upper: self[row, column], lower: self[row + 1, column])
                return isTerminal
                    ? Self.cell(isDark.upper, isDark.lower)
                    : Self.cell(!isDark.upper, !isDark.lower)
            }
            let line = cells.joined()
            return isTerminal ? "\u{1B}[38;5;16;48;5;231m\(line)\u{1B}[0m\n" : "\(line)\n"
        }.joined()
    }

    /// The width of the quiet zone. Four are prescribed; with two, readers of today find the code
    /// as well, and it fits into a terminal of 24 lines.
    private static let quiet = 2

    private static func cell(_ upper: Bool, _ lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
