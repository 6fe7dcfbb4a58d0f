internal import API
internal import Server

/// What the command line asks for.
struct Invocation {
    enum Verb: String, CaseIterable {
        case serve, version, help
    }

    var verb = Verb.serve
    var options = Options()

    /// - Throws: a `usage` failure that names the word that is wrong.
    init(_ arguments: [String]) throws(Failure) {
        var rest = arguments[...]
        if let first = rest.first, !first.hasPrefix("-") {
            guard let verb = Verb(rawValue: first) else {
                let verbs = Verb.allCases.map(\.rawValue).joined(separator: ", ")
                throw Failure(.usage, "there is no command \(first); there are \(verbs)")
            }
            self.verb = verb
            rest.removeFirst()
        }
        while let word = rest.popFirst() {
            if word == "--help" || word == "-h" {
                verb = .help
            } else if word == "--version" {
                verb = .version
            } else {
                try take(word, &rest)
            }
        }
    }

    /// `--name value` or `--name=value`.
    private mutating func take(
        _ word: String, _ rest: inout ArraySlice<String>
    ) throws(Failure) {
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        guard let option = Option.all.first(where: { $0.flag == parts.first }) else {
            throw Failure(.usage, "there is no option \(word); see navstate help")
        }
        guard let value = parts.count > 1 ? parts[1] : rest.popFirst() else {
            throw Failure(.usage, "\(option.flag) needs a value: \(option.meaning)")
        }
        guard option.set(&options, value) else {
            throw Failure(.usage, "\(option.flag) \(value): \(option.form)")
        }
    }
}

/// The settings that a command line can change.
struct Options {
    var listen = ListenAddress(host: "127.0.0.1", port: 8080)
    var data = "./navstate-data"
    /// A directory of app files.
    var apps: String?
    var entrance = Entrance()
    var server = ServerOptions()
}

/// One option; the table is the only place that knows it.
struct Option {
    let flag: String
    let form: String
    let meaning: String
    /// False if the value has not the form.
    let set: @Sendable (inout Options, String) -> Bool

    static let all: [Option] = [
        Option(
            flag: "--listen", form: "must be ADDRESS:PORT with a numeric address",
            meaning: "where to listen (127.0.0.1:8080)"
        ) { options, value in
            guard let address = ListenAddress(value) else { return false }
            options.listen = address
            return true
        },
        Option(
            flag: "--data", form: "must be a directory's path",
            meaning: "where the sessions are kept (./navstate-data)"
        ) { options, value in
            options.data = value
            return !value.isEmpty
        },
        Option(
            flag: "--apps", form: "must be a directory's path",
            meaning: "stores the apps in its *.json files, each under its id"
        ) { options, value in
            options.apps = value
            return !value.isEmpty
        },
        Option(
            flag: "--token-file", form: "must be a file's path",
            meaning: "lines of TOKEN SCOPE; scopes are read, control and admin"
        ) { options, value in
            options.entrance.tokenFile = value
            return !value.isEmpty
        },
        Option(
            flag: "--allow-anonymous", form: "must be true or false",
            meaning: "true: serve other addresses than loopback without tokens"
        ) { options, value in
            options.entrance.allowsAnonymous = value == "true"
            return value == "true" || value == "false"
        },
        Option(
            flag: "--allowed-host", form: "must be a name without scheme and port",
            meaning: "a name that the server goes by; may be given again"
        ) { options, value in
            guard let host = Door.host(value) else { return false }
            options.entrance.allowedHosts.append(host)
            return true
        },
        Option(
            flag: "--allowed-origin", form: "must be like https://app.example",
            meaning: "an origin whose pages may call; may be given again"
        ) { options, value in
            guard let origin = Door.origin(value) else { return false }
            options.entrance.allowedOrigins.append(origin)
            return true
        },
        Option(
            flag: "--rate-limit", form: "must be PER-SECOND or PER-SECOND:BURST",
            meaning: "how often one address may ask (as often as it likes)"
        ) { options, value in
            options.server.addressRateLimit = RateLimit(value)
            return options.server.addressRateLimit != nil
        },
        Option(
            flag: "--token-rate-limit", form: "must be PER-SECOND or PER-SECOND:BURST",
            meaning: "how often one token may be used (as often as one likes)"
        ) { options, value in
            options.server.tokenRateLimit = RateLimit(value)
            return options.server.tokenRateLimit != nil
        },
        Option(
            flag: "--max-connections", form: "must be a number", meaning: "20000"
        ) { options, value in
            guard let count = Int(value), count > 0 else { return false }
            options.server.connectionsMax = count
            return true
        },
    ]
}

enum Usage {
    static var text: String {
        let options = Option.all.map { option in
            let name = option.flag + String(repeating: " ", count: max(1, 20 - option.flag.count))
            return "  \(name)\(option.meaning)\n"
        }
        return """
            navstate keeps an app's navigation state: tabs, paths and sheets, over HTTP.

              navstate [serve] [options]   serve until SIGTERM
              navstate version             print the version
              navstate help                print this

            \(options.joined())
            """
    }
}
