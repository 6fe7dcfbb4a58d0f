internal import Bytes

/// The values of all lines with one name, in order.
///
/// Usually there is one line, which the parser has found. Only for a field with several lines the
/// head is read again; it was checked before, so its lines need no checks here.
public struct FieldLines: Sequence, IteratorProtocol {
    private let request: Request
    private let field: Field
    private var first: Range<Int>?
    /// A position in the last line that was found, or nil if there are no more lines.
    private var position: Int?

    init(_ request: Request, _ field: Field) {
        self.request = request
        self.field = field
        first = request[field]
        if request.head.fields.isRepeated(field), let first { position = first.upperBound }
    }

    /// The range of the next value, without the blanks around it.
    public mutating func next() -> Range<Int>? {
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
                return bytes.span.trimmingBlanks(colon + 1..<end)
            }
        }
        position = nil
        return nil
    }

    private var headEnd: Int { request.base + request.head.body.start - 2 }

    /// The start of the line after the one that contains a position, or nil after the last line.
    private func lineStart(after position: Int) -> Int? {
        guard position < headEnd,
            let lineFeed = request.bytes[position..<headEnd].firstIndex(of: ASCII.lineFeed),
            lineFeed + 1 < headEnd
        else { return nil }
        return lineFeed + 1
    }
}

extension Request {
    /// All lines of a field. Fields such as `If-Match`, `Prefer` and `Accept` may have several
    /// lines, which form one list (RFC 9110 §5.3); for all other fields there is at most one.
    public func lines(of field: Field) -> FieldLines { FieldLines(self, field) }
}
