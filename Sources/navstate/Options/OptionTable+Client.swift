// The rows about the commands to a running server.

internal import Bytes

extension Option {
    static let clientOptions: [Option] = [
        server, printsJSON,
        duration(
            "timeout", sets: \.client.timeoutMilliseconds, in: 100...3_600_000,
            doc: OptionDoc(
                "how long a client command waits for the server",
                """
                It limits connecting, and each wait for the next bytes of a response. The command
                watch opens its stream again when nothing has come for that long, and gives up when
                it could not connect for that long. The exit code is then 69. The server sends
                something on a stream every 15 s, so do not set less for watch.
                """)),
        members,
    ]

    private static let server = Option(
        "server", .text("URL"),
        doc: OptionDoc(
            "the server that a client command calls: http://HOST:PORT or unix:PATH",
            """
            The token is taken from NAVSTATE_TOKEN or NAVSTATE_TOKEN_FILE, or is the first one in
            the file of --token-file, which may also be a file with a token alone.

            The connection is not encrypted. For a server behind https, call the server itself where
            it runs, for example by an SSH tunnel, or run a local proxy that speaks TLS to it.
            """)
    ) { configuration in
        [configuration.client.server.description]
    } write: { configuration, texts in
        guard let address = ServerAddress(texts[0]) else { return ServerAddress.rule(texts[0]) }
        configuration.client.server = address
        return nil
    }

    /// A third state, which has no word, is the default.
    private static let printsJSON = Option(
        "json", .flag,
        doc: OptionDoc(
            "whether a client command prints JSON; by default, only if not to a terminal",
            """
            The result is then one JSON document, as the API returns it, and a refusal is the
            problem document on standard error. With --json=false the result is text for people,
            also in a pipe. The text has colors only on a terminal, and none if NO_COLOR is set.
            """)
    ) { configuration in
        configuration.client.printsJSON.map { ["\($0)"] } ?? []
    } write: { configuration, texts in
        guard let value = flagValue(texts[0]) else { return OptionKind.flag.rule }
        configuration.client.printsJSON = value
        return nil
    }

    private static let members: Option = {
        var option = list(
            "with", .text("KEY=VALUE"), sets: \.client.members,
            doc: OptionDoc(
                "a member of the request of navigate or present; may be repeated",
                """
                KEY=VALUE words of these two commands are params of the screen. This option is for
                the other members of the request: --with mode=replace, --with in=settings. As in
                params, KEY:=JSON is for values that are not strings.
                """)
        ) { $0.contains("=") }
        option.hasVariable = false
        return option
    }()
}
