internal import Bytes

/// A place in a text, as editors and compilers count.
public struct TextPosition: Equatable, Sendable {
    /// The line, from 1. Lines end with a line feed.
    public var line: Int
    /// The column, from 1, in Unicode scalars.
    public var column: Int

    /// The place of a byte.
    ///
    /// - Parameter start: the index at which the text begins.
    public init(of index: Int, in bytes: [UInt8], from start: Int = 0) {
        let before = bytes[start..<index]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? start
        line = 1 + before.count { $0 == UInt8(ascii: "\n") }
        column = 1 + bytes[lineStart..<index].count { $0 & 0xC0 != 0x80 }
    }

    /// The place of the value at a pointer in a text that has been parsed. If there is no such
    /// value, it is the place of the innermost value around it.
    public init(of pointer: JSONPointer, in bytes: [UInt8], limits: JSONLimits = JSONLimits()) {
        var reader = JSONReader(bytes, limits: limits)
        var found = 0
        do throws(JSONSyntaxError) {
            try reader.findValue(at: pointer) { found = $0 }
        } catch {
            found = error.offset
        }
        self.init(of: found, in: bytes)
    }
}

extension JSONReader {
    /// Goes down to the value at a pointer as far as there are values, and skips what is before it.
    ///
    /// - Parameter visit: is called with the index of each value on the way.
    fileprivate mutating func findValue(
        at pointer: JSONPointer, _ visit: (Int) -> Void
    ) throws(JSONSyntaxError) {
        var kind = try peekKind()
        visit(offset)
        for step in pointer.steps {
            switch kind {
            case .object: guard try findMember(step) else { return }
            case .array: guard try findElement(step) else { return }
            case .null, .bool, .number, .string: return
            }
            kind = try peekKind()
            visit(offset)
        }
    }

    private mutating func findMember(_ name: String) throws(JSONSyntaxError) -> Bool {
        try beginObject()
        while try nextKeyRange() != nil {
            if keyIs(name) { return true }
            try skipValue()
        }
        return false
    }

    private mutating func findElement(_ step: String) throws(JSONSyntaxError) -> Bool {
        guard let index = JSON.index(step) else { return false }
        try beginArray()
        for _ in 0..<index {
            guard try nextElement() else { return false }
            try skipValue()
        }
        return try nextElement()
    }
}
