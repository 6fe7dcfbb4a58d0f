/// The manual page, for man(1).
package enum ManualPage {
    package static var text: String {
        """
        .TH NAVSTATE 1 "" "navstate \(Version.text)" "User Commands"
        .SH NAME
        navstate \\- keeps an app's navigation state on a server
        .SH SYNOPSIS
        .B navstate
        .RI [ command ]
        .RI [ options ]
        .SH DESCRIPTION
        \(escaped(Help.intro))
        .SH COMMANDS
        \(Verb.allCases.map { item($0.usage, $0.meaning) }.joined())\
        .SH OPTIONS
        A variable with _FILE behind its name names a file that has the value; only one of the two
        may be set. A flag is stronger than these, they than \\-\\-config, and that than the default.
        \(OptionGroup.allCases.map(section).joined())\
        .SH SIGNALS
        \(Help.signalMeanings.map { item($0.0, $0.1) }.joined())\
        .SH EXIT STATUS
        \(ExitCode.allCases.map { item("\($0.rawValue)", $0.meaning) }.joined())
        """
    }

    private static func section(_ group: OptionGroup) -> String {
        let items = Option.all.filter { $0.group == group }.map { option in
            let value = option.defaultText.isEmpty ? "" : " Default: \(option.defaultText)."
            return item(
                option.hasFlag ? option.usage : option.variable,
                "\(Help.sentence(option.meaning))\(value) Variable: \(option.variable)")
        }
        return ".SS \(group.rawValue)\n\(items.joined())"
    }

    private static func item(_ name: String, _ text: String) -> String {
        ".TP\n.B \(escaped(name))\n\(escaped(Help.sentence(text).replacing("..", with: ".")))\n"
    }

    /// Text that roff takes as it is.
    private static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}
