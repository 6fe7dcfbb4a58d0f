/// Something wrong at one place of a request's body.
package struct Fault: Equatable, Sendable {
    /// RFC 6901, from the body's root.
    package var pointer: String
    /// Says what to do.
    package var detail: String

    package init(pointer: String, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }
}

/// Why a command is refused. Nothing has changed.
package indirect enum Rejection: Error, Equatable, Sendable {
    /// The body's shape is wrong.
    case invalidRequest([Fault])
    /// No such route in the app; `near` are declared names that look alike.
    case unknownRoute(String, near: [String], pointer: String)
    /// The route is declared, but not for this place.
    case routeNotAllowedHere(RouteName, place: String, allowed: [RouteName], pointer: String)
    case invalidParams([Fault])
    case limitExceeded(String, pointer: String)
    case entryNotFound(String)
    case sheetNotFound(String)
    case tabNotFound(String, known: [TabID])
    case noRouteForURL(String)
    /// There is no entry to act on.
    case atRoot
    /// `sheets: "reject"`, and a sheet is up.
    case sheetOpen(EntryID)
    /// The sheet says `dismissible: false`.
    case sheetLocked(EntryID)
    /// Strict handling: the command has nothing to do.
    case nothingToDo(NoChange)
    /// A batch's command was refused.
    case inBatch(index: Int, Rejection)
}
