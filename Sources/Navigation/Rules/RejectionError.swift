internal import Bytes
public import JSON

/// A fault at one position in the body of a request.
public struct InputFault: Equatable, Sendable {
    /// A JSON pointer (RFC 6901) from the root of the body.
    public var pointer: String
    /// The values that are valid, or advice.
    public var detail: String
    /// Whether the form of the value is valid, and only a limit is exceeded.
    public var isLimit: Bool
    /// The kind, if this is a warning about the document of an app.
    public var code: AppWarning?

    public init(
        pointer: String, detail: String, isLimit: Bool = false, code: AppWarning? = nil
    ) {
        self.pointer = pointer
        self.detail = detail
        self.isLimit = isLimit
        self.code = code
    }
}

/// A list of faults, limited in number and size.
public typealias Faults = BoundedList<InputFault>

extension Faults {
    /// Adds a fault, unless the list is full.
    public mutating func append(_ fault: InputFault) {
        append(fault, bytes: fault.pointer.utf8.count + fault.detail.utf8.count)
    }

    /// Adds faults until the list is full.
    public mutating func append(_ faults: [InputFault]) {
        for fault in faults { append(fault) }
    }
}

/// The cause of work that exceeds the budget of a request.
public enum WorkCause: Sendable {
    /// The request itself.
    case request
    /// The stored state of the session, under its app.
    case state
}

/// The commands that show a route which a command cannot show where it was asked for.
public enum Remedy: Equatable, Sendable {
    /// The command `present`.
    case present
    /// The command `navigate`.
    case navigate
    /// The command `present` with another style.
    case style(SheetStyle)
    /// The same command with the tab as `in`.
    case add(in: TabID)
    /// The path of another tab.
    case pathOf(TabID)
}

/// The place where a route is not allowed.
public enum RoutePlace: Equatable, Sendable {
    case pushedOn(PushPlace)
    /// Presented over a screen of that route.
    case presentedOn(RouteName)
    case presentedAs(SheetStyle)
}

/// A screen on which something is pushed.
public enum PushPlace: Equatable, Sendable {
    case root(of: TabID)
    /// An entry of that route, or the root of a sheet.
    case screen(RouteName)
}

/// The reason why a command was refused. Nothing has changed.
public indirect enum RejectionError: Error, Equatable, Sendable {
    /// The form of the body is invalid.
    case invalidRequest([InputFault])
    /// The app has no such route; `near` are declared names that are similar.
    case unknownRoute(String, near: [String], pointer: String)
    /// The route is declared, but not allowed in this place or style; `remedy` says what would show
    /// it.
    case routeNotAllowedHere(
        RouteName, RoutePlace, allowed: [RouteName], remedy: Remedy?, pointer: String)
    case invalidParams([InputFault])
    /// The token that the command came with may show other routes only.
    case routeNotPermitted(RouteName, allowed: [RouteName])
    /// The app has no such fact; `near` are declared names that are similar.
    case unknownFact(String, near: [String], pointer: String)
    case limitExceeded(String, pointer: String)
    /// The work budget is used up.
    case tooMuchWork(WorkCause)
    case entryNotFound(String)
    case sheetNotFound(String)
    case tabNotFound(String, known: [TabID])
    /// No link leads anywhere; `near` are those that the URL nearly matches.
    case noRouteForURL(String, near: [NearLink] = [])
    /// The path is empty, so there is no entry to act on.
    case atRoot
    /// The command says `sheets: "reject"`, and this sheet is presented.
    case sheetOpen(EntryID)
    /// The sheet says `dismissible: false`.
    case sheetLocked(EntryID)
    /// The entry says `locked: true`.
    case entryLocked(EntryID)
    /// The dialog is presented, and nothing can be put on it.
    case dialogOpen(EntryID, buttons: [MarkName])
    /// The dialog has no such button; `near` are ids of buttons that are similar.
    case unknownButton(String, known: [String], near: [String], pointer: String)
    /// The tab cannot be hidden: it is selected, or the last one without a guard that is shown.
    case tabNeeded(TabID, isSelected: Bool)
    /// A guard fails because of these facts, and the command cannot be held back.
    case guarded(GuardName, when: JSONObject, facts: [UnmetFact])
    /// The rules are strict, and the command would have no effect.
    case nothingToDo(NoChange)
    /// A command in a batch was refused.
    case inBatch(index: Int, RejectionError)
}
