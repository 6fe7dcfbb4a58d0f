internal import Bytes

/// What `Accept` takes (RFC 9110 §12.5.1): media ranges with weights, over all lines.
///
/// Of the ranges that fit a type the most specific decides. No field accepts everything; elements
/// that are malformed are passed over, and a field of nothing else accepts everything too.
package struct AcceptedTypes: Equatable, Sendable {
    private struct MediaRange: Equatable, Sendable {
        var type: String
        var subtype: String
        /// In thousandths.
        var weight: Int
        /// Parameters before `q` narrow a range; such a range fits none of our types better.
        var isNarrowed: Bool
    }

    private var ranges: [MediaRange] = []

    package init(_ request: borrowing Request) {
        for line in request.lines(of: .accept) { take(request.bytes, line) }
    }

    /// The weight in thousandths that a type such as `application/json` has; 0 is refused.
    package func weight(of essence: String) -> Int {
        guard !ranges.isEmpty else { return 1_000 }
        let parts = essence.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return 0 }
        var best = (rank: -1, weight: 0)
        for range in ranges where !range.isNarrowed {
            guard let rank = Self.rank(range, parts[0], parts[1]), rank > best.rank else {
                continue
            }
            best = (rank, range.weight)
        }
        return best.weight
    }

    package func accepts(_ type: ContentType) -> Bool {
        weight(of: String(type.value.prefix { $0 != ";" })) > 0
    }

    /// The best of `types`, the earlier one when the client likes two equally; nil if it takes none.
    package func best(of types: [ContentType]) -> ContentType? {
        var best: (type: ContentType, weight: Int)?
        for type in types {
            let weight = weight(of: String(type.value.prefix { $0 != ";" }))
            if weight > best?.weight ?? 0 { best = (type, weight) }
        }
        return best?.type
    }

    /// Whether the type itself is named, not only a range that covers it.
    package func names(_ type: ContentType) -> Bool {
        let essence = type.value.prefix { $0 != ";" }
        return ranges.contains { "\($0.type)/\($0.subtype)" == essence && $0.weight > 0 }
    }

    private static func rank(_ range: MediaRange, _ type: String, _ subtype: String) -> Int? {
        if range.type == "*" { return range.subtype == "*" ? 0 : nil }
        guard range.type == type else { return nil }
        if range.subtype == "*" { return 1 }
        return range.subtype == subtype ? 2 : nil
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
    private static func weight(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first, first == ASCII.zero || first == ASCII.zero + 1,
            bytes.count <= 5, bytes.count == 1 || bytes[1] == ASCII.dot
        else { return nil }
        var weight = Int(first - ASCII.zero) * 1_000
        var place = 100
        for byte in bytes.dropFirst(2) {
            guard ASCII.isDigit(byte) else { return nil }
            weight += Int(byte - ASCII.zero) * place
            place /= 10
        }
        return weight <= 1_000 ? weight : nil
    }
}
