internal import Navigation

/// What the program can be told to do.
package enum Verb: String, CaseIterable, Sendable {
    case serve, healthcheck, check, dump, restore, config
    case version, openapi, completion, manpage, help

    package var meaning: String {
        switch self {
        case .serve: "serves until it is told to stop; done when no other command is named"
        case .healthcheck: "asks the server at --listen whether it is ready: exit code 0 or 1"
        case .check: "reads the whole store and says what is in it and whether it is sound"
        case .dump: "writes the newest state of every session as a line of JSON"
        case .restore:
            "makes a new store at --data out of a backup (GET /v1/backup); - is standard input"
        case .config: "prints the options in force and where each comes from"
        case .version: "prints the version"
        case .openapi: "prints the description of the API"
        case .completion: "prints a shell's completion"
        case .manpage: "prints the manual page"
        case .help: "explains an option, a command, exit-codes or signals"
        }
    }

    /// What stands behind it besides options.
    package var argument: String? {
        switch self {
        case .serve, .healthcheck, .config, .version, .openapi, .manpage: nil
        case .check, .dump: "[DIR]"
        case .restore: "FILE"
        case .completion: "bash|zsh|fish"
        case .help: "[TOPIC]"
        }
    }

    package var usage: String { rawValue + (argument.map { " \($0)" } ?? "") }
}

/// What the command line asks for.
package struct Invocation: Sendable {
    package private(set) var verb = Verb.serve
    /// What follows the verb and is no option.
    package private(set) var arguments: [String] = []
    package private(set) var options: [(option: Option, value: String)] = []

    /// - Throws: a `usage` failure that names the word that is wrong.
    package init(_ words: [String]) throws(Failure) {
        var rest = words[...]
        if let first = rest.first, !first.hasPrefix("-") {
            guard let verb = Verb(rawValue: first) else {
                let names = Verb.allCases.map(\.rawValue)
                throw Failure(
                    .usage,
                    "there is no command \(first.clipped)\(Near.hint(first, names)); there are "
                        + names.joined(separator: ", "))
            }
            self.verb = verb
            rest.removeFirst()
        }
        while let word = rest.popFirst() { try take(word, &rest) }
        try checkArguments()
        // They may be told the directory as other tools are told a file.
        if verb == .check || verb == .dump, let directory = arguments.first {
            options.append((.data, directory))
        }
    }

    private mutating func take(
        _ word: String, _ rest: inout ArraySlice<String>
    ) throws(Failure) {
        switch word {
        case "--help", "-h": askForHelp()
        case "--version", "-V": verb = .version
        default:
            // Topics of help may be written as the options that they explain.
            if !word.hasPrefix("-") || word == "-" || verb == .help {
                arguments.append(word)
            } else {
                try take(option: word, &rest)
            }
        }
    }

    /// `check --help` explains `check`.
    private mutating func askForHelp() {
        if verb != .serve, verb != .help { arguments = [verb.rawValue] }
        verb = .help
    }

    /// `--name value` or `--name=value`; a flag's value may be left out.
    private mutating func take(
        option word: String, _ rest: inout ArraySlice<String>
    ) throws(Failure) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map(String.init)
        let flags = Option.all.filter(\.hasFlag)
        guard let option = flags.first(where: { $0.flag == parts[0] }) else {
            let hint = Near.hint(parts[0], flags.map(\.flag))
            throw Failure(
                .usage, "there is no option \(parts[0].clipped)\(hint); see navstate help")
        }
        if parts.count > 1 {
            options.append((option, parts[1]))
        } else if option.kind == .flag {
            options.append((option, "true"))
        } else if let value = rest.popFirst() {
            options.append((option, value))
        } else {
            throw Failure(.usage, "\(option.usage) needs its value: \(option.meaning)")
        }
    }

    private func checkArguments() throws(Failure) {
        let allowed: ClosedRange<Int> =
            switch verb {
            case .restore, .completion: 1...1
            case .check, .dump, .help: 0...1
            case .serve, .healthcheck, .config, .version, .openapi, .manpage: 0...0
            }
        if arguments.count > allowed.upperBound {
            let word = arguments[allowed.upperBound].clipped
            throw Failure(.usage, "navstate \(verb.usage) does not take \(word)")
        }
        guard arguments.count >= allowed.lowerBound else {
            throw Failure(.usage, "navstate \(verb.usage): \(verb.argument ?? "") is missing")
        }
    }
}
