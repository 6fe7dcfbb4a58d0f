internal import Bytes

// The commands that are requests to a running server.
extension Subcommand {
    /// The words in capitals, besides `ID` and `FILE`, are members of the request of the same name.
    package static let client = [
        client(
            "sessions", "[KEY=VALUE...]", meaning: "list the sessions of the server",
            details: listRule + ", cursor=ID for the next page.", run: ClientCommand.list),
        client(
            "ids", "[PREFIX] [KEY=VALUE...]",
            meaning: "print the ids of sessions, one per line; only those that begin with PREFIX",
            details: listRule + ".", run: ClientCommand.printIDs),
        client(
            "show", "ID [KEY=VALUE...]", meaning: "show a session",
            details: "revision=N shows an earlier state; at least the last 32 are kept.",
            run: ClientCommand.show),
        client(
            "create", "[ID] [KEY=VALUE...]", meaning: "create a session",
            details: "Members are those of the API: app=chat, ttlSeconds:=3600, "
                + "tabs:='[\"a\",\"b\"]'. " + memberRule, run: ClientCommand.create),
        client(
            "watch", "ID",
            meaning: "print a line for each change of a session until the session ends",
            details: "Each line has the revision, the command, and the route that is visible then. "
                + "With --json, or not on a terminal, it is the event of the API as one line of "
                + "JSON. A connection that is lost is opened again, and no change is left out.",
            run: ClientCommand.watch),
        client("apps", "", meaning: "list the apps of the server", run: ClientCommand.listApps),
        client(
            "navigate", "ID ROUTE [KEY=VALUE...]",
            meaning: "push a screen; KEY=VALUE are its params",
            details: memberRule + withRule + "mode=replace, in=chats or mark=start."),
        client(
            "back", "ID [COUNT] [KEY=VALUE...]", meaning: "go back, by one step or by COUNT",
            details: "Further members are those of the API: to:='{\"route\":\"list\"}', "
                + "inclusive:=true. " + memberRule),
        client(
            "root", "ID [SCOPE] [KEY=VALUE...]",
            meaning: "go back to the root of the selected tab; SCOPE is tab, path or all",
            details: memberRule),
        client(
            "present", "ID ROUTE [KEY=VALUE...]",
            meaning: "present a sheet; KEY=VALUE are its params",
            details: memberRule + withRule + "tag=login."),
        client(
            "dismiss", "ID [SHEET] [KEY=VALUE...]",
            meaning: "dismiss the top sheet, or SHEET with all sheets over it",
            details: "Further members are those of the API: result:='{\"ok\":true}', force:=true, "
                + "button=delete for a dialog. " + memberRule),
        client(
            "select", "ID TAB [KEY=VALUE...]", meaning: "select a tab",
            details: "Further members are those of the API: sheets=dismiss. " + memberRule),
        client("open", "ID URL [KEY=VALUE...]", meaning: "open a deep link", details: memberRule),
        client(
            "setFacts", "ID [KEY=VALUE...]", meaning: "set facts, which guards check",
            details: memberRule + " So a truth value is signedIn:=true."),
        client(
            "undo", "ID [COUNT] [KEY=VALUE...]", meaning: "undo the last change, or the last COUNT",
            details: memberRule),
        client(
            "redo", "ID [COUNT] [KEY=VALUE...]",
            meaning: "redo the last change that was undone, or the last COUNT",
            details: memberRule),
    ]

    private static let memberRule =
        "KEY=VALUE is a string and KEY:=JSON any JSON value; one JSON object can take the place of "
        + "them all."

    private static let withRule =
        " --with KEY=VALUE adds another member of the request, such as "

    private static let listRule =
        "KEY=VALUE are query parameters of the list: app=chat, label=room:lobby, limit=10, q=PREFIX"

    /// The options that every request to a server has.
    static let clientOptions = ["server", "json", "timeout", "token-file"]

    static func client(
        _ name: String, _ words: WordList, meaning: String, details: String = "",
        run: @escaping @Sendable (ClientCommand) -> () throws(ExitError) -> Void =
            ClientCommand.perform
    ) -> Subcommand {
        Subcommand(
            name: name, words: words, meaning: meaning, details: details, isClient: true,
            options: clientOptions + (words.required.contains("ROUTE") ? ["with"] : []),
            hasServerOptions: false
        ) { (context) throws(ExitError) in
            try run(try ClientCommand(context))()
            if let why = context.output.failure() {
                throw ExitError(.internalError, "the output cannot be written: \(why)")
            }
        }
    }

    /// Whether its first word is the id of a session that exists.
    var takesSession: Bool { words.required.first == "ID" }

    /// The member of the request that the members among its words belong to. Nil if they are
    /// members of the request itself.
    var enclosingMember: String? {
        words.required.contains("ROUTE") ? "params" : name == "setFacts" ? "facts" : nil
    }
}
