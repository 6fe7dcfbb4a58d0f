/// The name of a member of a JSON object, as a coding key.
struct MemberName: CodingKey, ExpressibleByStringLiteral {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { return nil }
}

extension KeyedDecodingContainer where Key == MemberName {
    /// Decodes a member that must be present.
    func member<Value: Decodable>(_ name: MemberName) throws -> Value {
        try decode(Value.self, forKey: name)
    }

    /// Decodes a member that may be missing or null.
    func optional<Value: Decodable>(_ name: MemberName) throws -> Value? {
        try decodeIfPresent(Value.self, forKey: name)
    }

    /// Decodes all members that have no property of their own, so that what a newer server adds can
    /// still be read.
    func members(besides known: Set<String>) throws -> [String: JSONValue] {
        var others: [String: JSONValue] = [:]
        for key in allKeys where !known.contains(key.stringValue) {
            others[key.stringValue] = try decode(JSONValue.self, forKey: key)
        }
        return others
    }
}

extension KeyedEncodingContainer where Key == MemberName {
    /// Encodes a member, unless it is nil.
    mutating func set(_ name: MemberName, _ value: (some Encodable)?) throws {
        try encodeIfPresent(value, forKey: name)
    }

    /// Encodes the members that have no property of their own.
    mutating func set(_ members: [String: JSONValue]) throws {
        for (name, value) in members { try encode(value, forKey: MemberName(stringValue: name)) }
    }
}

extension [String: JSONValue] {
    /// Decodes a member. Returns nil if it is missing or cannot be decoded as this type.
    func value<Member: Decodable>(
        _ name: String, as type: Member.Type = Member.self
    ) -> Member? {
        guard let member = self[name], member != .null else { return nil }
        return try? member.decode(type)
    }

    /// Sets a member, unless the value is nil.
    mutating func set(_ name: String, _ value: JSONValue?) {
        if let value { self[name] = value }
    }
}
