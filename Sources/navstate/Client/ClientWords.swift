internal import Bytes
internal import JSON
internal import Navigation

/// The words of a client command by their names.
struct ClientWords {
    /// The session that the command is for, if one is named.
    private(set) var session: SessionID?
    private(set) var members: Members
    /// The other words with their names, in their order.
    private let named: [(name: String, word: String)]
    private let subcommand: Subcommand

    /// - Throws: a `usage` error for a word that is missing, wrong or too many.
    init(_ subcommand: Subcommand, _ arguments: [String]) throws(ExitError) {
        self.subcommand = subcommand
        let (words, rest) = try subcommand.named(arguments)
        named = words
        members = try Members(rest)
        if let word = self["ID"] { session = try Self.session(word) }
    }

    /// The word with this name, if it is there.
    subscript(name: String) -> String? { named.first { $0.name == name }?.word }

    /// The path of the session.
    func sessionPath() throws(ExitError) -> String {
        let id = if let session { session } else { try Self.session("") }
        return "/v1/sessions/\(PercentCoding.encode(id.rawValue))"
    }

    /// - Throws: a `usage` error for text that no session has as its id.
    private static func session(_ text: String) throws(ExitError) -> SessionID {
        if let id = SessionID(text) { return id }
        throw ExitError(
            .usage,
            "\(text.clipped) is not the id of a session: 1 to \(SessionID.charactersMax) letters, "
                + "digits and . _ ~ -, beginning with a letter or digit")
    }

    /// The words besides the session as members of the same names in lower case.
    ///
    /// - Throws: a `usage` error for a count that is not a number.
    func body() throws(ExitError) -> JSONObject {
        var body = JSONObject()
        for (name, word) in named where name != "ID" {
            body.append(name.lowercased(), name == "COUNT" ? try count(word) : .string(word))
        }
        return body
    }

    private func count(_ word: String) throws(ExitError) -> JSON {
        if let number = Decimal.number(word.utf8, digitsMax: 9) { return .integer(Int64(number)) }
        throw ExitError(
            .usage,
            "\(word.clipped): COUNT must be a number; usage: navstate \(subcommand.usage)")
    }
}
