// The kinds of rows in the table of options.

internal import Bytes

extension Option {
    /// An option whose value is a number.
    static func count(
        _ name: String, sets path: any WritableKeyPath<Configuration, Int> & Sendable,
        in range: ClosedRange<Int>, doc: OptionDoc
    ) -> Option {
        let kind = OptionKind.count(range)
        return Option(name, kind, doc: doc) { configuration in
            ["\(configuration[keyPath: path])"]
        } write: { configuration, texts in
            guard let number = Int(texts[0]), range.contains(number), !texts[0].hasPrefix("+")
            else { return kind.rule }
            configuration[keyPath: path] = number
            return nil
        }
    }

    /// An option whose value is a number of bytes, written like `64MiB`.
    static func size(
        _ name: String, sets path: any WritableKeyPath<Configuration, Int> & Sendable,
        in range: ClosedRange<Int>, doc: OptionDoc
    ) -> Option {
        let kind = OptionKind.size(range)
        return Option(name, kind, doc: doc) { configuration in
            [Size.text(bytes: configuration[keyPath: path])]
        } write: { configuration, texts in
            guard let bytes = Size.bytes(texts[0]), range.contains(bytes) else { return kind.rule }
            configuration[keyPath: path] = bytes
            return nil
        }
    }

    /// An option whose value is a size or `auto`, which sets nil: a share of the memory limit.
    static func memory(
        _ name: String, sets path: any WritableKeyPath<Configuration, Int?> & Sendable,
        in range: ClosedRange<Int>, doc: OptionDoc
    ) -> Option {
        Option(name, .text("SIZE|auto"), doc: doc) { configuration in
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

    /// An option whose value is a duration, written like `45s` and kept in milliseconds.
    static func duration(
        _ name: String, sets path: any WritableKeyPath<Configuration, Int64> & Sendable,
        in range: ClosedRange<Int64>, doc: OptionDoc
    ) -> Option {
        let kind = OptionKind.duration(range)
        return Option(name, kind, doc: doc) { configuration in
            [Duration.text(milliseconds: configuration[keyPath: path])]
        } write: { configuration, texts in
            guard let time = Duration.milliseconds(texts[0]), range.contains(time) else {
                return kind.rule
            }
            configuration[keyPath: path] = time
            return nil
        }
    }

    /// An option that is on or off.
    static func flag(
        _ name: String, sets path: any WritableKeyPath<Configuration, Bool> & Sendable,
        doc: OptionDoc
    ) -> Option {
        Option(name, .flag, doc: doc) { configuration in
            ["\(configuration[keyPath: path])"]
        } write: { configuration, texts in
            guard let value = flagValue(texts[0]) else { return OptionKind.flag.rule }
            configuration[keyPath: path] = value
            return nil
        }
    }

    /// The value of a flag, or nil for another text.
    static func flagValue(_ text: String) -> Bool? {
        let words = [
            "true": true, "1": true, "yes": true, "false": false, "0": false, "no": false,
        ]
        return words[text.lowercased()]
    }

    /// An option whose value is a path or another text, or nil if it is not set.
    static func text(
        _ name: String, _ kind: OptionKind,
        sets path: any WritableKeyPath<Configuration, String?> & Sendable,
        doc: OptionDoc
    ) -> Option {
        Option(name, kind, doc: doc) { configuration in
            configuration[keyPath: path].map { [$0] } ?? []
        } write: { configuration, texts in
            guard !texts[0].isEmpty, !texts[0].utf8.contains(0) else { return kind.rule }
            configuration[keyPath: path] = texts[0]
            return nil
        }
    }

    /// An option that may be repeated.
    ///
    /// - Parameter isValid: whether a value follows the rule of the kind.
    static func list(
        _ name: String, _ kind: OptionKind,
        sets path: any WritableKeyPath<Configuration, [String]> & Sendable,
        doc: OptionDoc,
        where isValid: @escaping @Sendable (String) -> Bool
    ) -> Option {
        var option = Option(name, kind, doc: doc) { configuration in
            configuration[keyPath: path]
        } write: { configuration, texts in
            guard texts.allSatisfy(isValid) else { return kind.rule }
            configuration[keyPath: path] = texts
            return nil
        }
        option.isList = true
        return option
    }
}
