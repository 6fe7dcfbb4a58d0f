internal import API
internal import Bytes
internal import JSON
internal import Navigation
internal import POSIX

/// Turns the stream of a session into steps that bring the same states about again.
struct Recording {
    /// A step: a command as it was sent with the ids that it added, or the whole state.
    enum Step {
        case command(CommandName, JSONObject, added: [String])
        case state(JSONObject)
    }

    /// How many of the recorded changes `undo` and `redo` find when the steps are repeated.
    private var undoable: Int64 = 0
    private var redoable: Int64 = 0

    /// The members of a session that are derived, or that would change it by themselves.
    private static let dropped = [
        "id", "revision", "createdAt", "updatedAt", "expiresAt", "ttlSeconds", "idle", "visible",
        "canGoBack", "canUndo", "canRedo", "nextEntry",
    ]

    /// The step for an event, if it changes the state.
    mutating func step(for event: WatchedEvent) -> Step? {
        guard case .object(let session)? = event.data["session"] else { return nil }
        guard event.name == "change", let command = event.data["command"] else {
            return event.name == "snapshot" ? state(session) : nil
        }
        // Of what an update can change, only the labels are part of a step.
        if command["command"]?.string == "update", command["labels"] == nil { return nil }
        guard let name = command["command"]?.string.flatMap(CommandName.init(named:)),
            repeats(name, command["count"]?.integer ?? 1)
        else { return state(session) }
        var body = JSONObject(of: command.members)
        body["command"] = nil
        return .command(name, body, added: event.data["added"]?.items.compactMap(\.string) ?? [])
    }

    private mutating func state(_ session: JSONObject) -> Step {
        (undoable, redoable) = (0, 0)
        var session = session
        for name in Self.dropped { session[name] = nil }
        // A sheet with a time would be gone before the state is shown again.
        let sheets = session["sheets"]?.items.map { sheet in
            JSON.object(JSONObject(of: sheet.members.filter { $0.key != "expiresAt" }))
        }
        session["sheets"] = sheets.map(JSON.array)
        return .state(session)
    }

    /// Whether the command does the same when it is repeated: a change that was made before the
    /// recording cannot be undone.
    private mutating func repeats(_ name: CommandName, _ count: Int64) -> Bool {
        switch name {
        case .undo:
            guard count <= undoable else { return false }
            (undoable, redoable) = (undoable - count, redoable + count)
        case .redo:
            guard count <= redoable else { return false }
            (undoable, redoable) = (undoable + count, redoable - count)
        // A change of facts alone is no step of undo.
        case .setFacts: (undoable, redoable) = (0, 0)
        case .navigate, .back, .root, .present, .dismiss, .select, .open, .setPath, .setParams,
            .setBadge, .setTabs, .batch:
            (undoable, redoable) = (undoable + 1, 0)
        }
        return true
    }
}

extension ClientCommand {
    /// Follows a session and prints a script of its changes, or a story at the end.
    func record() throws(ExitError) {
        let signals: FileDescriptor
        do throws(SystemError) {
            signals = try Signals.descriptor([Signals.interrupt, Signals.terminate])
        } catch {
            throw ExitError(.internalError, error.description)
        }
        let session = context.argument
        var recording = Recording()
        var story = flag("story") ? RecordedStory() : nil
        var last = Clock.monotonicMilliseconds
        var watch = Watch(
            try request(.sessionEvents).target, client, printer: printer,
            ending: [context.output.descriptor, signals.number])
        if story == nil {
            context.output.print(
                "# The session \(session), recorded by navstate \(Version.text). Repeat it with "
                    + "navstate play FILE [ID].\n")
        }
        try watch.run { event in
            guard let step = recording.step(for: event) else { return true }
            let now = Clock.monotonicMilliseconds
            if story == nil {
                let pause = (now - last + 5) / 10
                if pause > 0 { context.output.print("sleep \(Self.seconds(pause))\n") }
                context.output.print(Self.line(step, session) + "\n")
            } else {
                story?.add(step, to: event.data["session"] ?? .null)
            }
            last = now
            return true
        }
        guard let story else { return }
        var app: JSON?
        if let id = story.app.flatMap({ AppID($0) }) {
            app = try call(ClientRequest("GET", id.target))
        }
        for line in story.document(of: session, app).lines.split(separator: "\n") {
            printer.print(line: String(line))
        }
    }

    private static func line(_ step: Recording.Step, _ session: String) -> String {
        switch step {
        case .state(let state):
            return "navstate restore-session \(session) "
                + ShellWords.quoted(Printable.text(JSON.object(state).text))
        case .command(let name, let body, let added):
            let comment = added.isEmpty ? "" : "  # \(added.joined(separator: " "))"
            return Subcommand.line(name.rawValue, body, session: session) + Printable.text(comment)
        }
    }

    /// Hundredths of a second as seconds: `1.25`.
    private static func seconds(_ hundredths: Int64) -> String {
        let rest = "\(hundredths % 100)"
        return "\(hundredths / 100).\(rest.count < 2 ? "0" : "")\(rest)"
    }
}
