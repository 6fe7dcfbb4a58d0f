internal import Bytes
internal import JSON
internal import Navigation

/// The help texts, generated from the tables of options, commands and exit codes.
package enum Help {
    /// The topics. An option may also be named with its dashes or by its variable.
    package static let topics: [String] = {
        let commands = Subcommand.firstWords + Subcommand.all.map(\.name)
        let options = Option.all.map(\.name)
        return (commands + ["exit-codes", "signals", "options"] + options)
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }()

    /// The help on a topic, or the overview if the topic is nil. Returns nil for an unknown topic.
    package static func text(_ topic: String?) -> String? {
        guard let topic else { return overview }
        switch topic {
        case "exit-codes": return exitCodes
        case "signals": return signals
        case "options": return options
        case "options.md": return optionsPage
        default: break
        }
        let subcommand = Subcommand.named(topic).map(about)
        let verbs = Subcommand.verbs(of: topic)
        if !verbs.isEmpty { return rows(verbs) }
        let name = topic.hasPrefix("--") ? String(topic.dropFirst(2)) : topic
        let option = Option.all.first {
            $0.name == name || $0.hasVariable && $0.variable == name
        }.map(about)
        let parts = [subcommand, option].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "\n")
    }

    /// The command `help`.
    static func run(_ context: CommandContext) throws(ExitError) {
        let words = context.invocation.arguments
        if words.count > 1, Subcommand.verbs(of: words[0]).isEmpty {
            throw ExitError(
                .usage,
                "unexpected argument \(words[1].clipped); usage: navstate \(Subcommand.help.usage)")
        }
        let topic = words.isEmpty ? nil : words.joined(separator: " ")
        guard let text = text(topic) else { throw unknown(topic ?? "") }
        context.output.print(text)
    }

    private static func unknown(_ topic: String) -> ExitError {
        let name = topic.hasPrefix("--") ? String(topic.dropFirst(2)) : topic
        let hint = Suggestion.text(for: name, among: topics)
        return ExitError(.usage, "there is no help on \(topic.clipped)\(hint); see navstate help")
    }

    static let intro = """
        navstate keeps the navigation state of an app (tabs, paths and sheets) on a server, and
        lets clients read, watch and change it over HTTP.
        """

    private static func rows(_ subcommands: [Subcommand]) -> String {
        subcommands.map { row("navstate \($0.usage)", $0.meaning, width: 28) }.joined()
    }

    private static var overview: String {
        """
        \(intro)

        \(rows(Subcommand.all.filter { !$0.isClient }))
        Commands to a running server, which --server names:
        \(rows(Subcommand.all.filter(\.isClient)))
        \(options)\
        Every option but those of single commands and app documents can also be set by an
        environment variable: --idle-timeout by NAVSTATE_IDLE_TIMEOUT, or by
        NAVSTATE_IDLE_TIMEOUT_FILE, which names a file that contains the value. Precedence,
        highest first: flag, environment variable, --config file, default. More: navstate
        help OPTION, help exit-codes, help signals, manpage.

        """
    }

    private static func about(_ row: Subcommand) -> String {
        "navstate \(row.usage)\n\n\(wrapped(sentence(row.meaning), indent: "  "))"
            + (row.details.isEmpty ? "" : "\n" + wrapped(row.details, indent: "  "))
            + (row.hasServerOptions || row.options.isEmpty
                ? ""
                : "\n"
                    + wrapped(
                        "Options: \(row.options.map { "--\($0)" }.joined(separator: ", ")).",
                        indent: "  "))
    }

    private static var options: String {
        OptionGroup.allCases.map { group in
            let rows = group.options.map { option in
                let name = option.hasFlag ? option.usage : option.variable
                return row(name, "\(option.meaning)\(inBrackets(option))", width: 28)
            }
            return "\(group.rawValue)\n\(rows.joined())\n"
        }.joined()
    }

    private static func inBrackets(_ option: Option) -> String {
        option.defaultText.isEmpty || option.kind == .flag ? "" : " [\(option.defaultText)]"
    }

    private static func about(_ option: Option) -> String {
        var lines = [option.hasFlag ? option.usage : option.variable, ""]
        for text in [sentence(option.meaning)] + option.paragraphs {
            lines.append(wrapped(text, indent: "  "))
        }
        lines += option.hasVariable ? ["  variable  \(option.variable)"] : []
        if option.name != Option.config.name, option.hasVariable {
            lines.append("  or        \(option.variable)_FILE, the path of a file with the value")
            lines.append("  config    \"\(option.name)\" in the file of --config")
        }
        lines.append("  default   \(option.defaultText.isEmpty ? "none" : option.defaultText)")
        lines.append("  value     \(option.kind.rule.dropFirst("must be ".count))")
        return lines.joined(separator: "\n") + "\n"
    }

    private static var exitCodes: String {
        "Exit codes\n"
            + ExitCode.allCases.map { row("\($0.rawValue)", $0.meaning, width: 6) }
            .joined()
    }

    /// The signals and their effects, for help and for the manual page.
    package static let signalMeanings = [
        (
            "SIGTERM, SIGINT",
            "shut down gracefully (--drain, --stop-timeout); a second one: at once"
        ),
        ("SIGHUP", "reload the apps of --apps, the log level and the tokens"),
    ]

    private static var signals: String {
        "Signals\n" + signalMeanings.map { row($0.0, $0.1, width: 18) }.joined()
    }

    /// The generated part of docs/options.md.
    package static var optionsPage: String {
        commandTable(Subcommand.all.filter { !$0.isClient }, "Commands")
            + commandTable(Subcommand.all.filter(\.isClient), "Commands to a running server")
            + OptionGroup.allCases.map(section).joined()
    }

    private static func section(_ group: OptionGroup) -> String {
        """
        ## \(group.rawValue)

        | option | variable | default | |
        | --- | --- | --- | --- |
        \(group.options.map(tableRow).joined())
        \(group.options.map(pageSection).joined())
        """
    }

    private static func commandTable(_ rows: [Subcommand], _ heading: String) -> String {
        let lines = rows.map { "| `\(inTable($0.usage))` | \(inTable($0.meaning)) |\n" }
        return "## \(heading)\n\n| command | |\n| --- | --- |\n\(lines.joined())\n"
    }

    private static func tableRow(_ option: Option) -> String {
        let name = option.hasFlag ? "`\(inTable(option.usage))`" : ""
        let value = option.defaultText.isEmpty ? "" : "`\(option.defaultText)`"
        let variable = option.hasVariable ? "`\(option.variable)`" : ""
        return "| \(name) | \(variable) | \(value) | \(inTable(option.meaning)) |\n"
    }

    private static func inTable(_ text: String) -> String { text.replacing("|", with: "\\|") }

    private static func pageSection(_ option: Option) -> String {
        let paragraphs = option.paragraphs.map { wrapped($0, indent: "") }
        return """
            ### `\(option.hasFlag ? option.flag : option.variable)`

            \(paragraphs.joined(separator: "\n"))

            """
    }

    // MARK: - Layout

    static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    private static func row(_ name: String, _ text: String, width: Int) -> String {
        let indent = String(repeating: " ", count: width + 2)
        let body = wrapped(text, indent: indent)
        let head = "  " + name
        guard head.count + 2 <= indent.count else { return "\(head)\n\(body)" }
        return head + body.dropFirst(head.count)
    }

    /// Lines of at most 96 characters, each with its newline.
    private static func wrapped(_ text: String, indent: String) -> String {
        var lines: [String] = []
        var line = indent
        for word in text.split(separator: " ") {
            if line.count + 1 + word.count > 96, line != indent {
                lines.append(line)
                line = indent
            }
            line += (line == indent ? "" : " ") + word
        }
        return (lines + [line]).map { $0 + "\n" }.joined()
    }
}
