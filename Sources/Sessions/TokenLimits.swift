internal import Bytes
public import Navigation

/// The commands that a token may send and the routes that it may show, if it may not send and show
/// all. It is behind a reference because few tokens have limits.
public final class TokenLimits: Sendable {
    /// The commands, or nil for all.
    public let commands: [TokenCommand]?
    /// The routes and groups as they were given, or nil for all.
    public let routes: [RouteSelector]?

    /// Nil if there is no limit.
    public init?(commands: [TokenCommand]?, routes: [RouteSelector]?) {
        guard commands != nil || routes != nil else { return nil }
        (self.commands, self.routes) = (commands, routes)
    }

    /// The maximum number of items in one of the lists. The names of routes are as long as other
    /// names, and the lists of all tokens of a session are in one record.
    public static let itemsMax = 64

    /// More than the number of bytes that the limits take in a record.
    public var textMax: Int {
        let names = (commands ?? []).map { $0.name } + (routes ?? []).map { $0.text }
        return names.reduce(40) { $0 + $1.utf8.count + 3 }
    }
}

extension TokenLimits: Equatable {
    public static func == (a: TokenLimits, b: TokenLimits) -> Bool {
        a === b || (a.commands == b.commands && a.routes == b.routes)
    }
}

/// Something that the `commands` of a token may name: a command, `signal`, or `create`, which
/// stands for the creation of sessions.
public struct TokenCommand: Hashable, Sendable {
    /// The name.
    public let name: String

    /// Takes a name. Returns nil for a name of nothing that tokens can send.
    public init?(_ name: String) {
        guard Self.names.contains(where: { $0 == name }) else { return nil }
        self.name = name
    }

    public init(_ command: CommandName) { name = command.rawValue }

    private init(trusted name: String) { self.name = name }

    public static let signal = TokenCommand(trusted: "signal")
    public static let create = TokenCommand(trusted: "create")

    /// All names.
    public static let names = CommandName.allCases.map { $0.rawValue } + ["signal", "create"]

    public static func == (a: TokenCommand, b: TokenCommand) -> Bool { a.name == b.name }

    public func hash(into hasher: inout Hasher) { ExactString(name).hash(into: &hasher) }
}
