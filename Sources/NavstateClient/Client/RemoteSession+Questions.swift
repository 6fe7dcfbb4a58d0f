extension RemoteSession {
    /// Returns whether a sheet is still presented and, if not, how it was removed. Waits up to
    /// `waitSeconds` (60 at most) for the sheet to be dismissed.
    public func sheet(
        _ sheet: String, waitSeconds: Int = 0
    ) async throws(NavstateError) -> SheetState {
        let call = Call(path: path("sheets/\(sheet.percentEncoded)"), waitSeconds: waitSeconds)
        return try await requester.send(call).decoded()
    }

    /// Waits until a sheet is dismissed, however long that takes, even while the server cannot be
    /// reached. Throws if the server refuses, for example because it does not know the sheet, or if
    /// the task is cancelled.
    public func dismissal(of sheet: String) async throws(NavstateError) -> SheetState {
        var failures = 0
        while true {
            do throws(NavstateError) {
                let state = try await self.sheet(sheet, waitSeconds: 50)
                if state.isDismissed { return state }
                failures = 0
            } catch {
                guard !error.isFinal else { throw error }
                failures += 1
                try await requester.pause(attempt: failures, after: error)
            }
        }
    }

    /// Presents a dialog, waits until somebody has answered it, and returns the id of the button
    /// that was pressed. Returns nil if the dialog went without an answer. The call is refused if
    /// another dialog is open.
    public func ask(_ dialog: Dialog, tag: String? = nil) async throws(NavstateError) -> String? {
        let options = ChangeOptions(isStrict: true)
        return try await answer(to: present(dialog, tag: tag, options: options)).button
    }

    /// Sends a signal to those who watch the session. It changes nothing, and is not retried if it
    /// gets no response. Returns the number of streams that it reached.
    @discardableResult
    public func signal(
        _ name: String, data: JSONValue? = nil
    ) async throws(NavstateError) -> Int {
        let body = JSONValue.members(["name": name, "data": data])
        let call = Call(method: "POST", path: path("signal"), body: body, isRepeatable: false)
        let answer: JSONValue = try await requester.send(call).decoded()
        return answer["delivered"]?.integer ?? 0
    }

    /// Presents a sheet and waits until the person in front of the screen has dismissed it. If the
    /// returned state has no `result`, the person did not answer. The call is refused if a guard
    /// would hold the sheet back.
    ///
    /// ```swift
    /// let question = Nav.Destination("confirm", params: ["question": "Delete the chat?"])
    /// let answer = try await session.ask(question).result?.bool
    /// ```
    public func ask(
        _ destination: Nav.Destination, style: SheetStyle? = nil,
        presentation: PresentationOptions = .standard
    ) async throws(NavstateError) -> SheetState {
        try await answer(
            to: present(
                destination, style: style, presentation: presentation,
                options: ChangeOptions(isStrict: true)))
    }

    private func answer(to result: CommandResult) async throws(NavstateError) -> SheetState {
        guard let sheet = result.presentedSheet else { throw .noSheet }
        return try await dismissal(of: sheet)
    }

    /// Returns the open streams of the session, oldest first. If `shown` is given, waits up to
    /// `waitSeconds` for every named watcher to show that revision or a later one.
    public func watchers(
        shown: Int? = nil, waitSeconds: Int = 0
    ) async throws(NavstateError) -> [Watcher] {
        let call = Call(
            path: path("watchers"), query: [("shown", shown.map(String.init))],
            waitSeconds: waitSeconds)
        return try await requester.send(call).decoded(member: "watchers")
    }

    /// Reports which revision the display with this name is showing. The display must have a stream
    /// open under that name.
    public func report(shown revision: Int, as name: String) async throws(NavstateError) {
        let body = JSONValue.members(["as": name, "revision": revision])
        _ = try await requester.send(Call(method: "POST", path: path("shown"), body: body))
    }
}

extension CommandResult {
    /// The id of the sheet that the command presented, if it presented one.
    var presentedSheet: String? {
        let sheets = Set(session.sheets.map(\.id))
        return added.first { sheets.contains($0) }
    }
}

struct Watchers: Decodable {
    var watchers: [Watcher]
}

extension RemoteSession {
    /// Creates a token that is valid only for this session. The server shows a token only once, so
    /// the request is not retried if it gets no response.
    ///
    /// ```swift
    /// let contacts = try await session.createToken(
    ///     .control, name: "contacts", commands: ["navigate", "back"], routes: ["@people"])
    /// ```
    ///
    /// - Parameters:
    ///   - scope: the token may read, or also control the session.
    ///   - name: a name for the history and the log.
    ///   - ttlSeconds: the token expires after so many seconds; nil for no time.
    ///   - commands: the only commands that the token may send, or nil for all.
    ///   - routes: the only routes and groups (`@name`) that it may show, or nil for all.
    public func createToken(
        _ scope: TokenScope, name: String? = nil, ttlSeconds: Int? = nil,
        commands: [String]? = nil, routes: [String]? = nil
    ) async throws(NavstateError) -> NewToken {
        let body = JSONValue.members([
            "scope": scope, "name": name, "commands": commands, "routes": routes,
            "ttlSeconds": ttlSeconds,
        ])
        let call = Call(method: "POST", path: path("tokens"), body: body, isRepeatable: false)
        return try await requester.send(call).decoded()
    }

    /// Lists the tokens of this session.
    public func tokens() async throws(NavstateError) -> [TokenSummary] {
        try await requester.send(Call(path: path("tokens"))).decoded(member: "tokens")
    }

    /// Revokes the token with this id. Streams that use it deliver nothing more and end within
    /// seconds.
    public func revokeToken(_ id: String) async throws(NavstateError) {
        let path = path("tokens/\(id.percentEncoded)")
        _ = try await requester.send(Call(method: "DELETE", path: path))
    }
}
