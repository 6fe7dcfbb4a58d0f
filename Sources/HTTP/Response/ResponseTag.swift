internal import Bytes

/// A strong entity tag. A number at its end is stored separately, so that the tag of a response
/// needs no text of its own.
package struct ResponseTag: Equatable, Sendable, ExpressibleByStringLiteral {
    /// The field line up to the number: `ETag: "` and the text without control bytes.
    let start: [UInt8]
    let number: UInt64?

    private static let fieldStart = "ETag: \""

    /// A tag without a number.
    ///
    /// - Parameter text: the opaque text without quotes.
    package init(_ text: String) {
        var start: [UInt8] = []
        start.append(Self.fieldStart)
        start.append(cleaning: text)
        self.start = start
        number = nil
    }

    private init(start: [UInt8], number: UInt64) {
        self.start = start
        self.number = number
    }

    package init(stringLiteral text: String) { self.init(text) }

    /// The tag `text-number`, if this one is `text`.
    package func numbered(_ number: UInt64) -> ResponseTag {
        ResponseTag(start: start, number: number)
    }

    /// The tag `text-first-second`, if this one is `text`.
    package func numbered(_ first: UInt64, _ second: UInt64) -> ResponseTag {
        ResponseTag(start: start + Array("-\(first)".utf8), number: second)
    }

    /// The text between the quotes, for comparison with the tags of a request.
    package var opaque: String {
        String(decoding: start.dropFirst(Self.fieldStart.utf8.count), as: UTF8.self)
            + (number.map { "-\($0)" } ?? "")
    }
}
