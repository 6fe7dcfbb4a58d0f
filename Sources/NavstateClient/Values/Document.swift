import Foundation

/// A value that is a JSON object. It reads and writes the members in `known`, each of which has a
/// stored property. All others are kept in `members`, so that a program can use what a newer server
/// sends, and returns it unchanged.
protocol Document: Codable, Sendable, Hashable {
    /// The members that have a stored property.
    static var known: [Member<Self>] { get }
    /// All other members.
    var members: [String: JSONValue] { get set }

    /// Creates a value whose properties are still to be read.
    init()
}

/// A member of a JSON object that has a stored property.
struct Member<Root: Document>: Sendable {
    let name: MemberName
    let read: @Sendable (inout Root, KeyedDecodingContainer<MemberName>) throws -> Void
    let write: @Sendable (Root, inout KeyedEncodingContainer<MemberName>) throws -> Void

    /// A member that must be present.
    static func required<Value: Codable & SendableMetatype>(
        _ name: MemberName, _ property: any WritableKeyPath<Root, Value> & Sendable
    ) -> Member {
        Member(name: name) { root, json in
            root[keyPath: property] = try json.decode(Value.self, forKey: name)
        } write: { root, json in
            try json.encode(root[keyPath: property], forKey: name)
        }
    }

    /// A member that is always written, and without which the property has its initial value.
    static func defaulted<Value: Codable & SendableMetatype>(
        _ name: MemberName, _ property: any WritableKeyPath<Root, Value> & Sendable
    ) -> Member {
        Member(name: name) { root, json in
            guard let value = try json.decodeIfPresent(Value.self, forKey: name) else { return }
            root[keyPath: property] = value
        } write: { root, json in
            try json.encode(root[keyPath: property], forKey: name)
        }
    }

    /// A member that is left out as long as the property has its initial value.
    static func optional<Value: Codable & Equatable & Sendable>(
        _ name: MemberName, _ property: any WritableKeyPath<Root, Value> & Sendable
    ) -> Member {
        let (member, initial) = (defaulted(name, property), Root()[keyPath: property])
        return Member(name: name, read: member.read) { root, json in
            if root[keyPath: property] != initial { try member.write(root, &json) }
        }
    }
}

/// The name of a member of a JSON object, as a coding key.
struct MemberName: CodingKey, ExpressibleByStringLiteral, Sendable {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { return nil }
}

extension Document {
    public init(from decoder: any Decoder) throws {
        self.init()
        let json = try decoder.container(keyedBy: MemberName.self)
        for member in Self.known { try member.read(&self, json) }
        for key in json.allKeys
        where !Self.known.contains(where: { $0.name.stringValue == key.stringValue }) {
            members[key.stringValue] = try json.decode(JSONValue.self, forKey: key)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: MemberName.self)
        for (name, value) in members {
            try json.encode(value, forKey: MemberName(stringValue: name))
        }
        for member in Self.known { try member.write(self, &json) }
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

    /// Parses a member that is an RFC 3339 time.
    func date(_ name: String) -> Date? {
        self[name]?.string.flatMap { try? Date($0, strategy: .iso8601) }
    }
}
