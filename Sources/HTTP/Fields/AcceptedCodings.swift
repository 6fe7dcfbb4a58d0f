internal import Bytes

/// The content codings that `Accept-Encoding` names (RFC 9110 §12.5.3).
///
/// A line counts up to its first malformed element. `*` is ignored, since it names no coding.
public struct AcceptedCodings: Equatable, Sendable {
    /// Whether Brotli is accepted.
    public private(set) var hasBrotli = false

    /// The codings in all lines of the field.
    public init(_ request: borrowing Request) {
        for line in request.lines(of: .acceptEncoding) { take(request.bytes, line) }
    }

    private mutating func take(_ bytes: [UInt8], _ line: Range<Int>) {
        var scanner = FieldScanner(bytes, line)
        scanner.skipEmptyElements()
        while !scanner.isAtEnd {
            guard let name = scanner.token() else { return }
            var isAccepted = true
            while let (parameter, value) = scanner.parameter() {
                if parameter == "q" { isAccepted = AcceptedTypes.weight(value) ?? 0 > 0 }
            }
            guard !scanner.isBroken, scanner.isAtEnd || scanner.take(ASCII.comma) else { return }
            if scanner.lowercased(name) == "br" { hasBrotli = isAccepted }
            scanner.skipEmptyElements()
        }
    }
}
