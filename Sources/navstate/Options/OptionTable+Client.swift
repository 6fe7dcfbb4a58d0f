// The rows about the commands to a running server.

internal import Bytes

extension Option {
    static let clientOptions: [Option] = [
        server, printsJSON,
        Option(
            "timeout", .duration(100...3_600_000), sets: \.client.timeoutMilliseconds,
            meaning: "how long a client command waits for the server",
            details: """
                It limits connecting, and each wait for the next bytes of a response; the exit code
                is then 69. For ask it is the time to answer, which has no limit unless this option
                is given; without an answer in time, the exit code is 1. The command watch opens its
                stream again when nothing has arrived for that long, and gives up when it could not
                connect for that long. The server sends something on a stream every 15 s, so do not
                set less for watch.
                """),
        members,
        Option(
            "hide", list: .text(.text("TAB")), sets: \.client.hiddenTabs,
            meaning: "a tab that setTabs hides; may be repeated",
            details: "Tabs that are not named are shown. Without it, setTabs hides and shows none."
        ).with { $0.hasVariable = false },
        ofCommand(
            "dry-run", .flag,
            meaning: "whether a client command only shows the change that it would make",
            details: """
                The server then answers as if it had made the change. For app put the answer has the
                errors, the warnings, and the impact on the sessions of the app.
                """),
        ofCommand(
            "story", .flag, meaning: "whether record prints a story instead of a script",
            details: "docs/conformance/run.py carries stories out and compares the states."),
        ofCommand(
            "speed", .text("NUMBER"), meaning: "how many times faster play is than the recording",
            details: "4 takes a quarter of the time, 0.5 twice as long."),
        ofCommand(
            "loop", .flag, meaning: "whether play begins again at the end, until Ctrl-C",
            details: "The first line of a recording restores the state at its beginning."),
    ]

    private static let server = Option(
        "server", url, sets: \.client.server,
        meaning: "the server that a client command calls: http://HOST:PORT or unix:PATH",
        details: """
            The token is taken from NAVSTATE_TOKEN or NAVSTATE_TOKEN_FILE, or is the first one in
            the file of --token-file, which may also be a file with a token alone.

            The connection is not encrypted. For a server behind https, call the server itself where
            it runs, for example by an SSH tunnel, or run a local proxy that speaks TLS to it.
            """)

    private static let url = OptionValue<ServerURL>(.text("URL")) {
        ServerURL($0)
    } text: {
        $0.description
    }.ruled(ServerURL.rule)

    /// A third state, which has no word, is the default.
    private static let printsJSON = Option(
        "json", .flag, sets: \.client.printsJSON,
        meaning: "whether a client command prints JSON; by default, only if not to a terminal",
        details: """
            The result is then one JSON document, as the API returns it, and a refusal is the
            problem document on standard error. With --json=false the result is text for people,
            also in a pipe. The text has colors only on a terminal, and none if NO_COLOR is set.
            """)

    private static let members = Option(
        "with", list: .text(.text("KEY=VALUE")) { $0.contains("=") },
        sets: \.client.members,
        meaning: "an additional member of the request, outside params; may be repeated",
        details: """
            The KEY=VALUE words of navigate, present and some other commands are params, facts or
            data. This option is for the other members of the request: --with mode=replace,
            --with in=settings. KEY:=JSON is for values that are not strings.
            """
    ).with { $0.hasVariable = false }
}
