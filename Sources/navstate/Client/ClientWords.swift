internal import API
internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation

/// The words of a client command, which become the path, the query and the body of a request.
struct ClientWords {
    private(set) var members: Members
    private let words: [(word: WordList.Word, text: String)]
    private let subcommand: Subcommand

    /// - Throws: a `usage` error for a word that is missing, wrong or too many.
    init(_ subcommand: Subcommand, _ arguments: [String]) throws(ExitError) {
        self.subcommand = subcommand
        let rest: [String]
        (words, rest) = try subcommand.named(arguments)
        members = try Members(rest)
        for (word, text) in words where ["ID", "NEW"].contains(word.name) {
            guard SessionID(text) == nil else { continue }
            throw ExitError(
                .usage,
                "\(text.clipped) is not the id of a session: 1 to \(SessionID.charactersMax) "
                    + "letters, digits and . _ ~ -, beginning with a letter or digit")
        }
        if let app = self["APP"], AppID(app) == nil { throw AppCommand.notAnID(app) }
    }

    /// The word with this name, if it is there.
    subscript(name: String) -> String? { words.first { $0.word.name == name }?.text }

    /// The path of an operation, in which the words replace the parts in braces.
    func path(_ operation: Operation) throws(ExitError) -> String {
        var path = try Endpoint.required(operation).template
        for (word, text) in words {
            guard let place = path.utf8.firstRange(of: "{\(word.member)}".utf8) else { continue }
            path.replaceSubrange(place, with: PercentCoding.encode(text))
        }
        return path
    }

    /// The words that are members of the request: those that are neither a part of the path nor a
    /// file.
    func own(_ operation: Operation) throws(ExitError) -> Members {
        let template = try Endpoint.required(operation).template
        var own = try Members([])
        for word in subcommand.words.all where word.name != "FILE" {
            guard template.utf8.firstRange(of: "{\(word.member)}".utf8) == nil else { continue }
            let texts = words.filter { $0.word.name == word.name }.map(\.text)
            if let value = try value(of: word, texts) { own.append(word.member, value) }
        }
        return own
    }

    /// The value of a word; nil if it is not there, and there is no value for that.
    private func value(of word: WordList.Word, _ texts: [String]) throws(ExitError) -> JSON? {
        if word.isRepeated {
            // A path without screens is empty; an order without tabs is none.
            let isGiven = members.items.contains { $0.key == word.member }
            guard !texts.isEmpty || word.name == "ROUTE" && !isGiven else { return nil }
            var items: [JSON] = []
            for text in texts {
                items.append(word.name == "ROUTE" ? try screen(text) : .string(text))
            }
            return .array(items)
        }
        guard let text = texts.first else { return word.name == "BADGE" ? .null : nil }
        switch word.name {
        case "COUNT", "REVISION", "FROM", "TO":
            guard let number = Decimal.number(text.utf8, digitsMax: 15) else {
                throw ExitError(
                    .usage,
                    "\(text.clipped): \(word.name) must be a number of at most 15 digits; usage: "
                        + "navstate \(subcommand.usage)")
            }
            return .integer(Int64(number))
        case "BADGE":
            return Decimal.number(text.utf8, digitsMax: 15).map { .integer(Int64($0)) }
                ?? .string(text)
        case "ENTRY": return text == "visible" ? nil : .string(text)
        default: return .string(text)
        }
    }

    /// A screen: a route, or a route and its params as JSON.
    private func screen(_ text: String) throws(ExitError) -> JSON {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count > 1 else { return .object(["route": .string(text)]) }
        let params = try Members([words[1]])
        let object = JSONObject(of: params.items)
        return .object(["route": .string(words[0]), "params": .object(object)])
    }
}

extension Endpoint {
    /// The endpoint of an operation, which is there unless the table of the API lacks a row.
    static func required(_ operation: Operation) throws(ExitError) -> Endpoint {
        if let endpoint = of(operation) { return endpoint }
        throw ExitError(.internalError, "the API has no operation \(operation)")
    }
}
