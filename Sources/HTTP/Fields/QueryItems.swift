internal import Bytes

/// The `name=value` pairs of a query, in order and not decoded.
///
/// Pairs are separated by `&` (never by `;`). Empty pairs are skipped; a pair without `=` has an
/// empty value.
public struct QueryItems: Sequence, IteratorProtocol {
    /// The ranges of a pair in the bytes, which are percent-encoded.
    public struct Item: Equatable, Sendable {
        /// The range before the `=`.
        public let name: Range<Int>
        /// The range after the `=`.
        public let value: Range<Int>
    }

    /// Why a query is refused.
    public enum QueryItemsError: Error, Equatable {
        /// A bad escape, a control byte, or bytes that are not UTF-8.
        case badEncoding
        /// A name that may occur once occurs again.
        case repeated(String)
    }

    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    /// The pairs of a request; none without a query.
    public init(_ request: Request) {
        let query = request.query ?? 0..<0
        self.init(request.bytes, query)
    }

    /// The pairs of a query without its question mark.
    public init(_ bytes: [UInt8], _ query: Range<Int>) {
        self.bytes = bytes
        position = query.lowerBound
        end = query.upperBound
    }

    /// The next pair.
    public mutating func next() -> Item? {
        while position < end {
            let start = position
            let stop = bytes[start..<end].firstIndex(of: 0x26) ?? end
            position = stop + 1
            guard start < stop else { continue }
            let equals = bytes[start..<stop].firstIndex(of: ASCII.equals) ?? stop
            return Item(name: start..<equals, value: Swift.min(equals + 1, stop)..<stop)
        }
        return nil
    }

    /// Decodes all pairs.
    ///
    /// - Parameter mayRepeat: whether a name may occur more than once.
    public func decoded(
        mayRepeat: (String) -> Bool = { _ in false }
    ) throws(QueryItemsError) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        // As bytes: comparing text by the rules of Unicode can take quadratic time.
        var names: Set<[UInt8]> = []
        for item in self {
            guard let name = PercentCoding.decodeQuery(bytes, item.name),
                let value = PercentCoding.decodeQuery(bytes, item.value)
            else { throw .badEncoding }
            guard names.insert(Array(name.utf8)).inserted || mayRepeat(name) else {
                throw .repeated(name)
            }
            pairs.append((name, value))
        }
        return pairs
    }
}
