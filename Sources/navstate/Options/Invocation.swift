internal import Bytes
internal import JSON

/// A parsed command line.
package struct Invocation: Sendable {
    /// The command; `serve` if none is named.
    package private(set) var verb = Verb.serve
    /// The words after the verb that are not options.
    package private(set) var arguments: [String] = []
    /// The options in their order, each with its value as it was written.
    package private(set) var options: [(option: Option, value: String)] = []

    /// Parses the words of a command line.
    ///
    /// - Throws: a `usage` error that names the first wrong word.
    package init(_ words: [String]) throws(ExitError) {
        var rest = words[...]
        if let first = rest.first, !first.hasPrefix("-") {
            guard let verb = Verb(rawValue: first) else {
                let names = Verb.allCases.map(\.rawValue)
                let hint = Suggestion.text(for: first, among: names)
                throw ExitError(
                    .usage,
                    "unknown command \(first.clipped)\(hint); the commands are "
                        + names.joined(separator: ", "))
            }
            self.verb = verb
            rest.removeFirst()
        }
        while let word = rest.popFirst() { try take(word, &rest) }
        try checkArguments()
        try checkOptions()
        // The directory of a store may be given as an argument instead of --data.
        if verb == .check || verb == .dump, let directory = arguments.first {
            options.append((.data, directory))
        }
    }

    private mutating func take(
        _ word: String, _ rest: inout ArraySlice<String>
    ) throws(ExitError) {
        switch word {
        case "--help", "-h": askForHelp()
        case "--version", "-V": verb = .version
        default:
            // A topic of help may be written like an option: help --listen.
            if !word.hasPrefix("-") || word == "-" || verb == .help {
                arguments.append(word)
            } else {
                try take(option: word, &rest)
            }
        }
    }

    /// Makes `check --help` the same as `help check`.
    private mutating func askForHelp() {
        if verb != .serve, verb != .help { arguments = [verb.rawValue] }
        verb = .help
    }

    /// What other programs call an option.
    private static let otherNames = [
        "--port": "--listen 8080", "-p": "--listen 8080", "--host": "--listen 0.0.0.0:8080",
        "--bind": "--listen 0.0.0.0:8080", "--address": "--listen 0.0.0.0:8080",
        "-d": "--data DIR", "--dir": "--data DIR", "--data-dir": "--data DIR",
        "-c": "--config FILE", "-v": "--version", "-q": "--log-level warning",
        "--verbose": "--log-level debug", "--token": "NAVSTATE_TOKEN", "--demo": "navstate demo",
        "--url": "--server URL",
    ]

    /// Takes `--name value` or `--name=value`; the value of a boolean option may be omitted.
    private mutating func take(
        option word: String, _ rest: inout ArraySlice<String>
    ) throws(ExitError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map(String.init)
        let flags = Option.all.filter(\.hasFlag)
        guard let option = flags.first(where: { $0.flag == parts[0] }) else {
            let hint =
                Self.otherNames[parts[0]].map { " (use \($0))" }
                ?? Suggestion.text(for: parts[0], among: flags.map(\.flag))
            throw ExitError(
                .usage, "unknown option \(parts[0].clipped)\(hint); see navstate help")
        }
        if parts.count > 1 {
            options.append((option, parts[1]))
        } else if option.kind == .flag {
            options.append((option, "true"))
        } else if let value = rest.popFirst() {
            options.append((option, value))
        } else {
            throw ExitError(.usage, "\(option.usage): the value is missing; it \(option.kind.rule)")
        }
    }

    /// Refuses options that make no sense with the verb.
    private func checkOptions() throws(ExitError) {
        for (option, _) in options {
            if verb == .demo, !Demo.options.contains(option.name) {
                let known = Demo.options.map { "--\($0)" }.joined(separator: ", ")
                throw ExitError(
                    .usage,
                    "\(option.flag) makes no sense with demo, whose data and tokens are "
                        + "temporary; its options are \(known)")
            }
            if verb != .demo, verb != .help, option.name == "lan" {
                throw ExitError(
                    .usage, "--lan is an option of navstate demo; see navstate help lan")
            }
            if option.name == "yes", verb != .store, verb != .help {
                throw ExitError(.usage, "--yes is an option of navstate store delete")
            }
            if option.name == "store", verb == .check || verb == .dump, !arguments.isEmpty {
                throw ExitError(.usage, "give either a directory or --store, not both")
            }
            if let text = clientFault(option) { throw ExitError(.usage, text) }
        }
    }

    /// Why an option makes no sense with a client command, or only with one; nil if it is right.
    private func clientFault(_ option: Option) -> String? {
        let isOfClient = OptionGroup.client.options.contains { $0.name == option.name }
        if !verb.isClient {
            let isShown = verb == .config && option.hasVariable
            guard isOfClient, verb != .help, !isShown else { return nil }
            let names = Verb.clientVerbs.map(\.rawValue).joined(separator: ", ")
            return "\(option.flag) is an option of the commands to a server: \(names)"
        }
        if option.name == "with", !verb.takesParams {
            return "--with is an option of navigate and present; write KEY=VALUE without it"
        }
        guard !isOfClient, option.name != "token-file" else { return nil }
        let known = OptionGroup.client.options.map(\.flag) + ["--token-file"]
        return "\(option.flag) is an option of the server; those of navstate \(verb.rawValue) are "
            + known.joined(separator: ", ")
    }

    private func checkArguments() throws(ExitError) {
        let allowed: ClosedRange<Int> =
            switch verb {
            case .restore, .store, .completion: 1...1
            case .check, .dump, .help: 0...1
            case .serve, .demo, .healthcheck, .config, .version, .openapi, .manpage: 0...0
            case .sessions, .ids, .show, .create, .watch, .apps, .app, .navigate, .back, .root,
                .present, .dismiss, .select, .open, .undo, .redo:
                // The words are counted where they are told apart.
                0...Int.max
            }
        if arguments.count > allowed.upperBound {
            let word = arguments[allowed.upperBound].clipped
            throw ExitError(.usage, "unexpected argument \(word); usage: navstate \(verb.usage)")
        }
        guard arguments.count >= allowed.lowerBound else {
            throw ExitError(
                .usage,
                "missing argument \(verb.argument ?? ""); usage: navstate \(verb.usage)")
        }
    }
}
