extension Nav.Command {
    /// The command with the ids that it names replaced.
    func renamed(_ name: (String) -> String) -> Nav.Command {
        var command = self
        for (member, value) in members {
            command.members[member] = Self.renamed(value, of: member, by: name)
        }
        return command
    }

    /// Whether the command names one of these ids.
    func names(one of: Set<String>) -> Bool {
        var isNamed = false
        _ = renamed { id in
            isNamed = isNamed || of.contains(id)
            return id
        }
        return isNamed
    }

    private static func renamed(
        _ value: JSONValue, of member: String, by name: (String) -> String
    ) -> JSONValue {
        switch value {
        case .string(let id) where ["in", "sheet", "entry", "id"].contains(member):
            .string(name(id))
        case .object(let members) where ["to", "path", "commands"].contains(member):
            .object(
                Dictionary(members.map { ($0.key, renamed($0.value, of: $0.key, by: name)) }) { $1 }
            )
        case .array(let items) where ["path", "commands"].contains(member):
            .array(items.map { renamed($0, of: member, by: name) })
        case .null, .bool, .integer, .number, .string, .array, .object: value
        }
    }
}

extension Nav.Command {
    /// Whether the command only removes something, so that there is nothing left to do if it is
    /// already gone.
    var onlyRemoves: Bool {
        switch name {
        case "dismiss", "back", "root": true
        case "setPath": self["path"]?.array?.allSatisfy { $0["id"] != nil } ?? false
        default: false
        }
    }
}
