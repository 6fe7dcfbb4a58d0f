internal import Bytes
internal import JSON
internal import Navigation

/// A parsed command line.
package struct Invocation: Sendable {
    /// The command; `serve` if none is named.
    package private(set) var subcommand = Subcommand.serve
    /// The words after the command that are not options.
    package private(set) var arguments: [String] = []
    /// The options in their order, each with its value as it was written.
    package private(set) var options: [(option: Option, value: String)] = []

    /// Parses the words of a command line.
    ///
    /// - Throws: a `usage` error that names the first wrong word.
    package init(_ words: [String]) throws(ExitError) {
        var rest = words[...]
        if let first = rest.first, !first.hasPrefix("-") {
            if words.dropFirst().contains(where: { ["--help", "-h"].contains($0) }),
                Subcommand.beginning(words) == nil, !Subcommand.verbs(of: first).isEmpty
            {
                (subcommand, arguments) = (.help, [first])
                return
            }
            subcommand = try Self.subcommand(words)
            rest = rest.dropFirst(subcommand.name.words.count)
        }
        while let word = rest.popFirst() {
            // The words after it are no options, also if they begin with -.
            if word == "--" {
                arguments += rest
                break
            }
            try take(word, &rest)
        }
        _ = try subcommand.named(arguments)
        try checkOptions()
        // The directory of a store may be given as an argument instead of --data.
        if subcommand == .check || subcommand == .dump, let directory = arguments.first {
            options.append((.data, directory))
        }
    }

    /// The command that the words begin with.
    private static func subcommand(_ words: [String]) throws(ExitError) -> Subcommand {
        if let found = Subcommand.beginning(words) { return found }
        let verbs = Subcommand.verbs(of: words[0]).map(\.verb)
        let names = verbs.isEmpty ? Subcommand.firstWords : verbs
        guard let word = verbs.isEmpty ? words[0] : words.dropFirst().first else {
            throw ExitError(
                .usage, "missing word after \(words[0]): \(names.joined(separator: ", "))")
        }
        let group = verbs.isEmpty ? "" : "\(words[0]) "
        let list = names.map { group + $0 }.joined(separator: ", ")
        throw ExitError(
            .usage,
            "unknown command \(group)\(word.clipped)\(Suggestion.text(for: word, among: names)); "
                + (verbs.isEmpty ? "see navstate help" : "the commands are \(list)"))
    }

    private mutating func take(
        _ word: String, _ rest: inout ArraySlice<String>
    ) throws(ExitError) {
        switch word {
        case "--help", "-h": askForHelp()
        case "--version", "-V": subcommand = .version
        default:
            // A topic of help may be written like an option: help --listen.
            if !word.hasPrefix("-") || word == "-" || subcommand == .help {
                arguments.append(word)
            } else {
                try take(option: word, &rest)
            }
        }
    }

    /// Makes `check --help` the same as `help check`.
    private mutating func askForHelp() {
        if subcommand != .serve, subcommand != .help { arguments = subcommand.name.words }
        subcommand = .help
    }

    /// The names of options in other programs.
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
        guard let option = flags.first(where: { $0.isCalled(parts[0]) })
        else {
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

    /// The command line with another session, if its first word is one.
    func replacingSession(_ id: String) -> Self {
        var other = self
        if subcommand.words.all.first?.name == "ID", !arguments.isEmpty { other.arguments[0] = id }
        return other
    }

    /// Refuses options that make no sense with the command.
    private func checkOptions() throws(ExitError) {
        for (option, _) in options {
            if option.name == "store", subcommand == .check || subcommand == .dump,
                !arguments.isEmpty
            {
                throw ExitError(.usage, "give either a directory or --store, not both")
            }
            if let text = fault(of: option) { throw ExitError(.usage, text) }
        }
    }

    /// Why an option makes no sense with the command; nil if it is right.
    private func fault(of option: Option) -> String? {
        if subcommand == .help || subcommand.options.contains(option.name) { return nil }
        let known = subcommand.options.map { "--\($0)" }.joined(separator: ", ")
        if option.isOfServer {
            if subcommand.hasServerOptions { return nil }
            return subcommand == .demo
                ? "\(option.flag) makes no sense with demo, whose data and tokens are temporary; "
                    + "its options are \(known)"
                : "\(option.flag) is an option of the server; those of navstate "
                    + "\(subcommand.name) are \(known)"
        }
        let owners = Subcommand.all.filter { $0.options.contains(option.name) && $0 != .config }
            .map(\.name)
        let start = owners.dropLast().joined(separator: ", ")
        let names = start.isEmpty ? "navstate " : "\(start) and "
        let kind = option.hasVariable && owners.count > 1 ? "the commands to a server: " : ""
        let hint = option.name == "with" ? "; write KEY=VALUE without it" : ""
        return "\(option.flag) is an option of \(kind)\(names)\(owners.last ?? "")\(hint)"
    }
}

extension Subcommand {
    /// The words after a command, and the members that follow them.
    ///
    /// - Throws: a `usage` error for a word that is missing or too many.
    func named(
        _ arguments: [String]
    ) throws(ExitError) -> (words: [(word: WordList.Word, text: String)], members: [String]) {
        var named: [(word: WordList.Word, text: String)] = []
        var rest = arguments[...]
        for word in words.all {
            func isNext(_ text: String) -> Bool {
                // A URL or the name of a file may contain anything.
                !words.takesMembers || ["URL", "FILE"].contains(word.name)
                    || !Members.isMember(text)
            }
            guard let first = rest.first, isNext(first) else {
                guard word.isRequired else { break }
                throw ExitError(.usage, "missing argument \(word.name); usage: navstate \(usage)")
            }
            repeat {
                named.append((word, rest.removeFirst()))
            } while word.isRepeated && rest.first.map(isNext) ?? false
        }
        if let word = rest.first, !words.takesMembers || !Members.isMember(word) {
            throw ExitError(
                .usage, "unexpected argument \(word.clipped); usage: navstate \(usage)")
        }
        return (named, Array(rest))
    }
}

/// Suggestions for misspelled names on the command line.
enum Suggestion {
    /// ` (did you mean …?)` with the most similar name; empty if none is similar.
    static func text(for name: String, among names: [String]) -> String {
        Spelling.proposal(for: name, among: names, work: WorkBudget())
    }
}
