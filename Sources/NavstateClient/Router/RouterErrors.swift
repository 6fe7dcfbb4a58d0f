extension NavstateError {
    /// Changes were made offline, and the server's state replaced them.
    static let dropped = NavstateError.unreachable(
        "Changes were made without a connection, and are replaced by the server's state.")
    /// The router is offline, and no stream is running that could bring the connection back.
    static let stopped = NavstateError.unreachable("The router is offline and is not running.")
    /// The server carried out a `present` command without presenting a sheet.
    static let noSheet = NavstateError.unexpected("The server has presented no sheet.")

    /// There is no such screen to go back to: the refusal that the server has for it.
    static func noEntry(of screen: Nav.Destination) -> NavstateError {
        let detail =
            "No \(screen.route) with the params \(screen.params.text) is in the active container."
        return .refused(
            Nav.Problem(
                type: "/problems/entry-not-found", title: "Entry not found", status: 404,
                detail: detail))
    }

    /// Whether it is certain that the change was not made. If there was no response, or only one
    /// from a proxy, that is unknown.
    var wasCertainlyRefused: Bool {
        switch self {
        case .refused: !isTransient
        case .unencodable: true
        case .unreachable, .timedOut, .cancelled, .unexpected: false
        }
    }

    /// Whether there was no response, so that the state of the connection says everything.
    var isSilence: Bool {
        switch self {
        case .unreachable, .timedOut: true
        case .refused, .cancelled, .unexpected, .unencodable: false
        }
    }

    /// Whether the same call may succeed later, when the server can be reached or no other client
    /// changes the session.
    var mayPass: Bool { isTransient || self == .cancelled || problem?.status == 412 }

    /// Whether an entry, a sheet or a tab that a command names does not exist.
    var namesWhatIsGone: Bool {
        guard let code = problem?.code else { return false }
        return ["entry-not-found", "sheet-not-found", "tab-not-found"].contains(code)
    }
}
