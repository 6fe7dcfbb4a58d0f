/// Compares strings and bytes scalar by scalar.
package enum JSONText {
    /// Whether two strings have the same scalars; `==` is also true for canonical
    /// equivalents.
    @inline(__always)
    package static func isSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return left.utf8.elementsEqual(right.utf8)
    }

    /// Whether a range of bytes is the UTF-8 of a string.
    @inline(__always)
    package static func isSame(_ bytes: [UInt8], _ range: Range<Int>, as text: String) -> Bool {
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
    /// The text for a message: all of it if it is short, otherwise the first 60 characters.
    package var clipped: String {
        utf8.count <= 80 ? self : String(unicodeScalars.prefix(60)) + "…"
    }
}
