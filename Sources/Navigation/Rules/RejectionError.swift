package import JSON

/// Something wrong at one place of a request's body.
package struct InputFault: Equatable, Sendable {
    /// RFC 6901, from the body's root.
    package var pointer: String
    /// Says what to do.
    package var detail: String

    package init(pointer: String, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }
}

/// What is wrong with a request's body, as far as it is told.
package typealias Faults = BoundedList<InputFault>

extension Faults {
    package mutating func append(_ fault: InputFault) {
        append(fault, bytes: fault.pointer.utf8.count + fault.detail.utf8.count)
    }

    package mutating func append(_ faults: [InputFault]) {
        for fault in faults { append(fault) }
    }
}

/// What takes more work than a request may cause.
package enum WorkCause: Sendable {
    /// What the client sent.
    case request
    /// What the service keeps: the session's state, under its app.
    case state
}

/// Why a command is refused. Nothing has changed.
package indirect enum RejectionError: Error, Equatable, Sendable {
    /// The body's shape is wrong.
    case invalidRequest([InputFault])
    /// No such route in the app; `near` are declared names that look alike.
    case unknownRoute(String, near: [String], pointer: String)
    /// The route is declared, but not for this place.
    case routeNotAllowedHere(RouteName, place: String, allowed: [RouteName], pointer: String)
    case invalidParams([InputFault])
    case limitExceeded(String, pointer: String)
    /// The work budget is used up.
    case tooMuchWork(WorkCause)
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
    case inBatch(index: Int, RejectionError)
}
