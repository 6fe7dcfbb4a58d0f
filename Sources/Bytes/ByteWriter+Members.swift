// The members of objects and the elements of arrays in JSON.
extension ByteWriter {
    /// Opens an object with its first member: `{"name":`.
    ///
    /// - Parameter name: characters that JSON does not escape.
    @inlinable @inline(__always)
    public mutating func object(_ name: StaticString) { append(UInt8(ascii: "{"), name) }

    /// Begins a member that is not the first one: `,"name":`.
    ///
    /// - Parameter name: characters that JSON does not escape.
    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString) { append(ASCII.comma, name) }

    /// Appends a byte, a name in quotes, and a colon.
    @inlinable @inline(__always)
    mutating func append(_ first: UInt8, _ name: StaticString) {
        let count = name.utf8CodeUnitCount
        reserve(count &+ 4)
        // Read once, as the compiler reads it again after each byte that is written.
        let end = unsafe memory + length
        unsafe end[0] = first
        unsafe end[1] = ASCII.quote
        unsafe (end + 2).update(from: name.utf8Start, count: count)
        unsafe end[count &+ 2] = ASCII.quote
        unsafe end[count &+ 3] = ASCII.colon
        length &+= count &+ 4
    }

    /// Begins an element of an array, or a member whose name follows: a comma unless it is the
    /// first one.
    @inlinable @inline(__always)
    public mutating func element() {
        // `{` and `[` differ in one bit.
        let isFirst = unsafe length > 0 && memory[length &- 1] | 0x20 == UInt8(ascii: "{")
        if !isFirst { append(ASCII.comma) }
    }

    /// Appends a member that is a number.
    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ number: some BinaryInteger) {
        member(name)
        append(Int(number))
    }

    /// Appends a member that is true or false.
    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, _ flag: Bool) {
        member(name)
        append(flag)
    }

    /// Appends `true` or `false`.
    @inlinable @inline(__always)
    public mutating func append(_ flag: Bool) {
        if flag { append(literal: "true") } else { append(literal: "false") }
    }

    /// Appends a member that is a string without characters that are escaped, such as a name.
    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, plain text: String) {
        member(name)
        append(quoting: text)
    }

    /// Appends a member whose value is JSON already.
    @inlinable @inline(__always)
    public mutating func member(_ name: StaticString, json text: [UInt8]) {
        member(name)
        append(text)
    }
}
