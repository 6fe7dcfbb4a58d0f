internal import Bytes
internal import Server

/// How the values of an option are written.
struct OptionValue<Value: Sendable>: Sendable {
    let kind: OptionKind
    let parse: @Sendable (String) -> Value?
    let text: @Sendable (Value) -> String
    /// The rule that a text breaks which is not a value.
    var rule: @Sendable (String) -> String

    init(
        _ kind: OptionKind, parse: @escaping @Sendable (String) -> Value?,
        text: @escaping @Sendable (Value) -> String
    ) {
        self.kind = kind
        self.parse = parse
        self.text = text
        rule = { _ in kind.rule }
    }

    /// Sets the values of texts, or returns the rule that one of them breaks.
    func read(_ texts: [String], _ set: ([Value]) -> Void) -> String? {
        var values: [Value] = []
        for text in texts {
            guard let value = parse(text) else { return rule(text) }
            values.append(value)
        }
        set(values)
        return nil
    }

    /// The values with a rule of their own.
    func ruled(_ rule: @escaping @Sendable (String) -> String) -> Self {
        var value = self
        value.rule = rule
        return value
    }

    /// The values, or `auto` for nil.
    ///
    /// - Parameter range: the values as the end of a rule: `a number from 1 to 9`.
    func orAuto(_ range: String) -> OptionValue<Value?> {
        OptionValue<Value?>(.text("\(kind.form)|auto")) { text in
            text == "auto" ? .some(nil) : parse(text).map(Optional.some)
        } text: { value in
            value.map(text) ?? "auto"
        }.ruled { _ in "must be auto or \(range)" }
    }
}

extension Option {
    init<Value>(
        _ name: String, _ value: OptionValue<Value>,
        sets path: any WritableKeyPath<Configuration, Value> & Sendable,
        meaning: String, details: String
    ) {
        self.init(name, value.kind, meaning: meaning, details: details) { configuration in
            [value.text(configuration[keyPath: path])]
        } write: { configuration, texts in
            value.read(texts) { configuration[keyPath: path] = $0[0] }
        }
    }

    /// An option that is not set by default.
    init<Value>(
        _ name: String, _ value: OptionValue<Value>,
        sets path: any WritableKeyPath<Configuration, Value?> & Sendable,
        meaning: String, details: String
    ) {
        self.init(name, value.kind, meaning: meaning, details: details) { configuration in
            configuration[keyPath: path].map { [value.text($0)] } ?? []
        } write: { configuration, texts in
            value.read(texts) { configuration[keyPath: path] = $0[0] }
        }
    }

    /// An option that may be repeated.
    init<Value>(
        _ name: String, list value: OptionValue<Value>,
        sets path: any WritableKeyPath<Configuration, [Value]> & Sendable,
        meaning: String, details: String
    ) {
        self.init(name, value.kind, meaning: meaning, details: details) { configuration in
            configuration[keyPath: path].map(value.text)
        } write: { configuration, texts in
            if texts.isEmpty, !Configuration()[keyPath: path].isEmpty {
                return "must have at least one value"
            }
            return value.read(texts) { configuration[keyPath: path] = $0 }
        }
        isList = true
    }

    /// The option with changes.
    func with(_ change: (inout Option) -> Void) -> Option {
        var option = self
        change(&option)
        return option
    }
}

extension OptionValue<Int> {
    static func count(_ range: ClosedRange<Int>) -> Self {
        Self(.count(range)) { text in
            text.hasPrefix("+") ? nil : Int(text).flatMap { range.contains($0) ? $0 : nil }
        } text: {
            "\($0)"
        }
    }

    /// A number of bytes, written like `64MiB`.
    static func size(_ range: ClosedRange<Int>) -> Self {
        Self(.size(range)) { text in
            Size.bytes(text).flatMap { range.contains($0) ? $0 : nil }
        } text: {
            Size.text(bytes: $0)
        }
    }
}

extension OptionValue<Int?> {
    /// A size or `auto`, which is nil: a share of the memory limit.
    static func memory(_ range: ClosedRange<Int>) -> Self {
        let bounds = [range.lowerBound, range.upperBound].map { Size.text(bytes: $0) }
        return OptionValue<Int>.size(range).orAuto("a size from \(bounds[0]) to \(bounds[1])")
    }
}

extension OptionValue<Int64> {
    /// A number of milliseconds, written like `45s`.
    static func duration(_ range: ClosedRange<Int64>) -> Self {
        Self(.duration(range)) { text in
            Duration.milliseconds(text).flatMap { range.contains($0) ? $0 : nil }
        } text: {
            Duration.text(milliseconds: $0)
        }
    }
}

extension OptionValue<Bool> {
    static let flag = Self(.flag) { text in
        let words = [
            "true": true, "1": true, "yes": true, "false": false, "0": false, "no": false,
        ]
        return words[text.lowercased()]
    } text: {
        "\($0)"
    }

    /// Two words, the first of which means false.
    static func choice(_ no: String, _ yes: String) -> Self {
        Self(.choice([no, yes])) {
            $0 == yes ? true : $0 == no ? false : nil
        } text: {
            $0 ? yes : no
        }
    }
}

extension OptionValue<String> {
    /// A path or another text.
    static func text(
        _ kind: OptionKind, where isValid: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Self {
        Self(kind) { text in
            text.isEmpty || text.utf8.contains(0) || !isValid(text) ? nil : text
        } text: {
            $0
        }
    }
}

extension OptionValue<ListenAddress> {
    static let address = Self(.address) {
        ListenAddress($0)
    } text: {
        $0.description
    }
}
