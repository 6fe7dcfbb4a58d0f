internal import Bytes

extension JSON {
    /// Parses a complete text, by RFC 8259 and the rules in `JSON.swift`.
    ///
    /// - Parameter range: the part of the bytes that is the text, or nil for all bytes.
    public init(
        parsing bytes: [UInt8], in range: Range<Int>? = nil, limits: JSONLimits = JSONLimits()
    ) throws(JSONSyntaxError) {
        var reader = JSONReader(bytes, in: range, limits: limits)
        self = try reader.readValue()
        try reader.expectEnd()
    }
}

extension JSONObject {
    /// Parses an object. Returns nil for any other text.
    public init?(text: String) {
        guard case .object(let object)? = try? JSON(parsing: Array(text.utf8)) else { return nil }
        self = object
    }
}

extension JSONReader {
    /// Reads a complete value. A name that is repeated in an object is an error, unless the limits
    /// allow it.
    public mutating func readValue() throws(JSONSyntaxError) -> JSON {
        switch try peekKind() {
        case .object: return .object(try readObject())
        case .array: return .array(try readArray())
        case .string: return .string(try readString())
        case .bool: return .bool(try readBool())
        case .null: return try readNull() ? .null : .null
        case .number: return try readNumber()
        }
    }

    private mutating func readNumber() throws(JSONSyntaxError) -> JSON {
        try approachValue()
        return switch try scanNumber(.value) {
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        }
    }

    private mutating func readArray() throws(JSONSyntaxError) -> [JSON] {
        try beginArray()
        var elements: [JSON] = []
        while try nextElement() {
            elements.append(try readValue())
        }
        return elements
    }

    private mutating func readObject() throws(JSONSyntaxError) -> JSONObject {
        try beginObject()
        var members: [JSONObject.Member] = []
        var known = KnownKeys()
        while let name = try nextKey() {
            guard name.utf8.count <= limits.nameBytesMax else {
                throw failure(
                    .nameTooLong(bytesMax: limits.nameBytesMax), at: key.range.lowerBound - 1)
            }
            let isNew = known.insert(name, after: members)
            guard isNew || !limits.refusesRepeats else {
                throw failure(.duplicateKey(name), at: key.range.lowerBound - 1)
            }
            let member = JSONObject.Member(key: name, value: try readValue())
            if isNew {
                members.append(member)
            } else if let index = members.firstIndex(where: { $0.key == name }) {
                members[index] = member
            }
        }
        return JSONObject(unchecked: members)
    }
}

/// The names that an object has so far. They are compared one by one while they are few, then
/// hashed.
private struct KnownKeys {
    private var hashed: Set<ExactString> = []

    /// Adds a name. Returns false if the object already has it.
    mutating func insert(_ key: String, after members: [JSONObject.Member]) -> Bool {
        if members.count < JSONObjectIndex.searchedMax {
            return !members.contains { $0.key == key }
        }
        if hashed.isEmpty {
            hashed = Set(members.map { ExactString($0.key) })
        }
        return hashed.insert(ExactString(key)).inserted
    }
}

extension JSON {
    /// The first object that has a member with a name of more than this number of bytes.
    public func firstObject(withNameLongerThan bytesMax: Int) -> JSONPointer? {
        var pointer = JSONPointer()
        return hasName(longerThan: bytesMax, at: &pointer) ? pointer : nil
    }

    /// Leaves the pointer at the object that has such a name, if there is one.
    private func hasName(longerThan bytesMax: Int, at pointer: inout JSONPointer) -> Bool {
        switch self {
        case .null, .bool, .integer, .double, .string: return false
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                pointer.append(index)
                if element.hasName(longerThan: bytesMax, at: &pointer) { return true }
                pointer.removeLast()
            }
            return false
        case .object(let object):
            if object.members.contains(where: { $0.key.utf8.count > bytesMax }) { return true }
            for member in object.members {
                pointer.append(member.key)
                if member.value.hasName(longerThan: bytesMax, at: &pointer) { return true }
                pointer.removeLast()
            }
            return false
        }
    }
}
