internal import Bytes
internal import JSON
internal import Navigation

/// The words of a client command, told apart.
struct ClientWords {
    /// The words that must be there, without the session's id.
    private(set) var required: [String] = []
    /// The session that the command is for, if it is for one.
    private(set) var session: SessionID?
    /// The word that may be left out.
    private(set) var optional: String?
    /// The members.
    private(set) var members: Members

    private let verb: Verb

    /// - Throws: a `usage` error for a word that is missing, wrong or too many.
    init(_ verb: Verb, _ arguments: [String]) throws(ExitError) {
        self.verb = verb
        let expected = verb.clientWords ?? VerbWords()
        var rest = arguments[...]
        for name in expected.required {
            // A URL or the name of a file may contain anything.
            let isFree = name == "URL" || name == "FILE"
            guard let word = rest.popFirst(), isFree || !Members.isMember(word) else {
                throw ExitError(
                    .usage, "missing argument \(name); usage: navstate \(verb.usage)")
            }
            required.append(word)
        }
        if !expected.optional.isEmpty, let word = rest.first, !Members.isMember(word) {
            optional = word
            rest.removeFirst()
        }
        if let word = rest.first, !expected.takesMembers || !Members.isMember(word) {
            throw ExitError(
                .usage, "unexpected argument \(word.clipped); usage: navstate \(verb.usage)")
        }
        members = try Members(Array(rest))
        if verb.takesSession { session = try Self.session(required.removeFirst()) }
    }

    /// - Throws: a `usage` error for text that no session has as its id.
    static func session(_ text: String) throws(ExitError) -> SessionID {
        if let id = SessionID(text) { return id }
        throw ExitError(
            .usage,
            "\(text.clipped) is not the id of a session: 1 to \(SessionID.charactersMax) letters, "
                + "digits and . _ ~ -, beginning with a letter or digit")
    }

    /// The optional word as a number.
    ///
    /// - Throws: a `usage` error if it is not one.
    func count() throws(ExitError) -> JSON? {
        guard let optional else { return nil }
        guard let number = Decimal.number(optional.utf8, digitsMax: 9) else {
            throw ExitError(
                .usage,
                "\(optional.clipped): COUNT must be a number; usage: navstate \(verb.usage)")
        }
        return .integer(Int64(number))
    }
}
