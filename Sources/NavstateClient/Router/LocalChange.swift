/// What the user has done in this user interface.
enum LocalChange: Sendable, Hashable {
    /// A screen was pushed. Without a container, onto what is active on the server; for a router
    /// that has not received a state yet.
    case push(Entry, in: String?)
    /// A path was written, for example because the user has swiped back.
    case setPath([Entry], in: String)
    /// One step back.
    case back
    /// Back to the root.
    case root(RootScope)
    /// A screen was presented. Without a style, the route's own counts; that of the sheet is a
    /// guess.
    case present(Sheet, style: SheetStyle?)
    /// A sheet was dismissed, with those above it. `force` also dismisses sheets that are not
    /// dismissible.
    case dismiss(String, result: JSONValue?, force: Bool)
    /// A tab was selected.
    case select(String)
    /// Something whose effect only the server knows, such as a deep link.
    case command(Command)
}

/// Ids that were made here, for entries that the server has not named yet. The asterisk keeps them
/// apart from the server's ids and from the names of tabs.
enum LocalID {
    static func make(_ number: Int) -> String { "*\(number)" }
    static func isLocal(_ id: String) -> Bool { id.hasPrefix("*") }
}

extension LocalChange {
    /// The command to send. Nil if it is about something that the server never had.
    var command: Command? {
        switch self {
        case .push(let entry, let container):
            guard !(container.map(LocalID.isLocal) ?? false) else { return nil }
            return .navigate(to: entry.destination, in: container)
        case .setPath(let path, let container):
            guard !LocalID.isLocal(container) else { return nil }
            return .setPath(in: container, path.map(\.destination))
        case .back: return .back()
        case .root(let scope): return .root(scope)
        case .present(let sheet, let style):
            let destination = Destination(
                sheet.route, params: sheet.params, mark: sheet.members["mark"]?.string)
            let options = PresentationOptions(
                tag: sheet.tag, detents: sheet.detents, isDismissible: sheet.isDismissible)
            return .present(destination, style: style, options: options)
        case .dismiss(let sheet, let result, let force):
            guard !LocalID.isLocal(sheet) else { return nil }
            return .dismiss(.sheet(sheet), result: result, force: force)
        case .select(let tab): return .select(tab: tab, popsToRoot: false)
        case .command(let command): return command
        }
    }

    /// The local ids of what this adds, from bottom to top.
    var added: [String] {
        switch self {
        case .push(let entry, _): [entry.id]
        case .setPath(let path, _): path.map(\.id).filter(LocalID.isLocal)
        case .present(let sheet, _): [sheet.id]
        case .back, .root, .dismiss, .select, .command: []
        }
    }

    /// Whether there is nothing left to do if what this names is gone already.
    var onlyRemoves: Bool {
        switch self {
        case .dismiss, .back, .root: true
        case .setPath: added.isEmpty
        case .push, .present, .select, .command: false
        }
    }

    /// The same change after ids have got other names.
    func renamed(_ names: [String: String]) -> LocalChange {
        func renamed(_ id: String) -> String { names[id] ?? id }
        switch self {
        case .push(let entry, let container):
            return .push(entry, in: container.map(renamed))
        case .setPath(let path, let container):
            return .setPath(path.map { $0.renamed(names) }, in: renamed(container))
        case .dismiss(let sheet, let result, let force):
            return .dismiss(renamed(sheet), result: result, force: force)
        case .back, .root, .present, .select, .command: return self
        }
    }
}

extension Entry {
    /// The same entry after ids have got other names.
    func renamed(_ names: [String: String]) -> Entry {
        var entry = self
        entry.id = names[id] ?? id
        return entry
    }

    /// As part of a command, with its id if the server knows it.
    var destination: Destination {
        Destination(
            route, params: params, mark: mark, id: LocalID.isLocal(id) ? nil : id)
    }
}
