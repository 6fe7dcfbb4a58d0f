import FoundationEssentials

/// A compiled file in the format ELF, of 64 bits and little-endian.
struct ObjectFile {
    /// The names of the symbols that the file uses and does not define.
    private(set) var undefined: [String] = []

    private let bytes: [UInt8]

    /// Nil if there is no such file, or if it is no object file.
    init?(_ url: URL) {
        guard let data = try? Data(contentsOf: url) else { return nil }
        bytes = [UInt8](data)
        guard bytes.count > 64, bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else {
            return nil
        }
        let (start, size, count) = (number(40, 8), number(58, 2), number(60, 2))
        for header in (0..<count).map({ start + $0 * size }) where number(header + 4, 4) == 2 {
            // A table of symbols, with the section of its names.
            let names = number(start + number(header + 40, 4) * size + 24, 8)
            let symbols = number(header + 24, 8)
            for symbol in 0..<number(header + 32, 8) / 24 {
                let entry = symbols + symbol * 24
                guard number(entry + 6, 2) == 0 else { continue }
                let name = bytes[(names + number(entry, 4))...].prefix { $0 != 0 }
                undefined.append(String(decoding: name, as: UTF8.self))
            }
        }
    }

    private func number(_ offset: Int, _ size: Int) -> Int {
        bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
