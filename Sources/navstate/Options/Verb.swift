/// The commands of the program.
package enum Verb: String, CaseIterable, Sendable {
    case serve, demo, healthcheck, check, dump, restore, store, config
    case version, openapi, completion, manpage, help
    case sessions, ids, show, create, watch, apps, app
    case navigate, back, root, present, dismiss, select, open, undo, redo

    /// A phrase for help, without a full stop.
    package var meaning: String {
        switch self {
        case .serve: "run the server until it is stopped (the default command)"
        case .demo:
            "run a server with sample apps and sessions, whose data are removed at the end"
        case .healthcheck: "check that the server at --listen is ready; exit code 0 or 1"
        case .check: "read all of the store at --data or --store and report whether it is intact"
        case .dump: "print the newest state of every session, one line of JSON each"
        case .restore:
            "create a store at --data or --store from a backup (GET /v1/backup); - is standard input"
        case .store: "create, check or delete the shared store at --store, or report its state"
        case .config: "print the effective options and the source of each"
        case .version: "print the version"
        case .openapi: "print the OpenAPI description of the API"
        case .completion: "print the completion script for a shell"
        case .manpage: "print the manual page"
        case .help: "explain an option, a command, exit-codes or signals"
        case .sessions: "list the sessions of the server"
        case .ids: "print the ids of sessions, one per line; only those that begin with PREFIX"
        case .show: "show a session"
        case .create: "create a session"
        case .watch: "print a line for each change of a session until the session ends"
        case .apps: "list the apps of the server"
        case .app: "create or replace an app by the definition in a file; - reads standard input"
        case .navigate: "push a screen; KEY=VALUE are its params"
        case .back: "go back, by one step or by COUNT"
        case .root: "go back to the root of the selected tab; SCOPE is tab, path or all"
        case .present: "present a sheet; KEY=VALUE are its params"
        case .dismiss: "dismiss the top sheet, or SHEET with all sheets over it"
        case .select: "select a tab"
        case .open: "open a deep link"
        case .undo: "undo the last change, or the last COUNT"
        case .redo: "redo the last change that was undone, or the last COUNT"
        }
    }

    /// Full sentences for `navstate help VERB` and the manual page. Empty if the phrase says all.
    package var details: String {
        switch self {
        case .demo:
            """
            It listens on a free port of this machine, unless --listen names another address, and \
            prints the addresses of the console and of a display, with commands to try. With --lan \
            other devices on the network can reach it, and it prints a QR code that opens the \
            display on a phone. The sample apps, the console and the display are part of the \
            executable. The data are in a temporary directory below $TMPDIR or /tmp, which is \
            removed at the end. It accepts only --lan, --listen, --log-level and \
            --log-format, and ignores the variables of other options.
            """
        case .store:
            """
            init creates the streams of a store, with --shards and --replicas. check reads every \
            message and reports damage; with --monitor it also asks the NATS servers whether they \
            sync each change. status reports the servers, the streams, their leaders and their \
            replicas; exit code 1 if a server cannot be used, or if a stream has no \
            leader, lacks a current replica or is configured differently. delete removes all \
            streams of the store, also those that an interrupted restore has left. It asks for the \
            prefix first, unless --yes is given. Stop all servers of the store before.
            """
        case .serve, .healthcheck, .check, .dump, .restore, .config, .version, .openapi,
            .completion, .manpage, .help:
            ""
        case .sessions, .ids, .show, .create, .watch, .apps, .app, .navigate, .back, .root,
            .present, .dismiss, .select, .open, .undo, .redo:
            clientDetails
        }
    }

    /// The argument besides options, in brackets if it may be omitted. Nil for a verb without one.
    package var argument: String? {
        switch self {
        case .serve, .demo, .healthcheck, .config, .version, .openapi, .manpage: nil
        case .check, .dump: "[DIR]"
        case .restore: "FILE"
        case .store: "init|check|status|delete"
        case .completion: "bash|zsh|fish"
        case .help: "[TOPIC]"
        case .sessions, .ids, .show, .create, .watch, .apps, .app, .navigate, .back, .root,
            .present, .dismiss, .select, .open, .undo, .redo:
            clientWords?.usage
        }
    }

    /// The verb with its argument: `restore FILE`.
    package var usage: String { rawValue + (argument.map { " \($0)" } ?? "") }
}
