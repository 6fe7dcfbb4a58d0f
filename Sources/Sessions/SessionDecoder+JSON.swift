internal import Bytes
internal import JSON
internal import Navigation

// Reading the JSON of a session: names of members, values, strings and numbers.

extension SessionDecoder {
    /// The next byte; at the end 0, which is never valid outside a string.
    var byte: UInt8 { at < text.count ? text[at] : 0 }

    mutating func pass(_ expected: UInt8) throws(Failure) {
        guard byte == expected else { throw .syntax(at: at) }
        at += 1
    }

    /// Moves to the next member. Returns false at the end of the object.
    mutating func next() throws(Failure) -> Bool {
        if byte == UInt8(ascii: "}") {
            at += 1
            return false
        }
        if text[at - 1] != UInt8(ascii: "{") { try pass(UInt8(ascii: ",")) }
        return true
    }

    /// Moves behind a member that a later version may have written.
    mutating func skipMember() throws(Failure) {
        guard let end = CompactValue.stringEnd(in: text, from: at) else { throw .syntax(at: at) }
        at = end
        try pass(UInt8(ascii: ":"))
        _ = try value()
    }

    /// Moves behind the end of the object.
    mutating func skipMembers() throws(Failure) {
        while try next() { try skipMember() }
    }

    /// Moves behind a literal if it comes next.
    @inline(__always)
    mutating func accept(_ literal: StaticString) -> Bool {
        let end = at + literal.utf8CodeUnitCount
        guard text.span.isSame(as: literal, in: at..<end) else { return false }
        at = end
        return true
    }

    mutating func list<Element>(
        reserving room: Int = 4, _ element: (inout SessionDecoder) throws(Failure) -> Element
    ) throws(Failure) -> [Element] {
        var list: [Element] = []
        try pass(UInt8(ascii: "["))
        while byte != UInt8(ascii: "]") {
            if list.isEmpty {
                list.reserveCapacity(room)
            } else {
                try pass(UInt8(ascii: ","))
            }
            list.append(try element(&self))
        }
        at += 1
        return list
    }

    /// Moves behind a value and returns its range.
    mutating func value() throws(Failure) -> Range<Int> {
        let start = at
        if let end = CompactValue.end(in: text, from: start) {
            at = end
        } else {
            var reader = JSONReader(text, in: start..<text.count, limits: .stored)
            guard let range = try? reader.skipValue(), range.lowerBound == start else {
                throw .syntax(at: start)
            }
            at = range.upperBound
        }
        return start..<at
    }

    /// Moves behind a string and returns the range between its quotes.
    mutating func quoted() throws(Failure) -> Range<Int> {
        let value = try value()
        return value.lowerBound + 1..<value.upperBound - 1
    }

    mutating func string() throws(Failure) -> String {
        let start = at
        guard byte == UInt8(ascii: "\"") else { throw .syntax(at: start) }
        if let end = CompactValue.stringEnd(in: text, from: start) {
            at = end
            return text.string(start + 1..<end - 1)
        }
        var reader = JSONReader(text, in: start..<text.count, limits: .stored)
        guard let string = try? reader.readString() else { throw .syntax(at: start) }
        at = reader.offset
        return string
    }

    mutating func integer() throws(Failure) -> Int {
        let range = try value()
        var reader = JSONReader(text, in: range, limits: .stored)
        guard let integer = try? reader.readInt() else { throw .syntax(at: range.lowerBound) }
        return integer
    }

    mutating func flag() throws(Failure) -> Bool {
        let range = try value()
        if text.span.isSame(as: "true", in: range) { return true }
        guard text.span.isSame(as: "false", in: range) else {
            throw .syntax(at: range.lowerBound)
        }
        return false
    }
}
