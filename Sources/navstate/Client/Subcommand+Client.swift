internal import API
internal import Bytes
internal import HTTP
internal import Navigation

// The commands that are requests to a running server.
extension Subcommand {
    package static let client = sessions + commands + others

    private static let sessions = [
        client(
            "sessions [KEY=VALUE...]", .listSessions,
            as: .table("sessions", columns: "id app revision visible.route watchers updatedAt"),
            meaning: "list the sessions of the server",
            details: listRule + ", cursor=ID for the next page."),
        client(
            "ids [PREFIX:q] [KEY=VALUE...]", .listSessions,
            meaning: "print the ids of sessions, one per line; only those that begin with PREFIX",
            details: listRule + "."
        ).running(ClientCommand.printIDs),
        client(
            "show ID [KEY=VALUE...]", .readSession, as: .session, meaning: "show a session",
            details: "revision=N shows an earlier state; at least the last 32 are kept."),
        client(
            "create [ID] [KEY=VALUE...]", .createSession, as: .session, meaning: "create a session",
            details: "Members are those of the API: app=chat, template=tea, ttlSeconds:=3600, "
                + "tabs:='[\"a\",\"b\"]'. " + memberRule),
        client(
            "copy ID:copyOf [NEW:id] [KEY=VALUE...]", .createSession, as: .session,
            meaning: "create a session that begins with the state of another one",
            details: "NEW is its id. revision:=N copies an earlier state. " + memberRule),
        client(
            "restore-session ID FILE", .restoreSession, as: .session,
            meaning: "create or replace a session from its JSON, as show prints it",
            details: fileRule),
        client(
            "update ID [KEY=VALUE...]", .patchSession, as: .session,
            meaning: "change the labels, the time to live or the idle command of a session",
            details: "Members are merged: labels:='{\"room\":\"hall\",\"floor\":null}', "
                + "ttlSeconds:=3600. " + memberRule),
        client(
            "delete ID", .deleteSession, as: .done("deleted the session"),
            meaning: "delete a session"),
        client(
            "watch ID [KEY=VALUE...]", .sessionEvents,
            meaning: "print a line for each change of a session until the session ends",
            details: streamRule + " as=NAME shows the name to others; signals=true adds signals."
        ).running(ClientCommand.watch),
        client(
            "record ID", .sessionEvents,
            meaning: "print the changes of a session as a script that play repeats, until Ctrl-C",
            details: """
                The script begins with the state of the session. Each change is the line of a \
                command, after a line sleep SECONDS with the time since the change before it; ids \
                of entries that it added are a comment. A change that is no command, such as the \
                end of a sheet's time, is the state after it. With --story it is a story for \
                docs/conformance/run.py, printed at the end, which also compares the states.
                """
        ).with(["story"]).running(ClientCommand.record),
        client(
            "play FILE [ID]", nil, meaning: "carry out the script of a recorded session",
            details: """
                FILE has command lines as record and app explore print them; - is standard input. \
                With ID they are all carried out in that session. It goes on at the recorded \
                times, --speed 4 four times as fast, and with --loop until Ctrl-C. Ids of entries \
                are replaced by those that the session gives. It ends with exit code 1 at the \
                first line that the server refuses.
                """
        ).with(["speed", "loop"]).running(ClientCommand.play),
        client(
            "history ID [KEY=VALUE...]", .sessionHistory,
            as: .table("history", columns: "revision at by command"),
            meaning: "list the changes of a session, the newest first",
            details: "KEY=VALUE are query parameters: limit=10, before=REVISION for more."),
        client(
            "steps ID FROM [TO]", .sessionSteps, as: .table("steps", columns: "*"),
            meaning: "print the steps of a user interface from one revision to another",
            details: "TO is the newest revision unless it is given."),
        client(
            "allowed ID", .sessionAllowed, meaning: "print the commands that are possible now"),
        client(
            "link ID", .sessionLink, as: .member("url"),
            meaning: "print the deep link to the visible screen"),
        client(
            "sheet ID SHEET", .sessionSheet,
            meaning: "print whether a sheet is presented, or how it was answered"),
    ]

    private static let commands = [
        command(
            "navigate ID ROUTE [KEY=VALUE...:params]", .navigate,
            meaning: "push a screen; KEY=VALUE are its params",
            details: memberRule + withRule + "mode=replace, in=chats or mark=start."),
        command(
            "back ID [COUNT] [KEY=VALUE...]", .back, meaning: "go back, by one step or by COUNT",
            details: "Further members are those of the API: to:='{\"route\":\"list\"}', "
                + "inclusive:=true. " + memberRule),
        command(
            "root ID [SCOPE] [KEY=VALUE...]", .root,
            meaning: "go back to the root of the selected tab; SCOPE is tab, path or all"),
        command(
            "present ID [ROUTE] [KEY=VALUE...:params]", .present,
            meaning: "present a sheet; KEY=VALUE are its params",
            details: memberRule + withRule
                + "tag=login. A dialog needs no ROUTE: --with style=alert."),
        command(
            "dismiss ID [SHEET] [KEY=VALUE...]", .dismiss,
            meaning: "dismiss the top sheet, or SHEET with all sheets over it",
            details: "Further members are those of the API: result:='{\"ok\":true}', force:=true, "
                + "button=delete for a dialog. " + memberRule),
        command(
            "select ID TAB [KEY=VALUE...]", .select, meaning: "select a tab",
            details: "Further members are those of the API: sheets=dismiss. " + memberRule),
        command("open ID URL [KEY=VALUE...]", .open, meaning: "open a deep link"),
        command(
            "setPath ID CONTAINER:in [ROUTE...:path] [KEY=VALUE...]", .setPath,
            meaning: "replace the whole path of a tab or of a sheet",
            details: "A ROUTE with params is one word: 'product {\"id\":7}'. " + memberRule),
        command(
            "setParams ID ENTRY [KEY=VALUE...:params]", .setParams,
            meaning: "change the params of an entry; visible is the one on screen",
            details: memberRule + withRule + "mode=replace."),
        command(
            "setBadge ID TAB [BADGE]", .setBadge,
            meaning: "set the badge of a tab, a number or a short text; without BADGE, remove it",
            details: "A badge that begins with - is written after --: setBadge ID TAB -- -5."),
        command(
            "setTabs ID [TAB...:order] [KEY=VALUE...]", .setTabs,
            meaning:
                "reorder the tabs, or hide tabs with --hide, which shows all the others",
            details: "TAB is every tab once, in the new order. hidden:=[] shows all tabs."
        ).with(["hide"]),
        command(
            "setFacts ID [KEY=VALUE...:facts]", .setFacts, meaning: "set facts, which guards check"),
        command(
            "batch ID FILE", .batch, meaning: "carry out several commands as one change",
            details: "FILE has an object with the array commands. " + fileRule),
        command(
            "undo ID [COUNT] [KEY=VALUE...]", .undo,
            meaning: "undo the last change, or the last COUNT"),
        command(
            "redo ID [COUNT] [KEY=VALUE...]", .redo,
            meaning: "redo the last change that was undone, or the last COUNT"),
    ]

    private static let others = [
        client(
            "ask ID [ROUTE] [KEY=VALUE...:params]", .command(.present),
            meaning: "present a sheet, wait until it is answered, and print the result as JSON",
            details: """
                The exit code is 0 if the sheet was dismissed with a result, or by a button, whose \
                id is then the result; otherwise it is 1. With --timeout the sheet is dismissed \
                when that time is over. Without it, the command waits without a limit.
                """ + " " + memberRule
        ).withOnly(clientOptions + ["with"]).running(ClientCommand.ask, also: [.sessionSheet]),
        client(
            "signal ID NAME [KEY=VALUE...:data]", .signal, as: .member("delivered"),
            meaning: "send a signal to those who watch a session; KEY=VALUE are its data",
            details: "It prints how many have received it. " + memberRule),
        client(
            "watchers ID [KEY=VALUE...]", .sessionWatchers,
            as: .table("watchers", columns: "as since shown"),
            meaning: "list the displays and programs that watch a session"),
        client(
            "report ID AS REVISION", .reportShown, as: .done("reported the revision of"),
            meaning: "report the revision that the display with the name AS shows"),
        client(
            "tokens ID [create|revoke] [SCOPE|TOKEN:token] [KEY=VALUE...]", .listTokens,
            as: .table("tokens", columns: "id scope name createdAt expiresAt"),
            meaning: "list, create or revoke the tokens of a session",
            details: """
                create SCOPE makes a token with the scope read or control; further members are \
                name=desk, ttlSeconds:=3600, routes:='["help"]' and commands:='["back"]'. revoke \
                TOKEN ends the token with that id.
                """
        ).running(ClientCommand.changeTokens, also: [.createToken, .revokeToken]),
        client(
            "commands [KEY=VALUE...]", .commandSessions,
            as: .table("results", columns: "session changed revision reason problem.type"),
            meaning: "carry out a command in many sessions",
            details: "Members are those of the API: command:='{\"command\":\"root\"}', app=chat, "
                + "labels:='{\"room\":\"lobby\"}', visible=payment, idle:=600. " + memberRule),
        client(
            "events [KEY=VALUE...]", .allEvents,
            meaning: "print a line for each change of every session",
            details: streamRule + " KEY=VALUE are app=chat, session=ID, label=room:lobby "
                + "and signals=true."
        ).running(ClientCommand.watch),
        client(
            "apps", .listApps, as: .table("apps", columns: "id title"),
            meaning: "list the apps of the server"),
        client(
            "resolve APP URL", .resolveLink, meaning: "print where a deep link of an app leads"),
        client(
            "contract", .contract,
            meaning: "print the version of the server, its contract and its features"),
    ]

    private static let memberRule =
        "KEY=VALUE has the type that the app declares, and is otherwise a string; KEY:=JSON is any "
        + "JSON value; one JSON object can take the place of them all."

    private static let withRule =
        " --with KEY=VALUE adds another member of the request, such as "

    private static let listRule =
        "KEY=VALUE are query parameters of the list: app=chat, label=room:lobby, visible=ROUTE, "
        + "idle=SECONDS, limit=10, q=PREFIX"

    private static let fileRule = "FILE may be - for standard input, or the JSON object itself."

    private static let streamRule =
        "Each line has the revision, the command, and the route that is visible then. With --json, "
        + "or not on a terminal, it is the event of the API as one line of JSON. A connection that "
        + "is lost is opened again, and no change is left out."

    /// The options that every request to a server has.
    static let clientOptions = ["server", "json", "timeout", "token-file"]

    /// The changes that the server cannot try.
    private static let untried: [Operation] = [
        .signal, .reportShown, .createToken, .revokeToken, .listTokens,
    ]

    /// A command that is a request.
    ///
    /// - Parameters:
    ///   - usage: its name and its words; the name is in small letters.
    ///   - operation: the operation that it requests, if it is a single one.
    static func client(
        _ usage: String, _ operation: Operation?, as form: ResultForm = .document, meaning: String,
        details: String = ""
    ) -> Subcommand {
        let all = usage.words
        let count = all.firstIndex { $0.utf8.first.map { $0 < 0x61 } ?? false } ?? all.count
        let words = WordList(stringLiteral: all[count...].joined(separator: " "))
        var options = clientOptions
        if words.enclosingMember != nil { options.append("with") }
        if let operation, !untried.contains(operation), Endpoint.of(operation)?.method != .get {
            options.append("dry-run")
        }
        return Subcommand(
            name: all[..<count].joined(separator: " "), words: words, meaning: meaning,
            details: details, isClient: true, operations: operation.map { [$0] } ?? [], form: form,
            options: options, hasServerOptions: false, run: running(ClientCommand.perform))
    }

    /// A command of the API to one session.
    private static func command(
        _ usage: String, _ name: CommandName, meaning: String, details: String = memberRule
    ) -> Subcommand {
        client(usage, .command(name), as: .change, meaning: meaning, details: details)
    }

    /// The command with a function of its own, which requests these operations, too.
    func running(
        _ run: @escaping @Sendable (ClientCommand) -> () throws(ExitError) -> Void,
        also more: [Operation] = []
    ) -> Subcommand {
        var row = self
        row.operations += more
        (row.run, row.hasOwnFunction) = (Self.running(run), true)
        return row
    }

    private static func running(
        _ run: @escaping @Sendable (ClientCommand) -> () throws(ExitError) -> Void
    ) -> @Sendable (CommandContext) throws(ExitError) -> Void {
        { (context) throws(ExitError) in try run(try ClientCommand(context))() }
    }

    /// Whether its first word is the id of a session that exists.
    var takesSession: Bool { words.all.first.map { $0.name == "ID" && $0.isRequired } ?? false }
}
