internal import Bytes
package import JSON

/// Lines of words as a shell reads and writes them.
package enum ShellWords {
    /// The words of a line, and the comment at its end.
    ///
    /// - Returns: nil if a quote is not closed, or if the line has more than words: a variable, a
    ///   pipe, a redirection and the like.
    package static func parse(_ line: some StringProtocol) -> (words: [String], comment: String)? {
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var quote: UnicodeScalar?
        var rest = Substring(line).unicodeScalars
        while let scalar = rest.popFirst() {
            if let open = quote {
                if scalar == open {
                    quote = nil
                } else if open == "\"", scalar == "\\", let next = rest.popFirst() {
                    if !"\"\\$`".unicodeScalars.contains(next) { word?.append("\\") }
                    word?.append(next)
                } else if open == "\"", "$`".unicodeScalars.contains(scalar) {
                    return nil
                } else {
                    word?.append(scalar)
                }
                continue
            }
            switch scalar {
            case " ", "\t":
                if let done = word { words.append(String(done)) }
                word = nil
            case "#" where word == nil: return (words, String(rest))
            case "'", "\"": (quote, word) = (scalar, word ?? .init())
            case "\\":
                guard let next = rest.popFirst() else { return nil }
                word = (word ?? .init()) + [next]
            case _ where "$`|&;<>()*?[!".unicodeScalars.contains(scalar): return nil
            default: word = (word ?? .init()) + [scalar]
            }
        }
        guard quote == nil else { return nil }
        return (words + [word].compactMap { $0.map(String.init) }, "")
    }

    /// A word as a shell reads it, in single quotes if it has anything but plain characters.
    package static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { ASCII.isUnreserved($0) || ",:=/@+%".utf8.contains($0) }
        guard text.isEmpty || !isPlain || text.hasPrefix("~") else { return text }
        return "'"
            + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: #"'\''"#) + "'"
    }
}

extension Subcommand {
    /// The command line for a command of the API: the reverse of `ClientWords`.
    ///
    /// - Parameters:
    ///   - body: the members of the command.
    ///   - session: the word in the place of `ID`.
    package static func line(_ name: String, _ body: JSONObject, session: String) -> String {
        if let row = client.first(where: { $0.name == name }),
            let words = row.words(for: body)
        {
            return (["navstate", name, session] + words).map(ShellWords.quoted)
                .joined(separator: " ")
        }
        var item = JSONObject([("command", .string(name))])
        for member in body.members { item.append(member.key, member.value) }
        return line("batch", ["commands": .array([.object(item)])], session: session)
    }

    /// The words after the id. Nil if a member that must be a word cannot be one.
    private func words(for body: JSONObject) -> [String]? {
        if words.all.last?.name == "FILE" { return [Printable.text(JSON.object(body).text)] }
        var body = body
        var found: [String] = []
        if name == "setBadge", body["badge"] == .null { body["badge"] = nil }
        for word in words.all.dropFirst() {
            let isVisible = word.name == "ENTRY" && body[word.member] == nil
            guard let text = isVisible ? "visible" : Self.word(word, body[word.member]) else {
                if word.isRequired { return nil }
                break
            }
            found.append(text)
            body[word.member] = nil
        }
        if let name = words.enclosingMember {
            if let inner = body[name] {
                guard case .object(let object) = inner else { return nil }
                found += Self.members(object)
                body[name] = nil
            }
            return found + Self.members(body).flatMap { ["--with", $0] }
        }
        guard words.takesMembers || body.isEmpty else { return nil }
        return found + Self.members(body)
    }

    /// The word for a member, if it has one that is read as this value again.
    private static func word(_ word: WordList.Word, _ value: JSON?) -> String? {
        switch value {
        case .string(let text)?:
            let isPlain = !text.hasPrefix("-") && !text.isEmpty && Printable.text(text) == text
            let isNumber = word.name == "BADGE" && Decimal.number(text.utf8, digitsMax: 15) != nil
            let isOther = isNumber || word.name == "ENTRY" && text == "visible"
            guard isPlain, !isOther, !word.isRepeated, word.name != "COUNT" else { return nil }
            return word.name == "URL" || !Members.isMember(text) ? text : nil
        case .integer(let number)? where ["COUNT", "BADGE"].contains(word.name) && number >= 0:
            return "\(number)"
        case .integer, .null, .bool, .double, .array, .object, nil: return nil
        }
    }

    private static func members(_ object: JSONObject) -> [String] {
        let isPlain = object.members.allSatisfy { member in
            !member.key.isEmpty && Printable.text(member.key) == member.key
                && !["-", "{", "=", ":="].contains(where: member.key.hasPrefix)
                && !member.key.contains("=") && !member.key.hasSuffix(":")
                && !member.key.contains(" {")
        }
        guard isPlain else { return [Printable.text(JSON.object(object).text)] }
        return object.members.map { member in
            if case .string(let text) = member.value, Members.spelled(text) == nil,
                Printable.text(text) == text
            {
                return "\(member.key)=\(text)"
            }
            return "\(member.key):=\(Printable.text(member.value.text))"
        }
    }
}
