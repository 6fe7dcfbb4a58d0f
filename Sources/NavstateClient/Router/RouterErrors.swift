extension NavstateError {
    /// Changes were made offline, and the server's state has won.
    static let dropped = NavstateError.unreachable(
        "Changes were made without a connection, and are replaced by the server's state.")
    /// Nothing will bring the connection back.
    static let stopped = NavstateError.unreachable("The router is offline and is not running.")
    /// The answer to a question has no sheet.
    static let noSheet = NavstateError.unexpected("The server has presented no sheet.")

    /// Whether a change was certainly not made. That is unknown if nobody has answered, or only a
    /// proxy.
    var wasCertainlyRefused: Bool {
        switch self {
        case .refused: !isTransient
        case .unencodable: true
        case .unreachable, .timedOut, .cancelled, .unexpected: false
        }
    }

    /// Whether the same call may succeed once the server can be reached, or others pause.
    var mayPass: Bool { isTransient || self == .cancelled || problem?.status == 412 }

    /// Whether an entry, a sheet or a tab that a command names does not exist.
    var namesWhatIsGone: Bool {
        guard let code = problem?.code else { return false }
        return ["entry-not-found", "sheet-not-found", "tab-not-found"].contains(code)
    }
}

extension RemoteSession {
    /// Reads the state and replaces it by what is made of it. Does so again, up to 20 times, if
    /// somebody else has changed it meanwhile.
    @MainActor
    func rewrite(
        _ document: (Session) throws(NavstateError) -> JSONValue
    ) async throws(NavstateError) -> Session {
        var attempts = 20
        while true {
            let (state, etag) = try await taggedState()
            do throws(NavstateError) {
                let options = ChangeOptions(ifMatch: etag)
                return try await restore(document(state), options: options)
            } catch {
                attempts -= 1
                guard error.problem?.status == 412, attempts > 0 else { throw error }
            }
        }
    }
}
