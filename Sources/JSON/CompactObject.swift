internal import Bytes

/// JSON text without white space and, if it is an object of a few members, where each of them is.
/// The members are found without parsing their values. It is a class, as it is passed from part to
/// part.
public final class CompactObject: Sendable {
    /// The text of the value.
    public let text: [UInt8]
    private let members: MemberTable
    /// Whether the value is an object whose members are known: at most eight, with names that have
    /// no escapes.
    public var isIndexed: Bool { members.isComplete }
    /// The number of members that are known.
    public var count: Int { members.count }

    /// An object without members.
    public static let empty = CompactObject(Array("{}".utf8))

    /// - Parameter text: a value that was checked.
    public convenience init(_ text: [UInt8]) {
        var members = MemberTable()
        members.isComplete = Self.index(text, &members)
        self.init(text, members)
    }

    init(_ text: [UInt8], _ members: MemberTable) {
        self.text = text
        self.members = members
    }

    private static func index(_ text: [UInt8], _ members: inout MemberTable) -> Bool {
        guard text.first == UInt8(ascii: "{"), text.count <= UInt32.max else { return false }
        var at = 1
        if text[at] == UInt8(ascii: "}") { return true }
        while let keyEnd = CompactValue.stringEnd(in: text, from: at) {
            guard let end = end(of: text, from: keyEnd + 1),
                members.append(key: at + 1..<keyEnd - 1, valueEnd: end)
            else { return false }
            if text[end] == UInt8(ascii: "}") { return true }
            at = end + 1
        }
        return false
    }

    private static func end(of text: [UInt8], from start: Int) -> Int? {
        if let end = CompactValue.end(in: text, from: start) { return end }
        var reader = JSONReader(text, in: start..<text.count, limits: .checked)
        return try? reader.skipValue().upperBound
    }

    /// The index of the member with this name.
    public func index(of name: String) -> Int? {
        guard members.mayHaveName(ofLength: name.utf8.count) else { return nil }
        let text = text
        return name.withBytes { name in
            for index in 0..<members.count where members[index].key.count == name.count {
                if text.span.extracting(members[index].key).isSame(as: name) { return index }
            }
            return nil
        }
    }

    /// The name of a member.
    public func key(_ index: Int) -> String {
        text.string(members[index].key)
    }

    /// The text of a member's value.
    public func text(_ index: Int) -> ArraySlice<UInt8> { text[members[index].value] }

    /// Whether the value of a member is an object.
    public func isObject(_ index: Int) -> Bool {
        text[members[index].value.lowerBound] == UInt8(ascii: "{")
    }

    /// The value of a member.
    public func value(_ index: Int) -> JSON {
        let range = members[index].value
        if CompactValue.stringEnd(in: text, from: range.lowerBound) == range.upperBound {
            return .string(text.string(range.dropFirst().dropLast()))
        }
        return json(in: range)
    }

    /// The whole value.
    public var json: JSON { json(in: text.indices) }

    private func json(in range: Range<Int>) -> JSON {
        do {
            return try JSON(parsing: text, in: range, limits: .checked)
        } catch {
            preconditionFailure("the text was checked: \(error)")
        }
    }
}

/// Where the members of an object are in its text.
struct MemberTable: Sendable {
    /// Where a member is. The value begins after a colon.
    struct Place: Sendable {
        private var keyStart: UInt32 = 0
        private var keyEnd: UInt32 = 0
        private var valueEnd: UInt32 = 0

        init() {}

        fileprivate init(key: Range<Int>, valueEnd: Int) {
            keyStart = UInt32(key.lowerBound)
            keyEnd = UInt32(key.upperBound)
            self.valueEnd = UInt32(valueEnd)
        }

        var key: Range<Int> { Int(keyStart)..<Int(keyEnd) }
        var value: Range<Int> { Int(keyEnd) + 2..<Int(valueEnd) }
    }

    private var places = InlineArray<8, Place>(repeating: Place())
    private(set) var count = 0
    /// A bit for each length of a name. Most lookups are for members that the object lacks.
    private var lengths: UInt64 = 0
    /// Whether the value is an object, and all its members are in the table.
    var isComplete = false

    subscript(index: Int) -> Place { places[index] }

    @inline(__always)
    func mayHaveName(ofLength length: Int) -> Bool { lengths >> UInt64(length & 63) & 1 == 1 }

    /// Adds a member. Returns false if the table is full.
    ///
    /// - Parameter key: the name without its quotes.
    mutating func append(key: Range<Int>, valueEnd: Int) -> Bool {
        guard count < places.count else { return false }
        places[count] = Place(key: key, valueEnd: valueEnd)
        count += 1
        lengths |= 1 << UInt64(key.count & 63)
        return true
    }
}

extension JSONLimits {
    /// For text that was checked before.
    fileprivate static let checked = JSONLimits(
        nestingMax: .max, valuesMax: .max, refusesRepeats: false)
}
