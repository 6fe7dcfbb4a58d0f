/// One setting of the program. The table of them (`Option.all`) is the only place that knows it:
/// parsing, help, the manual page, completions and docs/options.md are made from these rows.
package struct Option: Sendable {
    /// As in `--listen`.
    package let name: String
    /// The variable of the environment.
    package var variable: String
    package let kind: OptionKind
    package let group: OptionGroup
    package let doc: OptionDoc
    /// Never shown.
    package var isSecret = false
    /// May be given several times.
    package var isList = false
    /// False for what would be seen by everybody in the list of processes.
    package var hasFlag = true
    /// What is set, as it would be written; nothing if nothing is.
    package let read: @Sendable (Configuration) -> [String]
    /// Takes over texts, of which there are several only for a list; why not, if they do not fit.
    package let write: @Sendable (inout Configuration, [String]) -> String?

    package init(
        _ name: String, _ kind: OptionKind, _ group: OptionGroup, _ doc: OptionDoc,
        read: @escaping @Sendable (Configuration) -> [String],
        write: @escaping @Sendable (inout Configuration, [String]) -> String?
    ) {
        self.name = name
        self.variable = "NAVSTATE_" + name.uppercased().replacing("-", with: "_")
        self.kind = kind
        self.group = group
        self.doc = doc
        self.read = read
        self.write = write
    }

    package var flag: String { "--\(name)" }

    /// How it is written on a command line.
    package var usage: String { kind == .flag ? flag : "\(flag) \(kind.form)" }

    /// What holds when nobody says anything.
    package var defaultText: String { read(Configuration()).joined(separator: ",") }

    package static func named(_ name: String) -> Option? { all.first { $0.name == name } }
}

/// What an option's value looks like.
package enum OptionKind: Equatable, Sendable {
    case flag
    case address, file, directory
    case text(String)
    case choice([String])
    case count(ClosedRange<Int>)
    case size(ClosedRange<Int>)
    case duration(ClosedRange<Int64>)

    /// The word that stands for the value in help.
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

    /// What a value must be.
    package var rule: String {
        switch self {
        case .flag: "must be true or false"
        case .address:
            "must be ADDRESS:PORT with a numeric address ([…] around IPv6), PORT or unix:PATH"
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

/// The parts of the list.
package enum OptionGroup: String, CaseIterable, Sendable {
    case serving = "Serving"
    case access = "Access"
    case storage = "Storage"
    case logging = "Logging and metrics"
    case limits = "Limits"
    case timeouts = "Timeouts"
}

// MARK: - Rows by their kind

extension Option {
    static func count(
        _ name: String, _ path: any WritableKeyPath<Configuration, Int> & Sendable,
        _ range: ClosedRange<Int>, _ group: OptionGroup, _ doc: OptionDoc
    ) -> Option {
        let kind = OptionKind.count(range)
        return Option(name, kind, group, doc) { configuration in
            ["\(configuration[keyPath: path])"]
        } write: { configuration, texts in
            guard let number = Int(texts[0]), range.contains(number), !texts[0].hasPrefix("+")
            else { return kind.rule }
            configuration[keyPath: path] = number
            return nil
        }
    }

    static func size(
        _ name: String, _ path: any WritableKeyPath<Configuration, Int> & Sendable,
        _ range: ClosedRange<Int>, _ group: OptionGroup, _ doc: OptionDoc
    ) -> Option {
        let kind = OptionKind.size(range)
        return Option(name, kind, group, doc) { configuration in
            [Size.text(bytes: configuration[keyPath: path])]
        } write: { configuration, texts in
            guard let bytes = Size.bytes(texts[0]), range.contains(bytes) else { return kind.rule }
            configuration[keyPath: path] = bytes
            return nil
        }
    }

    /// A size, or `auto`: what the machine allows.
    static func memory(
        _ name: String, _ path: any WritableKeyPath<Configuration, Int?> & Sendable,
        _ range: ClosedRange<Int>, _ group: OptionGroup, _ doc: OptionDoc
    ) -> Option {
        Option(name, .text("SIZE|auto"), group, doc) { configuration in
            [configuration[keyPath: path].map { Size.text(bytes: $0) } ?? "auto"]
        } write: { configuration, texts in
            if texts[0] == "auto" {
                configuration[keyPath: path] = nil
                return nil
            }
            guard let bytes = Size.bytes(texts[0]), range.contains(bytes) else {
                let bounds = [range.lowerBound, range.upperBound].map { Size.text(bytes: $0) }
                return "must be auto or a size from \(bounds[0]) to \(bounds[1])"
            }
            configuration[keyPath: path] = bytes
            return nil
        }
    }

    static func duration(
        _ name: String, _ path: any WritableKeyPath<Configuration, Int64> & Sendable,
        _ range: ClosedRange<Int64>, _ group: OptionGroup, _ doc: OptionDoc
    ) -> Option {
        let kind = OptionKind.duration(range)
        return Option(name, kind, group, doc) { configuration in
            [Duration.text(milliseconds: configuration[keyPath: path])]
        } write: { configuration, texts in
            guard let time = Duration.milliseconds(texts[0]), range.contains(time) else {
                return kind.rule
            }
            configuration[keyPath: path] = time
            return nil
        }
    }

    static func flag(
        _ name: String, _ path: any WritableKeyPath<Configuration, Bool> & Sendable,
        _ group: OptionGroup, _ doc: OptionDoc
    ) -> Option {
        Option(name, .flag, group, doc) { configuration in
            ["\(configuration[keyPath: path])"]
        } write: { configuration, texts in
            let words = ["true": true, "1": true, "yes": true, "false": false, "0": false]
            guard let value = words[texts[0].lowercased()] ?? (texts[0] == "no" ? false : nil)
            else { return OptionKind.flag.rule }
            configuration[keyPath: path] = value
            return nil
        }
    }

    /// A path or another text; nil: not set.
    static func text(
        _ name: String, _ kind: OptionKind,
        _ path: any WritableKeyPath<Configuration, String?> & Sendable,
        _ group: OptionGroup, _ doc: OptionDoc
    ) -> Option {
        Option(name, kind, group, doc) { configuration in
            configuration[keyPath: path].map { [$0] } ?? []
        } write: { configuration, texts in
            guard !texts[0].isEmpty, !texts[0].utf8.contains(0) else { return kind.rule }
            configuration[keyPath: path] = texts[0]
            return nil
        }
    }

    static func list(
        _ name: String, _ kind: OptionKind,
        _ path: any WritableKeyPath<Configuration, [String]> & Sendable,
        _ group: OptionGroup, _ doc: OptionDoc,
        _ isRight: @escaping @Sendable (String) -> Bool
    ) -> Option {
        var option = Option(name, kind, group, doc) { configuration in
            configuration[keyPath: path]
        } write: { configuration, texts in
            guard texts.allSatisfy(isRight) else { return kind.rule }
            configuration[keyPath: path] = texts
            return nil
        }
        option.isList = true
        return option
    }
}
