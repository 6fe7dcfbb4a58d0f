internal import JSON

// Reading the documents of a server, of which nothing is certain.
extension JSON {
    /// The value of a member, or nil if there is no such member or this is not an object.
    subscript(name: String) -> JSON? {
        if case .object(let object) = self { object[name] } else { nil }
    }

    /// The text, if this is a string.
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
