internal import API
internal import Server
internal import Storage

// The table. A row is: name, form and bounds, group, meaning. Its variable of the environment is
// NAVSTATE_ and the name in capitals; its default is what `Settings()` holds.

extension Option {
    package static let all: [Option] =
        serving + access + storing + logging + limits + deadlines

    static let config = Option(
        "config", .file, .serving,
        "reads options from a JSON object: {\"listen\": [\"127.0.0.1:8080\"], \"drain\": \"5s\"}",
        read: { _ in [] }, write: { _, _ in nil })

    private static let serving: [Option] = [
        listen, config,
        text(
            "apps", .directory, \.apps, .serving,
            "stores the apps in its *.json files, each under the file's name; again on SIGHUP"),
        duration(
            "drain", \.server.drainMilliseconds, 0...600_000, .serving,
            "after SIGTERM goes on serving so long with /readyz at 503, until balancers know"),
        duration(
            "stop-timeout", \.server.stopMilliseconds, 0...600_000, .serving,
            "gives open requests so long to finish after that"),
    ]

    private static let listen: Option = {
        var option = Option(
            "listen", .address, .serving,
            "listens there; several may be given, as options or with commas between"
        ) { settings in
            settings.listen.map(\.description)
        } write: { settings, texts in
            let addresses = texts.compactMap { ListenAddress($0) }
            guard addresses.count == texts.count else { return OptionKind.address.rule }
            settings.listen = addresses
            return nil
        }
        option.isList = true
        return option
    }()

    private static let access: [Option] = [
        tokenFile, token,
        flag(
            "allow-anonymous", \.allowAnonymous, .access,
            "lets everybody in who reaches an address that is not loopback"),
        list(
            "allowed-host", .text("NAME"), \.allowedHosts, .access,
            "a name that the server goes by, besides localhost, in the Host field"
        ) { Door.host($0) != nil },
        list(
            "allowed-origin", .text("ORIGIN"), \.allowedOrigins, .access,
            "an origin like https://app.example whose pages may call"
        ) { Door.origin($0) != nil },
        rate(
            "rate-limit", \.server.addressRateLimit,
            "how often one address may ask; beyond it 429"),
        rate(
            "token-rate-limit", \.server.tokenRateLimit,
            "how often one token may be used, from all addresses together; beyond it 429"),
    ]

    private static func rate(
        _ name: String, _ path: any WritableKeyPath<Settings, RateLimit?> & Sendable,
        _ meaning: String
    ) -> Option {
        Option(name, .text("RATE[:BURST]"), .access, meaning) { settings in
            settings[keyPath: path].map { ["\($0.perSecond):\($0.burst)"] } ?? []
        } write: { settings, texts in
            settings[keyPath: path] = RateLimit(texts[0])
            return settings[keyPath: path] == nil
                ? "must be requests a second like 50, or with a burst 50:200" : nil
        }
    }

    /// Its variable is of the plural, since NAVSTATE_TOKEN_FILE is the file with the one token.
    private static let tokenFile: Option = {
        var option = text(
            "token-file", .file, \.tokenFile, .access,
            "lets in who has a token of it: lines of TOKEN SCOPE; scopes are read, control, admin")
        option.variable = "NAVSTATE_TOKENS_FILE"
        return option
    }()

    /// No flag: everybody on the machine sees a command line.
    private static let token: Option = {
        var option = text(
            "token", .text("TOKEN"), \.token, .access, "a token that may do everything")
        option.isSecret = true
        option.hasFlag = false
        return option
    }()

    static let data = text(
        "data", .directory, \.data, .storing, "keeps the sessions there; made if missing")

    private static let storing: [Option] = [
        data, fsync, cache,
        flag(
            "recover", \.store.recover, .storing,
            "starts without what is damaged, which is set aside in quarantine/"),
        size(
            "segment-size", \.store.segmentBytes, 1 << 20...4 << 30, .storing,
            "how long a file of the log becomes"),
        memory(
            "pending-max", \.pendingBytes, 1 << 20...4 << 30, .storing,
            "what may wait for the disk, else changes are 503; auto: 64MiB or a 16th of the cgroup"),
        count(
            "keys-max", \.store.keysMax, 0...100_000_000, .storing,
            "idempotency keys that are kept over all sessions; the oldest go first"),
    ]

    private static let fsync = Option(
        "fsync", .text("always|never|TIME"), .storing,
        "a change is answered when it is on the disk (always), or in the kernel, synced every TIME"
    ) { settings in
        switch settings.store.fsync {
        case .always: ["always"]
        case .never: ["never"]
        case .interval(let milliseconds): [Duration.text(milliseconds: Int64(milliseconds))]
        }
    } write: { settings, texts in
        switch texts[0] {
        case "always": settings.store.fsync = .always
        case "never": settings.store.fsync = .never
        default:
            guard let time = Duration.milliseconds(texts[0]), (1...60_000).contains(time) else {
                return "must be always, never or a time from 1ms to 1m"
            }
            settings.store.fsync = .interval(milliseconds: Int(time))
        }
        return nil
    }

    private static let cache = memory(
        "cache", \.cacheBytes, 1 << 20...1 << 40, .storing,
        "memory for sessions; auto: 256MiB, or a quarter of what the cgroup allows")

    private static let logging: [Option] = [
        Option(
            "log-level", .choice(LogLevel.allCases.map(\.name)), .logging,
            "what is logged to standard error; info has a line for each request"
        ) { settings in
            [settings.logLevel.name]
        } write: { settings, texts in
            guard let level = LogLevel(name: texts[0].lowercased()) else {
                return OptionKind.choice(LogLevel.allCases.map(\.name)).rule
            }
            settings.logLevel = level
            return nil
        },
        Option(
            "log-format", .choice(["auto", "text", "json"]), .logging,
            "how a line looks; auto: text on a terminal, else JSON"
        ) { settings in
            [settings.logFormat?.rawValue ?? "auto"]
        } write: { settings, texts in
            settings.logFormat = LogFormat(rawValue: texts[0])
            let isRight = texts[0] == "auto" || settings.logFormat != nil
            return isRight ? nil : OptionKind.choice(["auto", "text", "json"]).rule
        },
        Option(
            "metrics-listen", .address, .logging,
            "serves /metrics, /livez and /readyz there, and /metrics no longer at --listen"
        ) { settings in
            settings.metricsListen.map { [$0.description] } ?? []
        } write: { settings, texts in
            guard let address = ListenAddress(texts[0]) else { return OptionKind.address.rule }
            settings.metricsListen = address
            return nil
        },
    ]
}
