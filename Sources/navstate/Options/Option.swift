internal import Bytes

/// One setting of the program.
///
/// The table of all options, `Option.all`, is the only place that knows them: parsing, help, the
/// manual page, the completions and docs/options.md are generated from its rows.
package struct Option: Sendable {
    /// The name without dashes: `listen` for `--listen`.
    package let name: String
    /// The name of the environment variable.
    package var variable: String
    /// The form of its values, for help and for completions.
    package let kind: OptionKind
    /// A phrase without a full stop, for lists.
    package let meaning: String
    /// Full sentences for `navstate help OPTION`, the manual page and docs/options.md: what the
    /// option is for, when to change it, and what happens at its limit. A line break counts as a
    /// space, and an empty line begins a new paragraph.
    package let details: String
    /// Whether the value is kept out of error messages and reports.
    package var isSecret = false
    /// Whether the option may be repeated, and takes values separated by commas.
    package var isList = false
    /// Whether there is a variable, and a member of the configuration file; false for what belongs
    /// to a single command line. A value of such an option may contain commas.
    package var hasVariable = true
    /// Whether there is a flag; false for secrets, because other users can see a command line.
    package var hasFlag = true
    /// A second flag of one letter: `-o`.
    package var short: String?
    /// Returns the current values as a user would write them; empty if the option is not set.
    package let read: @Sendable (Configuration) -> [String]
    /// Sets the values, more than one only for a list. Returns the rule that a value breaks, or nil
    /// if all are valid.
    package let write: @Sendable (inout Configuration, [String]) -> String?

    package init(
        _ name: String, _ kind: OptionKind, meaning: String, details: String,
        read: @escaping @Sendable (Configuration) -> [String],
        write: @escaping @Sendable (inout Configuration, [String]) -> String?
    ) {
        self.name = name
        self.variable = "NAVSTATE_" + name.uppercased().replacing("-", with: "_")
        self.kind = kind
        self.meaning = meaning
        self.details = details
        self.read = read
        self.write = write
    }

    /// The paragraphs of the details, each on one line.
    package var paragraphs: [String] {
        details.split(separator: "\n\n").map { String($0).replacing("\n", with: " ") }
    }

    /// The flag: `--listen`.
    package var flag: String { "--\(name)" }

    /// Whether it is the flag, or the one of one letter.
    func isCalled(_ flag: String) -> Bool { self.flag == flag || short.map { $0 == flag } ?? false }

    /// The flag and the form of its value: `--listen ADDRESS`.
    package var usage: String {
        let names = short.map { "\($0), \(flag)" } ?? flag
        return kind == .flag ? names : "\(names) \(kind.form)"
    }

    /// The default as a user would write it; empty if there is none.
    package var defaultText: String { read(Configuration()).joined(separator: ",") }

    /// Whether it is an option of the server, and not only of single commands.
    var isOfServer: Bool { !Self.ofCommands.contains(name) }

    /// The names of the options that single commands have.
    private static let ofCommands =
        [OptionGroup.demo, .client, .app].flatMap(\.options).map(\.name) + ["yes"]

    /// The option of that name, which is given without dashes.
    package static func named(_ name: String) -> Option? { all.first { $0.name == name } }
}

/// The form of an option's values.
package enum OptionKind: Equatable, Sendable {
    case flag
    case address, file, directory
    case text(String)
    case choice([String])
    case count(ClosedRange<Int>)
    case size(ClosedRange<Int>)
    case duration(ClosedRange<Int64>)

    /// The placeholder for the value in help.
    package var form: String {
        switch self {
        case .flag: "true|false"
        case .address: "ADDRESS"
        case .file: "FILE"
        case .directory: "DIR"
        case .text(let form): form
        case .choice(let words): words.joined(separator: "|")
        case .count: "NUMBER"
        case .size: "SIZE"
        case .duration: "TIME"
        }
    }

    /// The rule for a value, as the end of an error message: `must be true or false`.
    package var rule: String {
        switch self {
        case .flag: "must be true or false"
        case .address:
            "must be ADDRESS:PORT with a numeric address ([…] around IPv6), PORT, or unix:PATH with "
                + "at most 107 bytes"
        case .file: "must be a file's path"
        case .directory: "must be a directory's path"
        case .text(let form): "must be \(form)"
        case .choice(let words): "must be one of \(words.joined(separator: ", "))"
        case .count(let range): "must be a number from \(range.lowerBound) to \(range.upperBound)"
        case .size(let range):
            "must be a size like 64MiB, from \(Size.text(bytes: range.lowerBound)) to "
                + Size.text(bytes: range.upperBound)
        case .duration(let range):
            "must be a time like 45s or 500ms, from "
                + "\(Duration.text(milliseconds: range.lowerBound)) to "
                + Duration.text(milliseconds: range.upperBound)
        }
    }
}

/// A heading in help, with the options under it.
package enum OptionGroup: String, CaseIterable, Sendable {
    case serving = "Serving"
    case access = "Access"
    case storage = "Storage"
    case sharedStore = "Shared store"
    case logging = "Logging and metrics"
    case limits = "Limits"
    case timeouts = "Timeouts"
    case demo = "Demo"
    case client = "Client commands"
    case app = "App documents"
}
