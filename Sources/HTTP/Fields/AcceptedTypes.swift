internal import Bytes

/// The media types that `Accept` allows (RFC 9110 §12.5.1): media ranges with weights.
///
/// The most specific range that matches a type decides. A request without the field accepts
/// everything. Malformed elements are ignored; if no other element is left, everything is accepted.
public struct AcceptedTypes: Equatable, Sendable {
    private struct MediaRange: Equatable, Sendable {
        var type: String
        var subtype: String
        /// In thousandths.
        var weight: Int
        /// Whether it has parameters before `q` other than `charset`. Such a range matches none of
        /// the types of this service.
        var isNarrowed: Bool

        /// How specific the range is, from 0, or nil if it does not match the type.
        func rank(type wantedType: String, subtype wantedSubtype: String) -> Int? {
            if type == "*" { return subtype == "*" ? 0 : nil }
            guard type == wantedType else { return nil }
            if subtype == "*" { return 1 }
            return subtype == wantedSubtype ? 2 : nil
        }
    }

    private var ranges: [MediaRange] = []

    /// The ranges of all lines of the field.
    public init(_ request: borrowing Request) {
        for line in request.lines(of: .accept) { take(request.bytes, line) }
    }

    /// The weight of a type such as `application/json`, in thousandths; 0 means not accepted.
    public func weight(of essence: String) -> Int {
        guard !ranges.isEmpty else { return 1_000 }
        let parts = essence.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return 0 }
        var best = (rank: -1, weight: 0)
        for range in ranges where !range.isNarrowed {
            guard let rank = range.rank(type: parts[0], subtype: parts[1]), rank > best.rank else {
                continue
            }
            best = (rank, range.weight)
        }
        return best.weight
    }

    /// Whether the client accepts a type.
    public func accepts(_ type: ContentType) -> Bool { weight(of: type.essence) > 0 }

    /// The type with the greatest weight, or nil if none is accepted. Of equal types, the first
    /// wins.
    public func best(of types: [ContentType]) -> ContentType? {
        var best: (type: ContentType, weight: Int)?
        for type in types {
            let weight = weight(of: type.essence)
            if weight > best?.weight ?? 0 { best = (type, weight) }
        }
        return best?.type
    }

    private mutating func take(_ bytes: [UInt8], _ line: Range<Int>) {
        var scanner = FieldScanner(bytes, line)
        scanner.skipEmptyElements()
        while !scanner.isAtEnd {
            if let range = Self.mediaRange(&scanner) { ranges.append(range) }
            while !scanner.isAtEnd, !scanner.takeHere(ASCII.comma) { scanner.skip() }
            scanner.skipEmptyElements()
        }
    }

    private static func mediaRange(_ scanner: inout FieldScanner) -> MediaRange? {
        guard let type = scanner.token(), scanner.takeHere(ASCII.slash),
            let subtype = scanner.token()
        else { return nil }
        var range = MediaRange(
            type: scanner.lowercased(type), subtype: scanner.lowercased(subtype), weight: 1_000,
            isNarrowed: false)
        while let (name, value) = scanner.parameter() {
            guard name == "q" else {
                range.isNarrowed = range.isNarrowed || name != "charset"
                continue
            }
            guard let weight = weight(value) else { return nil }
            range.weight = weight
            while scanner.parameter() != nil {}
        }
        guard !scanner.isBroken else { return nil }
        return range
    }

    /// `0[.d{0,3}]` or `1[.0{0,3}]`, in thousandths.
    static func weight(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first, first == ASCII.zero || first == ASCII.zero + 1,
            bytes.count <= 5, bytes.count == 1 || bytes[1] == ASCII.dot
        else { return nil }
        var weight = Int(first - ASCII.zero) * 1_000
        var unit = 100
        for byte in bytes.dropFirst(2) {
            guard ASCII.isDigit(byte) else { return nil }
            weight += Int(byte - ASCII.zero) * unit
            unit /= 10
        }
        return weight <= 1_000 ? weight : nil
    }
}
