internal import Bytes
package import JSON

/// Words like `KEY=VALUE` and `KEY:=JSON`, or one JSON object.
package struct Members: Sendable {
    /// The members in their order. A key may be repeated.
    package private(set) var items: [JSONObject.Member] = []

    /// Whether a word is written like a member, and not like an id or a number.
    static func isMember(_ word: String) -> Bool { word.contains("=") || word.hasPrefix("{") }

    /// Parses the words.
    ///
    /// - Throws: a `usage` error for the first word that is not a member.
    package init(_ words: [String]) throws(ExitError) {
        if let word = words.first(where: { $0.hasPrefix("{") }) {
            guard words.count == 1, case .object(let object) = try Self.json(word, of: word) else {
                throw ExitError(
                    .usage, "\(word.clipped): a JSON object must be alone, without KEY=VALUE")
            }
            items = object.members
            return
        }
        for word in words { items.append(try Self.member(word)) }
    }

    private static func member(_ word: String) throws(ExitError) -> JSONObject.Member {
        guard let equals = word.firstIndex(of: "="), !word.hasPrefix("="), !word.hasPrefix(":=")
        else {
            throw ExitError(
                .usage, "\(word.clipped) must be KEY=VALUE, KEY:=JSON or one JSON object")
        }
        let key = word[..<equals]
        let value = String(word[word.index(after: equals)...])
        guard key.hasSuffix(":") else {
            return JSONObject.Member(key: String(key), value: .string(value))
        }
        return JSONObject.Member(key: String(key.dropLast()), value: try json(value, of: word))
    }

    private static func json(_ text: String, of word: String) throws(ExitError) -> JSON {
        do {
            return try JSON(parsing: Array(text.utf8))
        } catch {
            throw ExitError(
                .usage,
                "\(word.clipped): invalid JSON at column \(error.column): \(error.reason.sentence)")
        }
    }

    /// Appends a member whose value is a string.
    mutating func append(_ key: String, _ value: String) {
        items.append(JSONObject.Member(key: key, value: .string(value)))
    }

    /// Adds the members to an object.
    ///
    /// - Throws: a `usage` error for a key that is there already.
    package func add(to object: inout JSONObject) throws(ExitError) {
        for item in items {
            guard !object.contains(item.key) else {
                throw ExitError(.usage, "\(item.key.clipped) is given twice; give it once")
            }
            object.append(item.key, item.value)
        }
    }

    /// The members as a query with its question mark; empty without members.
    package var query: String {
        let parts = items.map { item in
            let value = item.value.string ?? item.value.text
            return PercentCoding.encode(item.key) + "=" + PercentCoding.encode(value)
        }
        return parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
    }
}

// Reading the documents of a server, of which nothing is certain.
extension JSON {
    /// The value of a member, or nil if there is no such member or this is not an object.
    subscript(name: String) -> JSON? {
        if case .object(let object) = self { object[name] } else { nil }
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number, if this is an integer.
    var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The elements, if this is an array; otherwise none.
    var items: [JSON] {
        if case .array(let items) = self { items } else { [] }
    }

    /// The members, if this is an object; otherwise none.
    var members: [JSONObject.Member] {
        if case .object(let object) = self { object.members } else { [] }
    }

    /// The value for people: a string without its quotes, anything else as JSON.
    var plainText: String { string ?? text }
}
