internal import API
internal import Bytes
internal import Server

// The rows about tokens, host names, origins and rates.

extension Option {
    static let accessOptions: [Option] = [
        tokenFile, token, firstToken,
        Option(
            "allow-anonymous", .flag, sets: \.access.allowAnonymous,
            meaning: "allow unauthenticated access on non-loopback addresses",
            details: """
                Without a token, anyone who can reach the server can do everything. So the server
                refuses to listen on anything but loopback until it has a token or this option is
                set. Use it on a trusted network only. It cannot be combined with a token.
                """),
        Option(
            "allowed-host",
            list: .text(.text("NAME")) { RequestOriginPolicy.host($0) != nil }
                .ruled { _ in "must be a name like nav.example, without a scheme or a port" },
            sets: \.access.allowedHosts,
            meaning: "host name of the server, besides localhost; may be repeated",
            details: """
                A request whose Host header has an unknown name gets 403 host-not-allowed. This
                protects users' browsers from DNS rebinding, in which a web page reaches the server
                through a host name that it controls. If a proxy in front passes the public host
                name on, or other containers use a service name, name it here.

                The server always accepts localhost and loopback addresses. If it listens elsewhere,
                it also accepts any IP address as long as it has no tokens, and any name if it has
                tokens and this option is not set. /livez and /readyz are exempt.
                """),
        Option(
            "allowed-origin",
            list: .text(.text("ORIGIN")) { RequestOriginPolicy.origin($0) != nil }
                .ruled { _ in "must be an origin like https://app.example, without a path" },
            sets: \.access.allowedOrigins,
            meaning:
                "web origin allowed to call the API, like https://app.example; may be repeated",
            details: """
                This enables CORS for that origin. Without it, pages of other origins cannot read
                any response, and their changes are refused with 403 origin-not-allowed. The
                server's own console does not need it.
                """),
        Option(
            "rate-limit", rate, sets: \.server.addressRateLimit,
            meaning: "requests per second allowed per client address; more gives 429",
            details: """
                BURST is the number of requests that may arrive at once; it defaults to twice RATE.
                IPv6 clients are counted by /64 network. The response has Retry-After. By default
                there is no limit. Behind a proxy all clients share one address: use
                --token-rate-limit, or limit at the proxy.
                """),
        Option(
            "token-rate-limit", rate, sets: \.server.tokenRateLimit,
            meaning: "requests per second allowed per token, across all addresses; more gives 429",
            details: """
                BURST is the number of requests that may arrive at once; it defaults to twice RATE.
                The response has Retry-After. By default there is no limit. Requests without a token
                are not counted.
                """),
    ]

    private static let rate = OptionValue<RateLimit>(.text("RATE[:BURST]")) {
        RateLimit($0)
    } text: {
        "\($0.perSecond):\($0.burst)"
    }.ruled { _ in
        "must be a number of requests per second like 50, or with a burst like 50:200"
    }

    private static let firstToken = Option(
        "first-token", .choice("none", "make"), sets: \.access.makesFirstToken,
        meaning: "whether to make a token at the first start if none is set",
        details: """
            With make, a server without a token makes one with the scope admin, keeps it in the file
            first-token of the data directory, and logs the console's address, token included, once.
            Later starts log the place of the file. Only the server's user can read it. To replace
            the token, delete the file and restart. The token is neither made nor used if another
            token or --allow-anonymous is set. The container image sets this option.
            """)

    /// The name of the variable is in the plural because NAVSTATE_TOKEN_FILE is the file with the
    /// one token.
    private static let tokenFile = Option(
        "token-file", .text(.file), sets: \.access.tokenFile,
        meaning: "file of accepted tokens, one \"TOKEN SCOPE [NAME]\" per line",
        details: """
            The scopes are read (GET), control (also create, change and delete sessions) and admin
            (everything). History, events and the log show the NAME of the token that made a change.
            After them, a token with the scope control may have commands=A,B and routes=A,@GROUP,
            the only commands that it may send and the only routes that it may show. Empty lines and
            lines that begin with # are skipped. A mistake stops the startup with exit code 78 and
            names the line. The file is read again on SIGHUP, so that tokens can be replaced without
            a restart. It must be a regular file of at most 16 MiB: a pipe, like that of <(command)
            in a shell, cannot be read again. A client command sends the first token of the file.

            The variable is NAVSTATE_TOKENS_FILE because NAVSTATE_TOKEN_FILE names a file with the
            one token of NAVSTATE_TOKEN.
            """
    ).with { $0.variable = "NAVSTATE_TOKENS_FILE" }

    /// There is no flag, because other users of the machine can see a command line.
    private static let token = Option(
        "token", .text(.text("TOKEN")).ruled { _ in "must not be empty" }, sets: \.access.token,
        meaning: "a token with the scope admin",
        details: """
            There is no flag, because other users of the machine can see a command line. Use
            NAVSTATE_TOKEN_FILE where environment variables can be seen too. The command "openssl
            rand -hex 32" makes a good token. It is read again on SIGHUP.
            """
    ).with { ($0.isSecret, $0.hasFlag) = (true, false) }
}
