package import Bytes
internal import JSON
internal import Navigation
internal import POSIX

/// The source of an option's value.
package enum Origin: Equatable, Sendable, CustomStringConvertible {
    case builtIn
    case file(String)
    case variable(String)
    /// A file that a variable with the suffix `_FILE` names.
    case variableFile(String)
    case commandLine

    package var description: String {
        switch self {
        case .builtIn: "default"
        case .file(let path): "file \(path)"
        case .variable(let name): "environment \(name)"
        case .variableFile(let name): "file named by \(name)"
        case .commandLine: "command line"
        }
    }
}

/// The effective options and the source of each.
///
/// Flags take precedence over environment variables, those over the `--config` file, and that over
/// the defaults. Instead of a variable, the same name with `_FILE` appended may name a file with
/// the value; setting both is an error. Every source is checked completely, so that a mistake is
/// also found in a value that another source overrides.
package struct Resolution: Sendable {
    package private(set) var configuration = Configuration()
    /// The source of each option that is not at its default, by the option's name.
    package private(set) var origins: [ExactString: Origin] = [:]

    /// The environment variables and files that options come from; tests pass others.
    package struct World: Sendable {
        /// The variables whose names begin with `NAVSTATE_`.
        package var environment: [String: String]
        /// Returns the bytes of a file.
        package var bytes: @Sendable (String) throws(ExitError) -> [UInt8]

        package init(
            environment: [String: String],
            bytes: @escaping @Sendable (String) throws(ExitError) -> [UInt8]
        ) {
            self.environment = environment
            self.bytes = bytes
        }

        /// The text of a file.
        func read(_ path: String) throws(ExitError) -> String {
            String(decoding: try bytes(path), as: UTF8.self)
        }
    }

    /// Resolves all options.
    ///
    /// - Parameter given: the options of the command line with their values, in order.
    /// - Throws: a `usage` error for the first value that is invalid.
    package init(_ given: [(option: Option, value: String)], _ world: World) throws(ExitError) {
        try refuseUnknown(world.environment)
        if let path = try configPath(given, world) { try take(config: path, world) }
        for option in Option.all where option.name != Option.config.name && option.hasVariable {
            try take(environment: option, world)
        }
        try take(commandLine: given)
        if let text = configuration.contradiction { throw ExitError(.usage, text) }
    }

    /// The source of an option.
    package func origin(of option: Option) -> Origin {
        origins[ExactString(option.name)] ?? .builtIn
    }

    private mutating func set(
        _ option: Option, to values: [String], from origin: Origin, as name: String
    ) throws(ExitError) {
        if let why = option.write(&configuration, values) {
            let shown = option.isSecret ? "" : " \(values.joined(separator: ",").clipped)"
            throw ExitError(.usage, "\(name)\(shown): \(why)")
        }
        origins[ExactString(option.name)] = origin
    }

    // MARK: - The command line

    private mutating func take(
        commandLine given: [(option: Option, value: String)]
    ) throws(ExitError) {
        for option in Option.all {
            let values = given.filter { $0.option.name == option.name }.map(\.value)
            guard !values.isEmpty, option.name != Option.config.name else { continue }
            guard option.isList || values.count == 1 else {
                throw ExitError(.usage, "\(option.flag) is given twice; give it once")
            }
            let parts = option.isList && option.hasVariable ? values.flatMap(Self.listed) : values
            try set(option, to: parts, from: .commandLine, as: option.flag)
        }
    }

    private static func listed(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    // MARK: - The environment

    /// Prefixes of the variables that Kubernetes and Docker set for a service named navstate.
    private static let foreign = ["NAVSTATE_SERVICE_", "NAVSTATE_PORT"]

    private func refuseUnknown(_ environment: [String: String]) throws(ExitError) {
        // The value of --config is a path already, so it has no variable with _FILE.
        let options = Option.all.filter(\.hasVariable)
        let known = options.flatMap { option in
            option.name == Option.config.name
                ? [option.variable] : [option.variable, option.variable + "_FILE"]
        }
        for name in environment.keys.sorted() where !known.contains(name) {
            if Self.foreign.contains(where: { name.hasPrefix($0) }) { continue }
            throw ExitError(
                .usage,
                "unknown variable \(name)"
                    + Suggestion.text(for: name, among: options.map(\.variable)))
        }
    }

    private mutating func take(environment option: Option, _ world: World) throws(ExitError) {
        let fileName = option.variable + "_FILE"
        let path = world.environment[fileName]
        if let value = world.environment[option.variable] {
            guard path == nil else {
                throw ExitError(.usage, "\(option.variable) and \(fileName) are both set; set one")
            }
            let values = option.isList ? Self.listed(value) : [value]
            try set(option, to: values, from: .variable(option.variable), as: option.variable)
        } else if let path {
            var text = try Self.read(path, world, for: fileName)
            if text.hasSuffix("\n") { text.removeLast() }
            let values = option.isList ? Self.listed(text) : [text]
            try set(option, to: values, from: .variableFile(fileName), as: fileName)
        }
    }

    /// - Parameter name: the option or variable that names the file, for error messages.
    private static func read(
        _ path: String, _ world: World, for name: String
    ) throws(ExitError) -> String {
        do {
            return try world.read(path)
        } catch {
            throw ExitError(error.code, "\(name) \(error.message)")
        }
    }

    // MARK: - The file

    private func configPath(
        _ given: [(option: Option, value: String)], _ world: World
    ) throws(ExitError) -> String? {
        let paths = given.filter { $0.option.name == Option.config.name }.map(\.value)
        guard paths.count <= 1 else {
            throw ExitError(.usage, "--config is given twice; give it once")
        }
        return paths.first ?? world.environment[Option.config.variable]
    }

    /// The options that a configuration file can have.
    private static let fileOptions = Option.all.filter {
        $0.name != Option.config.name && $0.hasVariable
    }

    private mutating func take(config path: String, _ world: World) throws(ExitError) {
        let text = try Self.read(path, world, for: Option.config.flag)
        let json: JSON
        do {
            json = try JSON(parsing: Array(text.utf8))
        } catch {
            throw ExitError(.usage, "\(path): \(error.description)")
        }
        guard case .object(let object) = json else {
            throw ExitError(.usage, "\(path): the configuration must be a JSON object of options")
        }
        for member in object.members {
            guard let option = Self.fileOptions.first(where: { $0.name == member.key }) else {
                let hint = Suggestion.text(
                    for: member.key, among: Self.fileOptions.map(\.name))
                throw ExitError(.usage, "\(path): unknown option \(member.key)\(hint)")
            }
            guard let values = Self.texts(member.value, option) else {
                throw ExitError(.usage, "\(path): \(member.key) \(option.kind.rule)")
            }
            try set(option, to: values, from: .file(path), as: "\(path): \(member.key)")
        }
    }

    /// The values of a member: a string, a number, a boolean, or an array of strings for a list.
    /// Nil for other JSON.
    private static func texts(_ value: JSON, _ option: Option) -> [String]? {
        switch value {
        case .string(let text): option.isList ? listed(text) : [text]
        case .integer(let number): ["\(number)"]
        case .bool(let value): option.kind == .flag ? ["\(value)"] : nil
        case .array(let items) where option.isList: itemTexts(items)
        case .null, .double, .array, .object: nil
        }
    }

    private static func itemTexts(_ items: [JSON]) -> [String]? {
        let texts = items.compactMap { item in
            if case .string(let text) = item { text } else { nil }
        }
        return texts.count == items.count ? texts : nil
    }
}

// MARK: - The report of `config`

extension Resolution {
    /// A line for each option with its value and its source; secrets are masked.
    package var report: String {
        let rows = Self.fileOptions.map { option in
            let values = option.read(configuration).joined(separator: ",")
            let shown = option.isSecret && !values.isEmpty ? "(secret)" : values
            return (option.name, shown.isEmpty ? "-" : shown, origin(of: option).description)
        }
        let widths = (rows.map(\.0.count).max() ?? 0, rows.map(\.1.count).max() ?? 0)
        return rows.map { name, value, origin in
            padded(name, widths.0) + "  " + padded(value, min(40, widths.1)) + "  \(origin)\n"
        }.joined()
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

extension Resolution.World {
    /// The environment and the files of this process.
    package static var process: Self {
        Self(environment: Process.environment(prefix: "NAVSTATE_"), bytes: fileBytes)
    }

    /// The same without the variables of other options than these, for commands to which they do
    /// not matter: the environment may be meant for a server.
    ///
    /// - Parameter names: the names of options.
    func keeping(_ names: [String]) -> Self {
        var world = self
        for option in Option.all where !names.contains(option.name) {
            world.environment[option.variable] = nil
            world.environment["\(option.variable)_FILE"] = nil
        }
        return world
    }

    private static func fileBytes(_ path: String) throws(ExitError) -> [UInt8] {
        do {
            return try FileDescriptor.contents(of: path)
        } catch {
            throw ExitError(.usage, "\(path): \(error.text)")
        }
    }
}
