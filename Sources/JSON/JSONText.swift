/// Comparing strings and bytes as JSON does: scalar by scalar.
package enum JSONText {
    /// Whether two strings have the same scalars; `==` would also take canonical equivalents.
    @inline(__always)
    package static func isSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return left.utf8.elementsEqual(right.utf8)
    }

    /// Whether these bytes are the string's UTF-8.
    @inline(__always)
    package static func isSame(_ bytes: [UInt8], _ range: Range<Int>, _ text: String) -> Bool {
        guard range.count == text.utf8.count else { return false }
        var place = range.lowerBound
        for byte in text.utf8 {
            guard bytes[place] == byte else { return false }
            place += 1
        }
        return true
    }
}

extension String {
    /// The text itself if it is short, else its beginning, for messages: some 60 characters.
    package var clipped: String {
        utf8.count <= 80 ? self : String(unicodeScalars.prefix(60)) + "…"
    }
}
