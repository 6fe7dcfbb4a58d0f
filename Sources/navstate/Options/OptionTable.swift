internal import Bytes
internal import Server

// The table of the options. A row has a name, the member of `Configuration` that it sets, the
// values that are allowed, and its documentation. Its environment variable is NAVSTATE_ and the
// name in capitals; its default is the value in `Configuration()`.

extension OptionGroup {
    /// The options of the group, in the order in which help lists them.
    package var options: [Option] {
        switch self {
        case .serving: Option.servingOptions
        case .access: Option.accessOptions
        case .storage: Option.storageOptions
        case .sharedStore: Option.sharedStoreOptions
        case .logging: Option.loggingOptions
        case .limits: Option.limitOptions
        case .timeouts: Option.timeoutOptions
        case .demo: Option.demoOptions
        case .client: Option.clientOptions
        case .app: Option.appOptions
        }
    }
}

extension Option {
    /// Every option, in the order in which help lists them.
    package static let all: [Option] = OptionGroup.allCases.flatMap(\.options)

    /// The options that have a flag.
    static let flags = all.filter(\.hasFlag)

    static let config = Option(
        "config", .file,
        meaning: "JSON file with options: {\"listen\": [\"127.0.0.1:8080\"], \"drain\": \"5s\"}",
        details: """
            Each member is the name of an option without its dashes. Values are strings, numbers or
            booleans; an option that may be repeated also takes an array of strings. An unknown
            option is an error (exit code 64). Environment variables and flags take precedence over
            the file.
            """,
        read: { _ in [] }, write: { _, _ in nil })

    static let servingOptions: [Option] = [
        listen, config,
        Option(
            "apps", .text(.directory), sets: \.apps,
            meaning: "directory of app definitions, *.json, to store at startup and on SIGHUP",
            details: """
                The file name is the id of the app: chat.json defines the app chat. An invalid file
                stops the startup with exit code 78; on SIGHUP it is logged, and nothing at all is
                reloaded. Removing a file does not delete its app: use DELETE /v1/apps/{app}.
                """),
        Option(
            "drain", .duration(0...600_000), sets: \.server.drainMilliseconds,
            meaning: "how long to keep serving after SIGTERM, with /readyz returning 503",
            details: """
                This gives load balancers time to stop sending requests before the server stops
                accepting them. Set it to a little more than the interval of the balancer's
                readiness checks. Without a load balancer leave it at 0s. A second signal stops the
                server at once.
                """),
        Option(
            "stop-timeout", .duration(0...600_000), sets: \.server.stopMilliseconds,
            meaning: "how long open requests may take to finish at shutdown",
            details: """
                It starts when --drain ends. The server then accepts no connections, finishes the
                requests in progress and tells streams when to reconnect. Whatever is still open at
                the end is closed. Acknowledged changes are safe in either case.
                """),
    ]

    private static let listen = Option(
        "listen", list: .address, sets: \.listen,
        meaning: "address to listen on; may be repeated",
        details: """
            An address is HOST:PORT with a numeric IPv4 address or an IPv6 address in brackets, PORT
            alone (on 127.0.0.1), :PORT (on all IPv4 addresses), or unix:PATH for a Unix domain
            socket, which replaces that of a server that has ended, but no other file. Port 0 picks
            a free port, which is printed at startup.

            Without a token the server only listens on loopback addresses and Unix sockets, unless
            --allow-anonymous is given. Sockets passed by systemd (LISTEN_FDS) are used instead of
            this option.
            """)

    static let demoOptions: [Option] = [
        Option(
            "lan", .flag, sets: \.isOnNetwork,
            meaning:
                "demo only: listen on the network, and print the display's address as a QR code",
            details: """
                The demo then listens on all addresses, makes a token for the console, and another
                one for the display, which controls one session. Scan the code with a phone on the
                same network. Whoever sees the code can control that session until the demo ends.
                Commands other than demo ignore the variable and refuse the option.
                """)
    ]

    static let loggingOptions: [Option] = [
        Option(
            "log-level", logLevel, sets: \.log.level,
            meaning: "lowest level of messages to log; info adds a line for each request",
            details: """
                Messages go to standard error. Use info to log requests, and warning for messages
                that may need attention alone. The level is read again on SIGHUP.
                """),
        Option(
            "log-format", logFormat, sets: \.log.format,
            meaning: "format of log lines; auto is text on a terminal and JSON elsewhere",
            details: """
                JSON lines have the members time, level and message, and further ones that depend on
                the message. If the reader of standard error cannot keep up, log lines are dropped,
                so that they do not slow the server down; the metric navstate_log_dropped_total
                counts them.
                """),
        Option(
            "metrics-listen", .address, sets: \.metricsListen,
            meaning: "separate address for /metrics, /livez and /readyz",
            details: """
                /metrics is then no longer served at --listen. No token is needed at this address,
                so keep it on a private network. Host names other than localhost and those of
                --allowed-host get 403 there; IP addresses are accepted. Without this option
                /metrics is served at --listen, and needs a token with the scope admin if the server
                has tokens.
                """),
    ]

    private static let logLevel = OptionValue<LogLevel>(.choice(LogLevel.allCases.map(\.name))) {
        LogLevel(name: $0.lowercased())
    } text: {
        $0.name
    }

    private static let logFormat = OptionValue<LogFormat?>(.choice(["auto", "text", "json"])) {
        $0 == "auto" ? .some(nil) : LogFormat(rawValue: $0).map(Optional.some)
    } text: {
        $0?.rawValue ?? "auto"
    }
}
