internal import Bytes

/// The `name=value` pairs of a query, in order, each decoded only when asked for.
///
/// Pairs are set apart by `&` (never by `;`). Empty pairs are passed over; a pair without `=` has
/// an empty value.
package struct QueryItems: Sequence, IteratorProtocol {
    /// Where a pair lies in the bytes, percent-encoded.
    package struct Item: Equatable, Sendable {
        package let name: Range<Int>
        package let value: Range<Int>
    }

    /// Why a query is not understood.
    package enum QueryItemsError: Error, Equatable {
        /// An escape, a control byte or bytes that are not UTF-8.
        case badEncoding
        /// A name that may come once came again.
        case repeated(String)
    }

    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    package init(_ request: Request) {
        let query = request.query ?? 0..<0
        self.init(request.bytes, query)
    }

    package init(_ bytes: [UInt8], _ query: Range<Int>) {
        self.bytes = bytes
        position = query.lowerBound
        end = query.upperBound
    }

    package mutating func next() -> Item? {
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

    /// All pairs decoded. Only names that `mayRepeat` takes may come more than once.
    package func decoded(
        mayRepeat: (String) -> Bool = { _ in false }
    ) throws(QueryItemsError) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        // As bytes: comparing text by Unicode takes time that grows with its square.
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
