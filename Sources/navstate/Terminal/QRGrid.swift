/// The square of a QR code: the patterns that never change, and the data around them.
struct QRGrid {
    /// The modules row by row, true where dark.
    private(set) var modules: [Bool]
    /// Which of them belong to a pattern.
    private var isPattern: [Bool]
    private let size: Int

    /// The masks that there are (7.8).
    static let masks = 0..<8

    /// Draws the patterns of a version; those of the format are reserved.
    init(_ version: QRVersion) {
        size = version.size
        modules = [Bool](repeating: false, count: size * size)
        isPattern = modules
        for index in 0..<size {
            set(6, index, isDark: index.isMultiple(of: 2))
            set(index, 6, isDark: index.isMultiple(of: 2))
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] {
            drawRings(row, column, radius: 4, dark: [0, 1, 3])
        }
        for row in version.centers {
            for column in version.centers where !isFinder(row, column) {
                drawRings(row, column, radius: 2, dark: [0, 2])
            }
        }
        drawFormat(mask: 0)
        if version.number >= 7 { drawVersion(version.number) }
    }

    private mutating func set(_ row: Int, _ column: Int, isDark: Bool) {
        modules[row * size + column] = isDark
        isPattern[row * size + column] = true
    }

    /// Whether an alignment pattern at this center would lie on a finder pattern.
    private func isFinder(_ row: Int, _ column: Int) -> Bool {
        let (first, last) = (6, size - 7)
        return (row, column) == (first, first) || (row, column) == (first, last)
            || (row, column) == (last, first)
    }

    /// Draws squares around a center, dark where their distance from it is one of `dark`.
    private mutating func drawRings(_ row: Int, _ column: Int, radius: Int, dark: Set<Int>) {
        for r in max(0, row - radius)...min(size - 1, row + radius) {
            for c in max(0, column - radius)...min(size - 1, column + radius) {
                set(r, c, isDark: dark.contains(max(abs(r - row), abs(c - column))))
            }
        }
    }

    /// Draws the level and the mask, twice (7.9).
    private mutating func drawFormat(mask: Int) {
        let value = 0b01 << 3 | mask
        let bits = (value << 10 | Self.remainder(value, by: 0x537, bits: 10)) ^ 0x5412
        for index in 0..<15 {
            let isDark = bits >> index & 1 == 1
            // Beside the upper finder pattern, first down and then to the left.
            let along = index < 6 ? index : index < 8 ? index + 1 : 14 - index
            if index < 8 {
                set(along, 8, isDark: isDark)
            } else {
                set(8, index == 8 ? 7 : along, isDark: isDark)
            }
            // Beside the other two.
            if index < 8 {
                set(8, size - 1 - index, isDark: isDark)
            } else {
                set(size - 15 + index, 8, isDark: isDark)
            }
        }
        set(size - 8, 8, isDark: true)
    }

    /// Draws the number of the version, twice (7.10).
    private mutating func drawVersion(_ number: Int) {
        let bits = number << 12 | Self.remainder(number, by: 0x1F25, bits: 12)
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            let (near, far) = (index / 3, size - 11 + index % 3)
            set(near, far, isDark: isDark)
            set(far, near, isDark: isDark)
        }
    }

    /// The check bits of a BCH code.
    private static func remainder(_ value: Int, by generator: Int, bits: Int) -> Int {
        var result = value
        for _ in 0..<bits { result = result << 1 ^ (result >> (bits - 1)) * generator }
        return result
    }

    // MARK: - Data

    /// Draws the bits of the codewords in zigzag, two columns at a time, around the patterns (7.7).
    mutating func drawData(_ codewords: [UInt8]) {
        var index = 0
        // The column of the timing pattern is left out.
        let pairs = Array(stride(from: size - 1, to: 6, by: -2)) + [5, 3, 1]
        for (number, right) in pairs.enumerated() {
            for step in 0..<size {
                let row = number.isMultiple(of: 2) ? size - 1 - step : step
                for column in [right, right - 1] where !isPattern[row * size + column] {
                    guard index < codewords.count * 8 else { return }
                    let bit = codewords[index / 8] >> (7 - index % 8) & 1
                    modules[row * size + column] = bit == 1
                    index += 1
                }
            }
        }
    }

    /// The same with a mask over the data, and with the format that names the mask.
    func masked(_ mask: Int) -> QRGrid {
        var grid = self
        for row in 0..<size {
            for column in 0..<size where !isPattern[row * size + column] {
                if Self.inverts(mask, row: row, column: column) {
                    grid.modules[row * size + column].toggle()
                }
            }
        }
        grid.drawFormat(mask: mask)
        return grid
    }

    private static func inverts(_ mask: Int, row: Int, column: Int) -> Bool {
        let product = row * column
        return switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: product % 2 + product % 3 == 0
        case 6: (product % 2 + product % 3) % 2 == 0
        default: ((row + column) % 2 + product % 3) % 2 == 0
        }
    }

    // MARK: - Penalty

    /// How hard the code is to read (7.8.3); the mask with the least is used.
    var penalty: Int {
        var sum = 0
        for index in 0..<size {
            sum += linePenalty { modules[index * size + $0] }
            sum += linePenalty { modules[$0 * size + index] }
        }
        for row in 1..<size {
            for column in 1..<size where isBlock(row, column) { sum += 3 }
        }
        let dark = modules.count { $0 }
        return sum + abs(dark * 20 - modules.count * 10) / modules.count * 10
    }

    /// Whether a module has the color of those above, to the left, and between them.
    private func isBlock(_ row: Int, _ column: Int) -> Bool {
        let color = modules[row * size + column]
        return modules[row * size + column - 1] == color
            && modules[(row - 1) * size + column] == color
            && modules[(row - 1) * size + column - 1] == color
    }

    /// The penalty of a row or column: runs of five and more, and what looks like a finder pattern.
    private func linePenalty(_ module: (Int) -> Bool) -> Int {
        var (sum, run) = (0, 0)
        /// The last eleven modules as bits.
        var window = 0
        for index in 0..<size {
            run = index > 0 && module(index) == module(index - 1) ? run + 1 : 1
            if run == 5 { sum += 3 } else if run > 5 { sum += 1 }
            window = (window << 1 | (module(index) ? 1 : 0)) & 0b111_1111_1111
            let isFinder = window == 0b101_1101_0000 || window == 0b000_0101_1101
            if index >= 10, isFinder { sum += 40 }
        }
        return sum
    }
}
