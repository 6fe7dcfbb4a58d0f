internal import Bytes

/// Compares strings and bytes scalar by scalar.
package enum JSONText {
    /// Whether two strings have the same scalars; `==` is also true for canonical
    /// equivalents.
    package static func isSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return left.utf8.span.isSame(as: right.utf8.span)
    }

    /// Whether a range of bytes is the UTF-8 of a string.
    package static func isSame(_ bytes: [UInt8], _ range: Range<Int>, as text: String) -> Bool {
        guard range.count == text.utf8.count else { return false }
        return bytes.span.extracting(range).isSame(as: text.utf8.span)
    }
}

extension String {
    /// The text for a message: all of it if it is short, otherwise the first 60 characters.
    package var clipped: String {
        utf8.count <= 80 ? self : String(unicodeScalars.prefix(60)) + "…"
    }
}
