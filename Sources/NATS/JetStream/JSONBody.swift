internal import Bytes
public import JSON

/// Why the body of a message, or the headers that take its place, cannot be read.
public enum BodyError: Error, Equatable, Sendable {
    case json(JSONSyntaxError)
    /// The body is valid JSON but not an object.
    case notAnObject
    /// A member is missing or has an invalid value.
    case member(String)
    case subject(SubjectError)
    case header(HeaderError)
    /// The message has this status where a response was expected.
    case status(Int)
}

/// Parses bodies as JSON objects.
enum JSONBody {
    /// Generous: a stream's info has a few hundred values.
    private static let limits = JSONLimits(nestingMax: 16, valuesMax: 10_000)

    /// The sequences that a message in a stream can have; a server that names another one is
    /// wrong. A stream that stores 100,000 messages per second reaches the last one after 2,700
    /// years.
    static let sequences = 1...1 << 43 - 1

    static func object(_ bytes: [UInt8], _ range: Range<Int>) throws(BodyError) -> JSONObject {
        let value: JSON
        do throws(JSONSyntaxError) {
            value = try JSON(parsing: bytes, in: range, limits: limits)
        } catch {
            throw .json(error)
        }
        guard case .object(let members) = value else { throw .notAnObject }
        return members
    }

    /// The text of an object.
    static func text(_ members: (String, JSON)...) -> [UInt8] {
        JSON.object(JSONObject(members)).bytes
    }
}

extension JSON {
    static func number(_ number: Int) -> JSON { .integer(Int64(number)) }
}

// Access to members by name. A member that is present but has the wrong type is always an error.
extension JSONObject {
    /// A member as it is read. Nil if it is missing.
    private func member<Value>(
        _ name: String, _ read: (JSON) -> Value?
    ) throws(BodyError) -> Value? {
        guard let json = self[name] else { return nil }
        guard let value = read(json) else { throw .member(name) }
        return value
    }

    private func required<Value>(_ value: Value?, _ name: String) throws(BodyError) -> Value {
        guard let value else { throw .member(name) }
        return value
    }

    /// A non-negative integer.
    func number(_ name: String, or absent: Int? = nil) throws(BodyError) -> Int {
        let number = try member(name) { json in
            if case .integer(let number) = json, number >= 0 { Int(number) } else { nil }
        }
        return try required(number ?? absent, name)
    }

    /// The sequence of a message in a stream.
    func sequence(_ name: String) throws(BodyError) -> Int {
        let number = try number(name)
        return try required(JSONBody.sequences.contains(number) ? number : nil, name)
    }

    /// A string.
    func text(_ name: String, or absent: String? = nil) throws(BodyError) -> String {
        let text = try member(name) { if case .string(let text) = $0 { text } else { nil } }
        return try required(text ?? absent, name)
    }

    /// A time.
    func time(_ name: String) throws(BodyError) -> ServerTime {
        try required(ServerTime(try text(name).utf8), name)
    }

    /// A Boolean; false if the member is missing.
    func flag(_ name: String) throws(BodyError) -> Bool {
        try member(name) { if case .bool(let flag) = $0 { flag } else { nil } } ?? false
    }

    /// An array; empty if the member is missing.
    func elements(_ name: String) throws(BodyError) -> [JSON] {
        try member(name) { if case .array(let elements) = $0 { elements } else { nil } } ?? []
    }

    /// An object. Returns nil if the member is missing.
    func object(_ name: String) throws(BodyError) -> JSONObject? {
        try member(name) { if case .object(let members) = $0 { members } else { nil } }
    }

    /// An object that must be present.
    func required(_ name: String) throws(BodyError) -> JSONObject {
        try required(try object(name), name)
    }
}
