// Strings are compared by their bytes.
//
// The operators of the standard library treat canonically equivalent spellings as equal, and take
// time that grows with the square of the length of a run of combining marks. A file that imports
// `Bytes` gets the declarations below instead: the compiler prefers them, also in a synthesized
// `==`. They cannot reach generic code, such as the lookup in a dictionary; its keys are
// `ExactString`. A test reads the compiled files of all targets and reports those that still use
// the standard library's comparisons.

extension String {
    /// Calls a closure with the bytes of the string, which stay where they are until it returns.
    ///
    /// `utf8.span` must not be used instead. The bytes of a short string are on the stack, and the
    /// optimizer of Swift 6.3 does not see that the span refers to them: if a function ends with a
    /// call that is given the span, its stack frame is gone before the bytes are read.
    @inlinable @inline(__always)
    public func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        var text = self
        return text.withUTF8 { unsafe body(Span(_unsafeElements: $0)) }
    }

    /// Text from UTF-8. Nil for bytes that are not UTF-8.
    public init?(utf8 bytes: ArraySlice<UInt8>) {
        if bytes.contains(where: { $0 >= 0x80 }) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            self.init(decoding: bytes, as: UTF8.self)
        }
    }

    /// Whether both have the same bytes.
    @inline(never)
    public static func == (left: String, right: String) -> Bool {
        // The same two words of memory contain the same short text or refer to the same long one.
        unsafe unsafeBitCast(left, to: (UInt64, UInt64).self)
            == unsafeBitCast(right, to: (UInt64, UInt64).self)
            || left.utf8.count == right.utf8.count
                && left.withBytes { bytes in right.withBytes { bytes.isSame(as: $0) } }
    }

    /// Whether their bytes differ.
    @inlinable
    public static func != (left: String, right: String) -> Bool { !(left == right) }

    /// Whether both are there and have the same bytes.
    @inlinable
    public static func == (left: String?, right: String) -> Bool {
        if let left { left == right } else { false }
    }

    /// Whether the left one is missing or has other bytes.
    @inlinable
    public static func != (left: String?, right: String) -> Bool { !(left == right) }

    /// Orders strings by their bytes.
    @inlinable
    public static func < (left: String, right: String) -> Bool { left.order(right) < 0 }

    /// Compares the bytes with those of another string: negative if they come first, 0 if they are
    /// the same.
    @inlinable
    public func order(_ other: String) -> Int {
        withBytes { bytes in other.withBytes { bytes.order($0) } }
    }

    /// Whether a string has the bytes of a pattern in a switch.
    @inlinable
    public static func ~= (pattern: String, text: String) -> Bool { pattern == text }

    /// Whether the first bytes are those of another string.
    @inlinable
    public func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the last bytes are those of another string.
    @inlinable
    public func hasSuffix(_ suffix: String) -> Bool {
        utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}

extension Span<UInt8> {
    /// The bytes as text. What is not UTF-8 is replaced.
    public var string: String {
        unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension [UInt8] {
    /// A range of the bytes as text, which is faster than text from a slice.
    public func string(_ range: Range<Int>) -> String { span.extracting(range).string }
}

extension Optional where Wrapped == String {
    /// Whether both are missing, or both are there and have the same bytes.
    @inlinable
    public static func == (left: String?, right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left == right
        case (nil, _?), (_?, nil): false
        }
    }

    /// Whether one is missing or the bytes differ.
    @inlinable
    public static func != (left: String?, right: String?) -> Bool { !(left == right) }
}

extension Sequence where Element == String {
    /// Whether one of the strings has these bytes.
    @inlinable
    public func contains(_ text: String) -> Bool { contains { $0 == text } }
}

extension Array where Element == String {
    /// Whether both have strings of the same bytes in the same order.
    @inlinable
    public static func == (left: [String], right: [String]) -> Bool {
        left.elementsEqual(right) { $0 == $1 }
    }
}

extension Optional where Wrapped == [String] {
    /// Whether both are missing, or both have strings of the same bytes in the same order.
    @inlinable
    public static func == (left: [String]?, right: [String]?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left == right
        case (nil, _?), (_?, nil): false
        }
    }
}

extension Substring {
    /// Whether both have the same bytes.
    @inlinable
    public static func == (left: Substring, right: Substring) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    /// Whether the bytes are those of a string.
    @inlinable
    public static func == (left: Substring, right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    /// Whether the first bytes are those of a string.
    @inlinable
    public func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the last bytes are those of a string.
    @inlinable
    public func hasSuffix(_ suffix: String) -> Bool {
        utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}

extension StringProtocol {
    /// Whether a character occurs.
    @inlinable
    public func contains(_ character: Character) -> Bool {
        contains { $0.utf8.elementsEqual(character.utf8) }
    }

    /// Where a character occurs first.
    @inlinable
    public func firstIndex(of character: Character) -> Index? {
        firstIndex { $0.utf8.elementsEqual(character.utf8) }
    }

    /// Where a character occurs last.
    @inlinable
    public func lastIndex(of character: Character) -> Index? {
        lastIndex { $0.utf8.elementsEqual(character.utf8) }
    }

    /// The parts between the occurrences of a character.
    @inlinable
    public func split(
        separator: Character, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [SubSequence] {
        split(maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences) {
            $0.utf8.elementsEqual(separator.utf8)
        }
    }
}
