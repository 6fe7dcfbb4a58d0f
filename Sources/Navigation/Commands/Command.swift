public import Bytes
public import JSON

/// The names of the commands in URLs and batches.
public enum CommandName: String, CaseIterable, Sendable {
    case navigate, back, root, present, dismiss, select, open
    case setPath, setParams, setBadge, setTabs, setFacts, batch, undo, redo

    /// The commands that may not be in a batch.
    static let aloneOnly: [CommandName] = [.batch, .undo, .redo]
}

/// A command to a session. The rules are in the extensions of `SessionEditor`.
public enum Command: Equatable, Sendable {
    case navigate(Navigate)
    case back(Back, force: Bool = false)
    case root(Root)
    /// Behind a reference, since it is the largest by far, and every command would be copied with
    /// its size.
    indirect case present(Present)
    case dismiss(Dismiss)
    case select(Select)
    case open(Open)
    case setPath(SetPath)
    case setParams(SetParams)
    case setBadge(SetBadge)
    case setTabs(SetTabs)
    case setFacts(SetFacts)
    case batch([Command])
    case undo(count: Int)
    case redo(count: Int)
}

extension Command {
    /// The name of the command.
    public var name: CommandName {
        switch self {
        case .navigate: .navigate
        case .back: .back
        case .root: .root
        case .present: .present
        case .dismiss: .dismiss
        case .select: .select
        case .open: .open
        case .setPath: .setPath
        case .setParams: .setParams
        case .setBadge: .setBadge
        case .setTabs: .setTabs
        case .setFacts: .setFacts
        case .batch: .batch
        case .undo: .undo
        case .redo: .redo
        }
    }

    /// The container on whose path the command acts, if it names one.
    var target: Target? {
        switch self {
        case .navigate(let command): command.target
        case .setPath(let command): command.target
        case .back, .root, .present, .dismiss, .select, .open, .setParams, .setBadge, .setTabs,
            .setFacts,
            .batch, .undo, .redo:
            nil
        }
    }

    /// The path that the command brings, and the params of the screen that it names itself.
    var screens: (path: [PathItem], params: Params) {
        switch self {
        case .navigate(let command): ([], command.params)
        case .present(let command): (command.path ?? [], command.params)
        case .setPath(let command): (command.path, .empty)
        case .back, .root, .dismiss, .select, .open, .setParams, .setBadge, .setTabs, .setFacts,
            .batch, .undo, .redo:
            ([], .empty)
        }
    }
}

/// A container as a client names it: `active`, or the id of a tab or a sheet.
public enum Target: Equatable, Sendable {
    case active
    case named(String)
}

/// The fate of the sheets over the target of a command. If a command does not say it, all stay
/// but those whose presenter goes.
public enum SheetHandling: String, CaseIterable, Sendable {
    /// All stay, and those whose presenter goes are presented by the screen that is then beneath.
    case keep
    case dismiss, reject
    /// Like `dismiss`, and locks do not count.
    case force
}

/// Which sheets a command dismisses besides those that it is about, and whether it may remove what
/// is locked.
public struct Clearing: Equatable, Sendable {
    /// The fate of the sheets over the target, or nil if the command does not say it.
    public var sheets: SheetHandling?
    /// Whether locked entries and sheets may be removed.
    public var force = false

    public init(sheets: SheetHandling? = nil, force: Bool = false) {
        self.sheets = sheets
        self.force = force || sheets == .force
    }
}

extension Command {
    /// The members of the command about sheets and locks.
    var clearing: Clearing {
        switch self {
        case .navigate(let command): command.clearing
        case .back(_, let force): Clearing(force: force)
        case .root(let command): command.clearing
        case .present(let command): Clearing(force: command.force)
        case .dismiss(let command): Clearing(force: command.force)
        case .select(let command): command.clearing
        case .open(let command): command.clearing
        case .setPath(let command): command.clearing
        // None of these navigates by its own rules.
        case .setParams, .setBadge, .setTabs, .setFacts, .batch, .undo, .redo:
            Clearing(force: true)
        }
    }
}

/// How `navigate` adds a route to the path.
public enum NavigationMode: String, CaseIterable, Sendable {
    case push, single, popTo, toFront, replace, reset
}

/// The part of the navigation that `root` resets: the selected tab with its sheets, the active
/// path, or all tabs.
public enum RootScope: String, CaseIterable, Sendable {
    case tab, path, all
}

/// `root`: goes back to roots.
public struct Root: Equatable, Sendable {
    /// The part of the navigation that is reset.
    public var scope: RootScope
    /// The fate of the sheets over the tab; they are dismissed unless it says otherwise.
    public var clearing = Clearing()

    public init(scope: RootScope = .tab) { self.scope = scope }
}

/// `navigate`: shows a route on a path.
public struct Navigate: Equatable, Sendable {
    /// The route to show.
    public var route: RouteName
    /// The params of the screen, before defaults are filled in.
    public var params = Params.empty
    /// The container on whose path the route is shown.
    public var target = Target.active
    /// The mark to give the entry, or nil to leave its mark unchanged.
    public var mark: MarkName?
    /// The mode, or nil for the one that the route declares.
    public var mode: NavigationMode?
    /// Whether the entry is locked, or nil to leave its lock unchanged.
    public var isLocked: Bool?
    /// Whether the tab is selected on whose path the command acts.
    public var selects = true
    /// The fate of the sheets over the target.
    public var clearing = Clearing()

    public init(route: RouteName) { self.route = route }
}

/// `back`: pops entries and dismisses sheets.
public enum Back: Equatable, Sendable {
    /// How far `back` may go: through sheets as well, or on the active path only.
    public enum Within: String, CaseIterable, Sendable { case any, path }
    /// The screen that `back` returns to.
    public enum Goal: Equatable, Sendable {
        /// The id of an entry, a sheet or a tab, which stands for its root.
        case entry(String)
        case route(RouteName)
        case mark(MarkName)
    }

    case steps(Int, within: Within)
    case to(Goal, inclusive: Bool, within: Within)
}

/// `present`: shows a route as a sheet or a full-screen cover.
public struct Present: Equatable, Sendable {
    /// The route of the sheet.
    public var route: RouteName
    /// The params of the sheet, before defaults are filled in.
    public var params = Params.empty
    /// The mark to give the sheet, or nil to leave its mark unchanged.
    public var mark: MarkName?
    /// The style, or nil for the one that the route declares.
    public var style: SheetStyle?
    /// A name for the sheet. If a sheet with the same tag is presented, it is kept or replaced.
    public var tag: ExactString?
    /// The heights at which the sheet can rest, for clients.
    public var detents: [ExactString]?
    /// Whether `back` and `dismiss` without force may dismiss the sheet; nil stands for true.
    public var dismissible: Bool?
    /// After how many seconds the sheet goes by itself, or nil if it stays.
    public var ttlSeconds: Int?
    /// The entries on the path of the sheet.
    public var path: [PathItem]?
    /// The place at which a popover points, as the client names it.
    public var anchor: MarkName?
    /// The texts and buttons of a dialog, in place of those that the route declares.
    public var dialog = DialogTexts()
    /// Whether a locked sheet over one with the same tag may be dismissed.
    public var force = false

    public init(route: RouteName) { self.route = route }
}

/// An entry of a path as a client describes it.
public struct PathItem: Equatable, Sendable {
    /// The route of the entry.
    public var route: RouteName
    /// The params of the entry, before defaults are filled in.
    public var params = Params.empty
    /// The mark to give the entry, or nil to leave its mark unchanged.
    public var mark: MarkName?
    /// Whether the entry is locked, or nil to leave its lock unchanged.
    public var isLocked: Bool?
    /// The id of the existing entry to keep, or nil for a new one.
    public var id: String?

    public init(route: RouteName) { self.route = route }
}

/// `dismiss`: dismisses sheets.
public struct Dismiss: Equatable, Sendable {
    /// The sheets to dismiss: the top one, all, or one sheet with everything above it.
    public enum Which: Equatable, Sendable {
        case top, all
        case sheet(String)
        case tag(ExactString)
    }

    /// The sheets to dismiss.
    public var which = Which.top
    /// Whether sheets that are not dismissible are dismissed as well.
    public var force = false
    /// The result that the lowest of the sheets returns to its presenter, if any.
    public var result: JSON?
    /// The id of the button to press on a dialog, as the client wrote it.
    public var button: String?

    public init() {}
}

/// `select`: selects a tab.
public struct Select: Equatable, Sendable {
    /// The effect of selecting the selected tab.
    public enum Reselect: String, CaseIterable, Sendable { case popToRoot, none }

    /// The id of the tab, as the client wrote it.
    public var tab: String
    /// The effect of the command if the tab is selected already.
    public var reselect = Reselect.popToRoot
    /// The params that the root gets, before defaults are filled in, or nil to leave them as they
    /// are.
    public var params: Params?
    /// The mark to give the root, or nil to leave its mark unchanged.
    public var mark: MarkName?
    /// Whether the path is emptied, whether or not the tab is selected.
    public var toRoot = false
    /// The fate of the sheets over the tab.
    public var clearing = Clearing()

    public init(tab: String) { self.tab = tab }
}

/// How `open` shows the target of a link: as the whole path, on top of what is there, or in the
/// screen that is visible.
public enum OpenMode: String, CaseIterable, Sendable {
    case replace, push, update
}

/// `open`: follows a deep link of the app.
public struct Open: Equatable, Sendable {
    /// The URL, as the client wrote it.
    public var url: String
    /// The mode, or nil for the one that the link declares.
    public var mode: OpenMode?
    /// The handling of the sheets that the link does not present. If it does not say, the link
    /// does, and otherwise they are dismissed.
    public var clearing = Clearing()
    /// The tab to select of those that the link names, as the client wrote it.
    public var tab: String?

    public init(url: String) { self.url = url }
}

/// `setPath`: replaces a whole path.
public struct SetPath: Equatable, Sendable {
    /// The container whose path is replaced.
    public var target: Target
    /// The new path from bottom to top.
    public var path: [PathItem]
    /// The fate of the sheets over the target.
    public var clearing: Clearing

    public init(target: Target, path: [PathItem], sheets: SheetHandling? = nil) {
        self.target = target
        self.path = path
        clearing = Clearing(sheets: sheets)
    }
}

/// `setParams`: changes the params of an entry or a sheet.
public struct SetParams: Equatable, Sendable {
    /// Whether the new params are merged into the old ones or replace them.
    public enum Mode: String, CaseIterable, Sendable { case merge, replace }

    /// The id of the entry, the sheet or the tab, or nil for the visible one.
    public var entry: String?
    /// The new params, or the merge patch; nil to leave the params unchanged.
    public var params: JSONObject?
    /// Whether the entry is locked, or nil to leave its lock unchanged. On a sheet, the opposite of
    /// `dismissible`.
    public var isLocked: Bool?
    /// Whether the params are merged or replaced.
    public var mode = Mode.merge

    public init(params: JSONObject?) { self.params = params }
}

/// `setBadge`: sets or removes the badge of a tab.
public struct SetBadge: Equatable, Sendable {
    /// The id of the tab, as the client wrote it.
    public var tab: String
    /// The new badge, or nil to remove the badge.
    public var badge: Badge?

    public init(tab: String, badge: Badge?) {
        self.tab = tab
        self.badge = badge
    }
}

/// `setTabs`: reorders, hides and shows tabs.
public struct SetTabs: Equatable, Sendable {
    /// The ids of all tabs in their new order, as the client wrote them, or nil to keep the order.
    public var order: [String]?
    /// The ids of the tabs to hide, as the client wrote them; all others are shown. Nil to leave
    /// hidden and shown tabs as they are.
    public var hidden: [String]?

    public init(order: [String]? = nil, hidden: [String]? = nil) {
        self.order = order
        self.hidden = hidden
    }
}

/// `setFacts`: sets some of the facts that the app declares.
public struct SetFacts: Equatable, Sendable {
    /// The new values by name; null stands for the default.
    public var facts: JSONObject

    public init(facts: JSONObject) { self.facts = facts }
}

/// A command together with its members in the request.
public struct CommandRequest: Sendable {
    /// The command.
    public var command: Command
    /// The object with the members as JSON text. It is kept if a guard holds the command back.
    public var body: [UInt8]

    public init(_ command: Command, body: [UInt8]) {
        self.command = command
        self.body = body
    }

    public init(_ command: Command, body: JSONObject) {
        self.init(command, body: JSON.object(body).bytes)
    }
}
