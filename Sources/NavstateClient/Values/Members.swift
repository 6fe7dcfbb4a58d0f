/// The name of a member of a JSON object, as the key of a container.
struct MemberName: CodingKey, ExpressibleByStringLiteral {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { return nil }
}

extension KeyedDecodingContainer where Key == MemberName {
    /// A member that must be there.
    func member<Value: Decodable>(_ name: MemberName) throws -> Value {
        try decode(Value.self, forKey: name)
    }

    /// A member that may be absent or null.
    func optional<Value: Decodable>(_ name: MemberName) throws -> Value? {
        try decodeIfPresent(Value.self, forKey: name)
    }

    /// All members that have no property, so that what a newer server adds can still be read.
    func members(besides known: Set<String>) throws -> [String: JSONValue] {
        var others: [String: JSONValue] = [:]
        for key in allKeys where !known.contains(key.stringValue) {
            others[key.stringValue] = try decode(JSONValue.self, forKey: key)
        }
        return others
    }
}

extension KeyedEncodingContainer where Key == MemberName {
    /// Writes a member, and nothing for nil.
    mutating func set(_ name: MemberName, _ value: (some Encodable)?) throws {
        try encodeIfPresent(value, forKey: name)
    }

    /// Writes the members that have no property.
    mutating func set(_ members: [String: JSONValue]) throws {
        for (name, value) in members { try encode(value, forKey: MemberName(stringValue: name)) }
    }
}

extension [String: JSONValue] {
    /// A member as a value of a type, nil if it is absent or has another shape.
    func value<Member: Decodable>(
        _ name: String, as type: Member.Type = Member.self
    ) -> Member? {
        guard let member = self[name], member != .null else { return nil }
        return try? member.decode(type)
    }

    /// Sets a member that is written only if it has a value.
    mutating func set(_ name: String, _ value: JSONValue?) {
        if let value { self[name] = value }
    }
}
