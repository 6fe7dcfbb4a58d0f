/// Something that the user did in this user interface.
enum LocalChange: Sendable, Hashable {
    /// A screen was pushed. The container is nil only as long as the router has not received a
    /// state; the server then pushes the screen onto its active container.
    case push(Entry, in: String?)
    /// A path was set, for example because the user swiped back.
    case setPath([Entry], in: String)
    /// The user went back one step.
    case back
    /// The user went back to the root.
    case root(RootScope)
    /// A screen was presented. If `style` is nil, the server uses the style of the route, and the
    /// style of the sheet is right only in a session without an app.
    case present(Sheet, style: SheetStyle?)
    /// A sheet was dismissed, together with those above it. `force` dismisses even sheets that are
    /// not dismissible.
    case dismiss(String, result: JSONValue?, force: Bool)
    /// A button of a dialog was pressed.
    case press(String, dialog: String)
    /// The params of the root of a tab were replaced.
    case setRoot(Entry)
    /// A tab was selected.
    case select(String)
    /// A command whose effect only the server knows, such as opening a deep link.
    case command(Command)
}

/// Local ids, for entries that have no id from the server yet. The asterisk distinguishes them from
/// the server's ids and from the names of tabs.
enum LocalID {
    static func make(_ number: Int) -> String { "*\(number)" }
    static func isLocal(_ id: String) -> Bool { id.hasPrefix("*") }
}

extension LocalChange {
    /// The command to send. It is nil if the change refers to something that the server never had.
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
        case .present(let sheet, let style): return sheet.presentation(style: style)
        case .dismiss(let sheet, let result, let force):
            guard !LocalID.isLocal(sheet) else { return nil }
            return .dismiss(.sheet(sheet), result: result, force: force)
        case .press(let button, let dialog):
            return LocalID.isLocal(dialog) ? nil : .press(button, of: dialog)
        case .setRoot(let root): return .setParams(of: root.id, root.params, replaces: true)
        case .select(let tab): return .select(tab: tab, popsToRoot: false)
        case .command(let command): return command
        }
    }

    /// The local ids of the entries and sheets that this change adds, from bottom to top.
    var added: [String] {
        switch self {
        case .push(let entry, _): [entry.id]
        case .setPath(let path, _): path.map(\.id).filter(LocalID.isLocal)
        case .present(let sheet, _): [sheet.id]
        case .back, .root, .dismiss, .press, .setRoot, .select, .command: []
        }
    }

    /// Whether the change only removes something, so that there is nothing left to do if it is
    /// already gone.
    var onlyRemoves: Bool {
        switch self {
        case .dismiss, .press, .back, .root: true
        case .setPath: added.isEmpty
        case .push, .present, .setRoot, .select, .command: false
        }
    }

    /// The same change with its ids replaced according to `names`.
    func renamed(_ names: [String: String]) -> LocalChange {
        func renamed(_ id: String) -> String { names[id] ?? id }
        switch self {
        case .push(let entry, let container):
            return .push(entry, in: container.map(renamed))
        case .setPath(let path, let container):
            return .setPath(path.map { $0.renamed(names) }, in: renamed(container))
        case .dismiss(let sheet, let result, let force):
            return .dismiss(renamed(sheet), result: result, force: force)
        case .press(let button, let dialog): return .press(button, dialog: renamed(dialog))
        case .back, .root, .present, .setRoot, .select, .command: return self
        }
    }
}

extension Entry {
    /// The same entry with its id replaced according to `names`.
    func renamed(_ names: [String: String]) -> Entry {
        var entry = self
        entry.id = names[id] ?? id
        return entry
    }

    /// The entry as part of a command. It has its id only if the server knows it.
    var destination: Destination {
        Destination(
            route, params: params, mark: mark, id: LocalID.isLocal(id) ? nil : id)
    }
}

extension Sheet {
    /// The command that presents a sheet or a dialog that was made here.
    fileprivate func presentation(style: SheetStyle?) -> Command {
        let destination = Destination(route, params: params, mark: mark)
        guard isDialog else {
            let options = PresentationOptions(
                tag: tag, detents: detents, isDismissible: isDismissible, anchor: anchor,
                ttlSeconds: members["ttlSeconds"]?.integer)
            return .present(destination, style: style, options: options)
        }
        var dialog = Dialog(destination)
        // A dialog that the app does not declare has the name of its style as its route.
        if route == self.style.rawValue { dialog.destination = nil }
        dialog.style = style
        (dialog.title, dialog.message) = (title, message)
        if title != nil { dialog.buttons = buttons }
        return .present(dialog, tag: tag)
    }
}
