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
            guard let subcommand = Subcommand.named(first) else {
                let names = Subcommand.all.map(\.name)
                let hint = Suggestion.text(for: first, among: names)
                throw ExitError(
                    .usage,
                    "unknown command \(first.clipped)\(hint); the commands are "
                        + names.joined(separator: ", "))
            }
            self.subcommand = subcommand
            rest.removeFirst()
        }
        while let word = rest.popFirst() { try take(word, &rest) }
        _ = try subcommand.named(arguments)
        try checkOptions()
        // The directory of a store may be given as an argument instead of --data.
        if subcommand == .check || subcommand == .dump, let directory = arguments.first {
            options.append((.data, directory))
        }
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
        if subcommand != .serve, subcommand != .help { arguments = [subcommand.name] }
        subcommand = .help
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

    /// Refuses options that make no sense with the command.
    private func checkOptions() throws(ExitError) {
        for (option, _) in options {
            if subcommand == .demo, !Demo.options.contains(option.name) {
                let known = Demo.options.map { "--\($0)" }.joined(separator: ", ")
                throw ExitError(
                    .usage,
                    "\(option.flag) makes no sense with demo, whose data and tokens are "
                        + "temporary; its options are \(known)")
            }
            if subcommand != .demo, subcommand != .help, option.name == "lan" {
                throw ExitError(
                    .usage, "--lan is an option of navstate demo; see navstate help lan")
            }
            if option.name == "yes", subcommand != .store, subcommand != .help {
                throw ExitError(.usage, "--yes is an option of navstate store delete")
            }
            if option.name == "store", subcommand == .check || subcommand == .dump,
                !arguments.isEmpty
            {
                throw ExitError(.usage, "give either a directory or --store, not both")
            }
            if let text = clientFault(option) { throw ExitError(.usage, text) }
        }
    }

    /// Why an option makes no sense with a client command, or only with one; nil if it is right.
    private func clientFault(_ option: Option) -> String? {
        let isOfClient = OptionGroup.client.options.contains { $0.name == option.name }
        if !subcommand.isClient {
            let isShown = subcommand == .config && option.hasVariable
            guard isOfClient, subcommand != .help, !isShown else { return nil }
            let names = Subcommand.client.map(\.name).joined(separator: ", ")
            return "\(option.flag) is an option of the commands to a server: \(names)"
        }
        if option.name == "with", !subcommand.takesParams {
            return "--with is an option of navigate and present; write KEY=VALUE without it"
        }
        guard !isOfClient, option.name != "token-file" else { return nil }
        let known = OptionGroup.client.options.map(\.flag) + ["--token-file"]
        return
            "\(option.flag) is an option of the server; those of navstate \(subcommand.name) are "
            + known.joined(separator: ", ")
    }

}

extension Subcommand {
    /// The words after a command with their names, and the members that follow them.
    ///
    /// - Throws: a `usage` error for a word that is missing or too many.
    func named(
        _ arguments: [String]
    ) throws(ExitError) -> (words: [(name: String, word: String)], members: [String]) {
        var named: [(name: String, word: String)] = []
        var rest = arguments[...]
        func isWord(_ name: String, _ word: String) -> Bool {
            // A URL or the name of a file may contain anything.
            !words.takesMembers || name == "URL" || !Members.isMember(word)
        }
        for name in words.required {
            guard let word = rest.popFirst(), isWord(name, word) else {
                throw ExitError(.usage, "missing argument \(name); usage: navstate \(usage)")
            }
            named.append((name, word))
        }
        if let name = words.optional.first, let word = rest.first, isWord(name, word) {
            named.append((name, word))
            rest.removeFirst()
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
