internal import Bytes
package import JSON

/// Why the body of a message, or the headers that take its place, cannot be read.
package enum BodyError: Error, Equatable, Sendable {
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
    /// A non-negative integer.
    func number(_ name: String, or absent: Int? = nil) throws(BodyError) -> Int {
        guard let value = self[name] else { return try Self.unwrap(absent, name) }
        guard case .integer(let number) = value, number >= 0 else { throw .member(name) }
        return Int(number)
    }

    /// The sequence of a message in a stream.
    func sequence(_ name: String) throws(BodyError) -> Int {
        let number = try number(name)
        guard JSONBody.sequences.contains(number) else { throw .member(name) }
        return number
    }

    /// A time.
    func time(_ name: String) throws(BodyError) -> ServerTime {
        guard let time = ServerTime(try text(name).utf8) else { throw .member(name) }
        return time
    }

    /// A string.
    func text(_ name: String, or absent: String? = nil) throws(BodyError) -> String {
        guard let value = self[name] else { return try Self.unwrap(absent, name) }
        guard case .string(let text) = value else { throw .member(name) }
        return text
    }

    /// A Boolean; false if the member is missing.
    func flag(_ name: String) throws(BodyError) -> Bool {
        guard let value = self[name] else { return false }
        guard case .bool(let flag) = value else { throw .member(name) }
        return flag
    }

    /// An array of strings; empty if the member is missing.
    func texts(_ name: String) throws(BodyError) -> [String] {
        var texts: [String] = []
        for element in try elements(name) {
            guard case .string(let text) = element else { throw .member(name) }
            texts.append(text)
        }
        return texts
    }

    /// An array; empty if the member is missing.
    func elements(_ name: String) throws(BodyError) -> [JSON] {
        guard let value = self[name] else { return [] }
        guard case .array(let elements) = value else { throw .member(name) }
        return elements
    }

    /// An object. Returns nil if the member is missing.
    func object(_ name: String) throws(BodyError) -> JSONObject? {
        guard let value = self[name] else { return nil }
        guard case .object(let members) = value else { throw .member(name) }
        return members
    }

    /// An object that must be present.
    func required(_ name: String) throws(BodyError) -> JSONObject {
        try Self.unwrap(try object(name), name)
    }

    private static func unwrap<Value>(_ value: Value?, _ name: String) throws(BodyError) -> Value {
        guard let value else { throw .member(name) }
        return value
    }
}
