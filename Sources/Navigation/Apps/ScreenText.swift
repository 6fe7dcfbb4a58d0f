internal import Bytes
internal import JSON

/// A text with `{path}` in places where a value of the params stands. Braces around anything else
/// are text.
public struct ScreenText: Sendable {
    public let pieces: [ParamsPath.Piece]
    /// The text as it is declared.
    public let declared: String

    public init(_ text: String) {
        declared = text
        pieces = ParamsPath.pieces(of: text)
    }

    /// The paths in the text.
    var paths: [ParamsPath] {
        pieces.compactMap { if case .path(let path) = $0 { path } else { nil } }
    }

    /// Whether the text is the same for all params.
    public var isFixed: Bool { paths.isEmpty }

    /// The text with the values of the params, cut at a number of bytes.
    ///
    /// - Parameters:
    ///   - params: the params as JSON, which are parsed only if a value is needed.
    ///   - missing: what stands for a value that is missing, or that is neither a text nor a number
    ///     nor a truth value. Nil to return nil then.
    func filled(with params: Params, missing: String?, bytesMax: Int) -> String? {
        var filled = ""
        let object = isFixed ? JSONObject() : params.object
        for piece in pieces {
            let text: String
            switch piece {
            case .text(let plain): text = plain
            case .path(let path):
                guard let value = path.value(in: object)?.shown ?? missing else { return nil }
                text = value
            }
            // Text that is cut off is not joined first, but its values have to be there.
            if filled.utf8.count < bytesMax { filled += text }
        }
        return filled.cut(atBytes: bytesMax)
    }
}

extension JSON {
    /// The value as it stands in a text: a text itself, a number or a truth value as its JSON. Nil
    /// for null, arrays and objects.
    fileprivate var shown: String? {
        switch self {
        case .string(let text): text
        case .bool, .integer, .double: self.text
        case .null, .array, .object: nil
        }
    }
}

extension String {
    /// The beginning of the text, of whole characters that have at most that many bytes together.
    fileprivate func cut(atBytes bytesMax: Int) -> String {
        guard utf8.count > bytesMax else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: bytesMax)
        while utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
