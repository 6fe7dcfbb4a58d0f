/// A QR code (ISO/IEC 18004): bytes, error correction level L, versions 1 to 10.
///
/// Level L corrects the fewest errors and needs the fewest modules. It is enough for a screen,
/// where nothing is dirty or torn, and a small code fits into a terminal.
package struct QRCode: Sendable {
    /// The number of modules of a side, without the quiet zone of four modules around it.
    package let size: Int
    /// The modules row by row, true where dark.
    private let modules: [Bool]

    /// Encodes up to 271 bytes.
    ///
    /// - Parameter mask: one of the masks 0 to 7; without it, the one that reads best is used.
    /// - Returns: nil if the bytes do not fit.
    package init?(_ bytes: [UInt8], mask: Int? = nil) {
        guard let version = QRVersion.smallest(for: bytes.count) else { return nil }
        var grid = QRGrid(version)
        grid.drawData(version.codewords(of: bytes))
        let masks = mask.map { [$0] } ?? Array(QRGrid.masks)
        let grids = masks.map { grid.masked($0) }
        guard let best = grids.min(by: { $0.penalty < $1.penalty }) else { return nil }
        size = version.size
        modules = best.modules
    }

    /// Whether a module is dark; those outside the code are light.
    package subscript(row: Int, column: Int) -> Bool {
        let range = 0..<size
        return range.contains(row) && range.contains(column) && modules[row * size + column]
    }
}

/// A version of QR code at level L: its size, and how its codewords are divided (Table 9).
struct QRVersion {
    /// 1 to 10.
    let number: Int
    /// The number of error correction codewords of each block.
    private let checkCount: Int
    /// The number of data codewords of each block.
    private let blocks: [Int]
    /// The centers of the alignment patterns in both directions (Annex E).
    let centers: [Int]

    /// The number of modules of a side.
    var size: Int { 17 + 4 * number }

    private static let all = [
        QRVersion(number: 1, checkCount: 7, blocks: [19], centers: []),
        QRVersion(number: 2, checkCount: 10, blocks: [34], centers: [6, 18]),
        QRVersion(number: 3, checkCount: 15, blocks: [55], centers: [6, 22]),
        QRVersion(number: 4, checkCount: 20, blocks: [80], centers: [6, 26]),
        QRVersion(number: 5, checkCount: 26, blocks: [108], centers: [6, 30]),
        QRVersion(number: 6, checkCount: 18, blocks: [68, 68], centers: [6, 34]),
        QRVersion(number: 7, checkCount: 20, blocks: [78, 78], centers: [6, 22, 38]),
        QRVersion(number: 8, checkCount: 24, blocks: [97, 97], centers: [6, 24, 42]),
        QRVersion(number: 9, checkCount: 30, blocks: [116, 116], centers: [6, 26, 46]),
        QRVersion(number: 10, checkCount: 18, blocks: [68, 68, 69, 69], centers: [6, 28, 50]),
    ]

    /// The smallest version that has room for so many bytes, if there is one.
    static func smallest(for count: Int) -> QRVersion? { all.first { $0.bytesMax >= count } }

    private var dataCount: Int { blocks.reduce(0, +) }

    /// The number of bits in which the count of the bytes is written (Table 3).
    private var countBits: Int { number < 10 ? 8 : 16 }

    private var bytesMax: Int { (dataCount * 8 - 4 - countBits) / 8 }

    /// The codewords in the order in which they are drawn: the data of all blocks interleaved, then
    /// their error correction (7.5 and 7.6).
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        let data = dataCodewords(bytes)
        let divisor = ReedSolomon.divisor(degree: checkCount)
        var parts: [ArraySlice<UInt8>] = []
        var start = 0
        for count in blocks {
            parts.append(data[start..<start + count])
            start += count
        }
        let checks = parts.map { ReedSolomon.remainder(of: $0, by: divisor) }
        var result: [UInt8] = []
        for index in 0..<(blocks.max() ?? 0) {
            for part in parts where index < part.count {
                result.append(part[part.startIndex + index])
            }
        }
        for index in 0..<checkCount { result += checks.map { $0[index] } }
        return result
    }

    /// The mode, the count and the bytes, filled up to the end (7.4).
    private func dataCodewords(_ bytes: [UInt8]) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, count: Int) {
            for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        append(0b0100, count: 4)
        append(bytes.count, count: countBits)
        for byte in bytes { append(Int(byte), count: 8) }
        append(0, count: min(4, dataCount * 8 - bits.count))
        append(0, count: (8 - bits.count % 8) % 8)
        var codewords = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        for pad in 0..<(dataCount - codewords.count) {
            codewords.append(pad.isMultiple(of: 2) ? 0xEC : 0x11)
        }
        return codewords
    }
}

/// Error correction over GF(2⁸) with x⁸ + x⁴ + x³ + x² + 1.
enum ReedSolomon {
    /// The coefficients of (x - 2⁰)(x - 2¹)…, from the second highest down.
    static func divisor(degree: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: degree)
        result[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in result.indices {
                result[index] = product(result[index], root)
                if index + 1 < degree { result[index] ^= result[index + 1] }
            }
            root = product(root, 2)
        }
        return result
    }

    static func remainder(of data: ArraySlice<UInt8>, by divisor: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: divisor.count)
        for byte in data {
            let factor = byte ^ result.removeFirst()
            result.append(0)
            for index in result.indices { result[index] ^= product(divisor[index], factor) }
        }
        return result
    }

    private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
        var (result, a, b) = (UInt8(0), a, b)
        while b > 0 {
            if b & 1 == 1 { result ^= a }
            a = a << 1 ^ (a & 0x80 == 0 ? 0 : 0x1D)
            b >>= 1
        }
        return result
    }
}

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
