internal import Bytes

/// The manual page, for man(1).
package enum ManualPage {
    /// The page as roff.
    package static var text: String {
        """
        .TH NAVSTATE 1 "" "navstate \(Version.text)" "User Commands"
        .SH NAME
        navstate \\- keep the navigation state of an app on a server
        .SH SYNOPSIS
        .B navstate
        .RI [ command ]
        .RI [ options ]
        .SH DESCRIPTION
        \(escaped(Help.intro))
        .SH COMMANDS
        \(Subcommand.all.map(about).joined())\
        .SH OPTIONS
        Every option but those of single commands and app documents can also be set by an
        environment variable, or by a variable of the same name with _FILE appended, which names
        a file that contains the value; only one of the two may be set. Precedence, highest first:
        flag, environment variable, \\-\\-config file, default.
        \(OptionGroup.allCases.map(section).joined())\
        .SH SIGNALS
        \(Help.signalMeanings.map { item($0.0, [$0.1]) }.joined())\
        .SH EXIT STATUS
        \(ExitCode.allCases.map { item("\($0.rawValue)", [$0.meaning]) }.joined())
        """
    }

    private static func about(_ row: Subcommand) -> String {
        item(row.usage, [row.meaning] + (row.details.isEmpty ? [] : [row.details]))
    }

    private static func section(_ group: OptionGroup) -> String {
        let items = group.options.map { option in
            var facts: [String] = []
            if !option.defaultText.isEmpty { facts.append("Default: \(option.defaultText).") }
            if option.hasVariable { facts.append("Variable: \(option.variable).") }
            return item(
                option.hasFlag ? option.usage : option.variable,
                [option.meaning] + option.paragraphs
                    + (facts.isEmpty ? [] : [facts.joined(separator: " ")]))
        }
        return ".SS \(group.rawValue)\n\(items.joined())"
    }

    /// A tagged paragraph. The first text is turned into a sentence.
    private static func item(_ name: String, _ texts: [String]) -> String {
        let paragraphs = [Help.sentence(texts[0])] + texts.dropFirst()
        let body = paragraphs.map { escaped($0) + "\n" }.joined(separator: ".IP\n")
        return ".TP\n.B \(escaped(name))\n\(body)"
    }

    /// Escapes text so that roff prints it unchanged.
    private static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}
