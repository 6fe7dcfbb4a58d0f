internal import Bytes
internal import JSON

/// A text with `{path}` in places where a value of the params stands. Braces around anything else
/// are text.
package struct ScreenText: Sendable {
    private let pieces: [ParamsPath.Piece]
    /// The text as it is declared.
    package let declared: String

    package init(_ text: String) {
        declared = text
        pieces = ParamsPath.pieces(of: text)
    }

    /// The paths in the text.
    var paths: [ParamsPath] {
        pieces.compactMap { if case .path(let path) = $0 { path } else { nil } }
    }

    /// Whether the text is the same for all params.
    package var isFixed: Bool { paths.isEmpty }

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
            switch piece {
            case .text(let text): filled += text
            case .path(let path):
                guard let text = path.value(in: object)?.textInText ?? missing else { return nil }
                filled += text
            }
        }
        return filled.cut(atBytes: bytesMax)
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
