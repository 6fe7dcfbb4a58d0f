internal import Bytes
package import JSON
internal import Navigation

extension JSONLimits {
    /// The limits for JSON in words: a server may allow that much nesting, and refuses what it does
    /// not allow.
    static let ofAnyServer = JSONLimits(nestingMax: Limits.nestingRange.upperBound)
}

/// Words like `KEY=VALUE` and `KEY:=JSON`, or one JSON object.
package struct Members: Sendable {
    /// The members in their order. A key may be repeated.
    package private(set) var items: [JSONObject.Member] = []

    /// The keys whose values are written as text, which can be that of a number or a boolean.
    private(set) var texts: Set<ExactString> = []

    /// Whether a word is written like a member, and not like an id, a number or a screen.
    static func isMember(_ word: String) -> Bool {
        guard let equals = word.firstIndex(of: "=") else { return word.hasPrefix("{") }
        return !word[..<equals].contains(" {")
    }

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
        for word in words {
            let member = try Self.member(word)
            items.append(member)
            if !word.dropFirst(member.key.count).hasPrefix(":=") {
                texts.insert(ExactString(member.key))
            }
        }
    }

    private static func member(_ word: String) throws(ExitError) -> JSONObject.Member {
        guard let equals = word.firstIndex(of: "="), !word.hasPrefix("="), !word.hasPrefix(":=")
        else {
            throw ExitError(
                .usage, "\(word.clipped) must be KEY=VALUE, KEY:=JSON or one JSON object")
        }
        let key = word[..<equals]
        let value = String(word[word.utf8.index(after: equals)...])
        guard key.hasSuffix(":") else {
            return JSONObject.Member(key: String(key), value: .string(value))
        }
        return JSONObject.Member(key: String(key.dropLast()), value: try json(value, of: word))
    }

    private static func json(_ text: String, of word: String) throws(ExitError) -> JSON {
        do {
            return try JSON(parsing: Array(text.utf8), limits: .ofAnyServer)
        } catch {
            throw ExitError(
                .usage,
                "\(word.clipped): invalid JSON at column \(error.column): \(error.reason.sentence)")
        }
    }

    /// Appends a member.
    mutating func append(_ key: String, _ value: JSON) {
        items.append(JSONObject.Member(key: key, value: value))
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

extension JSONObject {
    /// An object with these members.
    init(of members: some Sequence<Member>) { self.init(members.map { ($0.key, $0.value) }) }
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

    /// The value for people: a string without its quotes, a command or a step as its words,
    /// anything else as JSON.
    var plainText: String {
        if let string { return string }
        guard let first = members.first, ["command", "step"].contains(first.key) else {
            return text
        }
        let rest = members.dropFirst().map { " \($0.key)=\($0.value.plainText)" }
        return first.value.plainText + rest.joined()
    }

    /// The value at the end of a path of members: `visible.route`; the whole value for `*`.
    func value(at path: String) -> JSON? {
        path == "*" ? self : path.split(separator: ".").reduce(self) { $0?[String($1)] }
    }
}
