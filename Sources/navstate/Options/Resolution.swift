internal import JSON
internal import Navigation
internal import POSIX

/// Where a value came from.
package enum Origin: Equatable, Sendable, CustomStringConvertible {
    case builtIn
    case file(String)
    case variable(String)
    /// A file that a variable named.
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

/// The settings in force, and where each comes from.
///
/// A flag is stronger than a variable, that than `--config`, and that than the default. A variable
/// may instead name a file with its value (`…_FILE`); both are refused. Each layer is checked
/// whole, so that a typing error is found also where it would not count.
package struct Resolution: Sendable {
    package private(set) var configuration = Configuration()
    package private(set) var origins: [String: Origin] = [:]

    /// What of the world is looked at; tests give another one.
    package struct World: Sendable {
        package var environment: [String: String]
        package var read: @Sendable (String) throws(ExitError) -> String

        package init(
            environment: [String: String],
            read: @escaping @Sendable (String) throws(ExitError) -> String
        ) {
            self.environment = environment
            self.read = read
        }
    }

    /// - Parameter given: the command line's options with their values, in order.
    package init(_ given: [(option: Option, value: String)], _ world: World) throws(ExitError) {
        try refuseUnknown(world.environment)
        if let path = try configPath(given, world) { try take(config: path, world) }
        for option in Option.all where option.name != Option.config.name {
            try take(environment: option, world)
        }
        try take(commandLine: given)
        if let text = configuration.contradiction { throw ExitError(.usage, text) }
    }

    package func origin(of option: Option) -> Origin { origins[option.name] ?? .builtIn }

    private mutating func set(
        _ option: Option, _ values: [String], _ origin: Origin, as name: String
    ) throws(ExitError) {
        if let why = option.write(&configuration, values) {
            let shown = option.isSecret ? "" : " \(values.joined(separator: ",").clipped)"
            throw ExitError(.usage, "\(name)\(shown): \(why)")
        }
        origins[option.name] = origin
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
            let parts = option.isList ? values.flatMap(Self.listed) : values
            try set(option, parts, .commandLine, as: option.flag)
        }
    }

    private static func listed(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    // MARK: - The environment

    /// What an orchestrator sets for a service that is called navstate is none of ours.
    private static let foreign = ["NAVSTATE_SERVICE_", "NAVSTATE_PORT"]

    private func refuseUnknown(_ environment: [String: String]) throws(ExitError) {
        // --config is a file's path already, so that it has no second variable.
        let known = Option.all.flatMap { option in
            option.name == Option.config.name
                ? [option.variable] : [option.variable, option.variable + "_FILE"]
        }
        for name in environment.keys.sorted() where !known.contains(name) {
            if Self.foreign.contains(where: { name.hasPrefix($0) }) { continue }
            throw ExitError(
                .usage, "unknown variable \(name)\(Near.hint(name, Option.all.map(\.variable)))"
            )
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
            try set(option, values, .variable(option.variable), as: option.variable)
        } else if let path {
            var text = try Self.read(path, world, for: fileName)
            if text.hasSuffix("\n") { text.removeLast() }
            let values = option.isList ? Self.listed(text) : [text]
            try set(option, values, .variableFile(fileName), as: fileName)
        }
    }

    /// - Parameter name: the option or variable that names the file.
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
            guard let option = Option.named(member.key), option.name != Option.config.name else {
                let hint = Near.hint(member.key, Option.all.map(\.name))
                throw ExitError(.usage, "\(path): unknown option \(member.key)\(hint)")
            }
            guard let values = Self.texts(member.value, option) else {
                throw ExitError(.usage, "\(path): \(member.key) \(option.kind.rule)")
            }
            try set(option, values, .file(path), as: "\(path): \(member.key)")
        }
    }

    /// Texts, numbers, truth values, and for lists arrays of texts.
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

/// Proposals for what was probably meant.
enum Near {
    static func hint(_ name: String, _ names: [String]) -> String {
        Spelling.proposal(for: name, among: names, work: WorkBudget())
    }
}

extension Resolution.World {
    /// The real one.
    static var process: Self {
        Self(environment: Process.environment(prefix: "NAVSTATE_"), read: fileText)
    }

    private static func fileText(_ path: String) throws(ExitError) -> String {
        do {
            let bytes = try FileDescriptor.contents(of: path, countMax: 1 << 20)
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            throw ExitError(.usage, "\(path): \(error.text)")
        }
    }
}
