internal import Bytes

/// The values of all lines with one name, in order.
///
/// Almost always there is one line, which costs nothing to find. Only for a field that came on
/// several lines is the head read again; it was judged before, so its lines are taken on trust.
package struct FieldLines: Sequence, IteratorProtocol {
    private let request: Request
    private let field: Field
    private var first: Range<Int>?
    /// Where the next line begins; nil when there is nothing more to look for.
    private var position: Int?

    init(_ request: Request, _ field: Field) {
        self.request = request
        self.field = field
        first = request[field]
        if request.head.isRepeated(field), let first { position = first.upperBound }
    }

    package mutating func next() -> Range<Int>? {
        if let value = first {
            first = nil
            return value
        }
        while let start = position.flatMap(lineStart) {
            guard let colon = request.bytes[start..<headEnd].firstIndex(of: ASCII.colon) else {
                break
            }
            let end = request.bytes[colon..<headEnd].firstIndex(of: ASCII.carriageReturn) ?? headEnd
            position = end
            let bytes = request.bytes
            if Field(bytes.span, start..<colon) == field {
                return request.bytes.trimmingBlanks(colon + 1..<end)
            }
        }
        position = nil
        return nil
    }

    private var headEnd: Int { request.base + request.head.headEnd - 2 }

    /// The beginning of the line behind the line that `position` is in; nil behind the last.
    private func lineStart(after position: Int) -> Int? {
        guard position < headEnd,
            let lineFeed = request.bytes[position..<headEnd].firstIndex(of: ASCII.lineFeed),
            lineFeed + 1 < headEnd
        else { return nil }
        return lineFeed + 1
    }
}

extension Request {
    /// Every line of a list field: `If-Match`, `Prefer`, `Accept` and the like may come on several
    /// lines that count as one list (RFC 9110 §5.3). One of the other fields has one line at most.
    package func lines(of field: Field) -> FieldLines { FieldLines(self, field) }
}
