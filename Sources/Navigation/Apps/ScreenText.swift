internal import Bytes
internal import JSON

/// A text with `{path}` in places where a value of the params stands. Braces around anything else
/// are text.
package struct ScreenText: Sendable {
    private enum Piece: Sendable {
        case text(String)
        case path(ParamPath)
    }

    private let pieces: [Piece]
    /// The text as it is declared.
    package let declared: String

    package init(_ text: String) {
        declared = text
        var pieces: [Piece] = []
        var rest = text.utf8[...]
        var plain = text.utf8.startIndex
        while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
            let inner = text.utf8[text.utf8.index(after: open)...]
            guard
                let close = inner.firstIndex(where: {
                    $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "{")
                })
            else { break }
            rest = text.utf8[close...]
            guard text.utf8[close] == UInt8(ascii: "}"),
                let path = ParamPath(text[inner.startIndex..<close])
            else { continue }
            if plain < open { pieces.append(.text(String(text[plain..<open]))) }
            pieces.append(.path(path))
            plain = text.utf8.index(after: close)
            rest = text.utf8[plain...]
        }
        if plain < text.endIndex { pieces.append(.text(String(text[plain...]))) }
        self.pieces = pieces
    }

    /// The paths in the text.
    var paths: [ParamPath] {
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
        let object = isFixed ? JSON.null : JSON.object(params.object)
        for piece in pieces {
            switch piece {
            case .text(let text): filled += text
            case .path(let path):
                guard let text = path.value(in: object)?.shown ?? missing else { return nil }
                filled += text
            }
        }
        return filled.cut(atBytes: bytesMax)
    }
}

extension JSON {
    /// The value as a title shows it, or nil for null, arrays and objects.
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
