/// A set of Unicode scalars, made of ranges and properties, or its complement.
struct ScalarSet: Sendable {
    /// A property that the standard library knows.
    typealias Property = @Sendable (Unicode.Scalar) -> Bool

    private var ranges: [ClosedRange<UInt32>] = []
    private var properties: [Property] = []
    var isNegated = false

    init(_ ranges: [ClosedRange<UInt32>] = []) {
        self.ranges = ranges
    }

    init(_ property: @escaping Property) {
        properties = [property]
    }

    mutating func insert(_ range: ClosedRange<UInt32>) {
        ranges.append(range)
    }

    mutating func formUnion(_ other: ScalarSet) {
        if other.isNegated {
            properties.append { other.contains($0) }
        } else {
            ranges += other.ranges
            properties += other.properties
        }
    }

    /// The complement.
    var negated: ScalarSet {
        var other = self
        other.isNegated.toggle()
        return other
    }

    /// The cost of a look-up in steps of the matcher. A property of Unicode is looked up in tables
    /// of the standard library.
    var cost: Int { 1 + 3 * properties.count }

    /// Sorts and merges the ranges for binary search.
    mutating func normalize() {
        ranges.sort { $0.lowerBound < $1.lowerBound }
        var merged: [ClosedRange<UInt32>] = []
        for range in ranges {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] =
                    last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        ranges = merged
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        isNegated != isListed(scalar)
    }

    private func isListed(_ scalar: Unicode.Scalar) -> Bool {
        if isInRanges(scalar.value) { return true }
        for property in properties where property(scalar) { return true }
        return false
    }

    /// Searches the sorted ranges by halving them until few are left.
    private func isInRanges(_ value: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while high - low > 4 {
            let middle = (low + high) / 2
            if value < ranges[middle].lowerBound { high = middle } else { low = middle }
        }
        for range in ranges[low..<high] where range.contains(value) { return true }
        return false
    }
}

extension ScalarSet {
    static let digits = ScalarSet([0x30...0x39])
    static let wordCharacters = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    /// ECMA-262's WhiteSpace and LineTerminator.
    static let blanks = ScalarSet([
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
        0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])
    /// The set of `.`: all scalars but line terminators.
    static let anyButLineEnds =
        ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029]).negated

    /// The set of `\d`, `\D`, `\w`, `\W`, `\s` or `\S`.
    static func named(_ letter: Unicode.Scalar) -> ScalarSet? {
        switch letter {
        case "d": digits
        case "D": digits.negated
        case "w": wordCharacters
        case "W": wordCharacters.negated
        case "s": blanks
        case "S": blanks.negated
        default: nil
        }
    }
}
