internal import Bytes
internal import JSON
package import NavstateRules

extension Exploration.Step {
    /// The command as a line for the shell, such as `navstate navigate ID stock`.
    package var line: String {
        var words = ["navstate", command, "ID"]
        guard case .object(var members)? = try? JSON(parsing: Array(body.utf8)) else {
            return words.joined(separator: " ")
        }
        for name in ["route", "tab", "url"] {
            guard case .string(let text)? = members[name] else { continue }
            words.append(Self.quoted(text))
            members[name] = nil
        }
        for name in ["params", "facts"] {
            guard case .object(let object)? = members[name] else { continue }
            words += object.members.map { Self.word($0.key, $0.value) }
            members[name] = nil
        }
        words += members.members.map { Self.word($0.key, $0.value) }
        return words.joined(separator: " ")
    }

    /// The command as an item of a batch.
    package var item: String {
        var item = JSONObject([("command", .string(command))])
        if case .object(let members)? = try? JSON(parsing: Array(body.utf8)) {
            for member in members.members { item.append(member.key, member.value) }
        }
        return JSON.object(item).text
    }

    private static func word(_ key: String, _ value: JSON) -> String {
        if case .string(let text) = value { return quoted("\(key)=\(text)") }
        return quoted("\(key):=\(value.text)")
    }

    /// A word of the shell, in single quotes if it has anything but plain characters.
    private static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy {
                ASCII.isDigit($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || "-_.,:=/@+%".utf8.contains($0)
            }
        guard !isPlain else { return text }
        let pieces = text.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'" + pieces.map { String(Substring($0)) }.joined(separator: #"'\''"#) + "'"
    }
}

extension [Exploration.Step] {
    /// The body of a batch with the commands.
    package var batch: String { #"{"commands":[\#(map(\.item).joined(separator: ","))]}"# }
}
