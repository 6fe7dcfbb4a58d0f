public import Foundation

/// The effects of a command, in its result, in a batch's results, in events and in the history.
public protocol CommandEffects {
    /// The members that have no property of their own.
    var members: [String: JSONValue] { get }
}

extension CommandEffects {
    /// How many entries and sheets `back` removed.
    public var popped: Int? { members["popped"]?.integer }
    /// The tab that `back` selected.
    public var selected: String? { members["selected"]?.string }
    /// The guard that is holding the command back, if any.
    public var held: String? { members["held"]?.string }
    /// The pending command that was carried out because its guard holds now.
    public var resumed: Nav.Command? { members.value("resumed") }
    /// Why the resumed command was refused.
    public var refused: Nav.Problem? { members.value("refused") }
    /// The pending command that will not be resumed any more.
    public var givenUp: Nav.Command? { members.value("givenUp") }
    /// Entries that could not be restored or are no longer allowed.
    public var dropped: [DroppedEntry] { members.value("dropped") ?? [] }
    /// Tabs that the app does not have.
    public var droppedTabs: [String] { members.value("droppedTabs") ?? [] }
    /// Screens whose route has been replaced by another one in the app.
    public var moved: [MovedScreen] { members.value("moved") ?? [] }
    /// The ids of the buttons that were pressed, by the ids of their dialogs.
    public var pressed: [String: String] { members.value("pressed") ?? [:] }
}

/// The result of a command.
public struct CommandResult: Document, CommandEffects {
    /// False if there was nothing to do; `reason` says why.
    public var changed = false
    /// Why nothing was changed, for example `at-root`.
    public var reason: String?
    /// The ids of new entries and sheets, from bottom to top.
    public var added: [String] = []
    /// The ids of removed entries and sheets, from bottom to top.
    public var removed: [String] = []
    /// The session as it is now.
    public var session = Nav.Session()
    public var members: [String: JSONValue] = [:]

    static let known: [Member<CommandResult>] = [
        .required("changed", \.changed), .optional("reason", \.reason),
        .required("added", \.added), .required("removed", \.removed),
        .required("session", \.session),
    ]

    /// How many changes were undone.
    public var undone: Int? { members["undone"]?.integer }
    /// How many changes were redone.
    public var redone: Int? { members["redone"]?.integer }
    /// The results of a batch's commands, in order.
    public var results: [BatchItemResult] { members.value("results") ?? [] }
}

/// An entry or a sheet that the app no longer allows, or that a guard has removed.
public struct DroppedEntry: Document {
    public var id = ""
    public var route = ""
    /// Why it was removed, such as `guarded`.
    public var why = ""
    public var members: [String: JSONValue] = [:]

    static let known: [Member<DroppedEntry>] = [
        .required("id", \.id), .required("route", \.route), .required("why", \.why),
    ]
}

/// A screen that has another route, because the app has replaced its route.
public struct MovedScreen: Document {
    /// The id of the entry or sheet, or of the tab for a root.
    public var id = ""
    /// The route that the screen had.
    public var from = ""
    /// The route that the screen has now.
    public var route = ""
    public var members: [String: JSONValue] = [:]

    static let known: [Member<MovedScreen>] = [
        .required("id", \.id), .required("from", \.from), .required("route", \.route),
    ]
}

/// The result of one command of a batch.
public struct BatchItemResult: Document, CommandEffects {
    /// False if there was nothing to do; `reason` says why.
    public var changed = false
    /// The ids of new entries and sheets, from bottom to top.
    public var added: [String] = []
    /// The ids of removed entries and sheets, from bottom to top.
    public var removed: [String] = []
    public var members: [String: JSONValue] = [:]

    static let known: [Member<BatchItemResult>] = [
        .required("changed", \.changed), .required("added", \.added),
        .required("removed", \.removed),
    ]

    /// Why nothing was changed, for example `at-root`.
    public var reason: String? { members["reason"]?.string }
}

/// The result of a command in one of several sessions.
public struct ManyResult: Document, CommandEffects {
    public var session = ""
    public var members: [String: JSONValue] = [:]

    static let known: [Member<ManyResult>] = [.required("session", \.session)]

    /// Whether anything was changed; nil if the command was refused.
    public var changed: Bool? { members["changed"]?.bool }
    /// Why nothing was changed, for example `at-root`.
    public var reason: String? { members["reason"]?.string }
    /// The revision of the session now; nil if the command was refused.
    public var revision: Int? { members["revision"]?.integer }
    /// Why the command was refused.
    public var problem: Nav.Problem? { members.value("problem") }
}

/// A past change of a session.
public struct HistoryItem: Document, CommandEffects {
    /// The revision that the change led to.
    public var revision = 0
    /// The command that made the change.
    public var command = Nav.Command()
    /// The ids of new entries and sheets, from bottom to top.
    public var added: [String] = []
    /// The ids of removed entries and sheets, from bottom to top.
    public var removed: [String] = []
    public var members: [String: JSONValue] = [:]

    static let known: [Member<HistoryItem>] = [
        .required("revision", \.revision), .required("command", \.command),
        .required("added", \.added), .required("removed", \.removed),
    ]

    /// When the change was made, in whole seconds.
    public var at: Date? { members.date("at") }
    /// The name of the token that made the change, if it had one.
    public var by: String? { members["by"]?.string }
}

/// One page of a session's history.
public struct HistoryPage: Document {
    /// The changes, newest first.
    public var history: [HistoryItem] = []
    public var members: [String: JSONValue] = [:]

    static let known: [Member<HistoryPage>] = [.required("history", \.history)]

    /// The `before` of the next page; nil on the last page.
    public var next: Int? { members["next"]?.integer }
}

/// Whether a sheet is still presented and, if not, how it was removed.
public struct SheetState: Document {
    /// The id of the sheet.
    public var sheet = ""
    /// `presented`, `dismissed`, or `expired` if its time was over.
    public var state = ""
    public var members: [String: JSONValue] = [:]

    static let known: [Member<SheetState>] = [
        .required("sheet", \.sheet), .required("state", \.state),
    ]

    /// The revision that removed the sheet.
    public var revision: Int? { members["revision"]?.integer }
    /// When the sheet was removed, in whole seconds.
    public var at: Date? { members.date("at") }
    /// The command that removed the sheet, such as `dismiss` or `back`.
    public var command: String? { members["command"]?.string }
    /// The result that the sheet was dismissed with, if any.
    public var result: JSONValue? { members["result"] }
    /// The id of the button that was pressed, if the sheet was a dialog and was answered.
    public var button: String? { members["button"]?.string }
    /// Whether the sheet is gone.
    public var isDismissed: Bool { state != "presented" }
    /// Whether the sheet is gone because its time was over.
    public var isExpired: Bool { state == "expired" }
}
