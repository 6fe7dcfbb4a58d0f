internal import Bytes

/// An object as text without white space. Its members are found without parsing their values.
package struct CompactObject: Sendable {
    /// Where a member is in the text. The value begins after a colon.
    private struct Member {
        var keyStart: UInt32 = 0
        var keyEnd: UInt32 = 0
        var valueEnd: UInt32 = 0

        var key: Range<Int> { Int(keyStart)..<Int(keyEnd) }
        var value: Range<Int> { Int(keyEnd) + 2..<Int(valueEnd) }
    }

    private let text: [UInt8]
    private var members = InlineArray<8, Member>(repeating: Member())
    /// The number of members.
    package private(set) var count = 0

    /// No members.
    package init() { text = [] }

    /// - Parameter text: a value that was checked.
    /// - Returns: nil if it is no object, or one with a name that has escapes, or one with more
    ///   than eight members.
    package init?(_ text: [UInt8]) {
        guard text.first == UInt8(ascii: "{"), text.count <= UInt32.max else { return nil }
        self.text = text
        var at = 1
        if text[at] == UInt8(ascii: "}") { return }
        while count < 8, let keyEnd = CompactValue.stringEnd(in: text, from: at) {
            guard let end = Self.end(of: text, from: keyEnd + 1) else { return nil }
            members[count] = Member(
                keyStart: UInt32(at + 1), keyEnd: UInt32(keyEnd - 1), valueEnd: UInt32(end))
            count += 1
            if text[end] == UInt8(ascii: "}") { return }
            at = end + 1
        }
        return nil
    }

    private static func end(of text: [UInt8], from start: Int) -> Int? {
        if let end = CompactValue.end(in: text, from: start) { return end }
        var reader = JSONReader(text, in: start..<text.count, limits: .checked)
        return try? reader.skipValue().upperBound
    }

    /// The index of the member with this name.
    package func index(of name: String) -> Int? {
        name.withBytes { name -> Int? in
            (0..<count).first { isNamed($0, name) }
        }
    }

    /// Whether each member has one of these names.
    package func hasOnly(_ names: [String]) -> Bool {
        (0..<count).allSatisfy { index in
            names.contains { name in name.withBytes { isNamed(index, $0) } }
        }
    }

    @inline(__always)
    private func isNamed(_ index: Int, _ name: Span<UInt8>) -> Bool {
        let key = members[index].key
        return key.count == name.count && text.span.extracting(key).isSame(as: name)
    }

    /// The name of a member.
    package func key(_ index: Int) -> String {
        String(decoding: text[members[index].key], as: UTF8.self)
    }

    /// The text of a member's value.
    package func text(_ index: Int) -> ArraySlice<UInt8> { text[members[index].value] }

    /// Whether the value of a member is an object.
    package func isObject(_ index: Int) -> Bool {
        text[members[index].value.lowerBound] == UInt8(ascii: "{")
    }

    /// The value of a member.
    package func value(_ index: Int) -> JSON {
        let range = members[index].value
        if CompactValue.stringEnd(in: text, from: range.lowerBound) == range.upperBound {
            return .string(
                String(decoding: text[range.dropFirst().dropLast()], as: UTF8.self))
        }
        do {
            return try JSON(parsing: text, in: range, limits: .checked)
        } catch {
            preconditionFailure("the text was checked: \(error)")
        }
    }
}

extension JSONLimits {
    /// For text that was checked before.
    fileprivate static let checked = JSONLimits(
        nestingMax: .max, valuesMax: .max, refusesRepeats: false)
}
