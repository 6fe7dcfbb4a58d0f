internal import Bytes
public import JSON

/// A server's report on itself in `INFO`. Members that are not listed here are ignored.
public struct ServerInfo: Equatable, Sendable {
    /// The name that the operator gave the server; empty if it sends none.
    public let name: String
    public let version: ServerVersion
    /// The server's max payload: the limit in bytes for headers and payload of a published message
    /// together.
    public let payloadBytesMax: Int
    /// The features that the server supports and requires.
    public let traits: Set<Trait>

    /// Boolean members of `INFO`: what a server supports and requires. A missing member is false.
    public enum Trait: String, CaseIterable, Sendable {
        case headers
        case authRequired = "auth_required"
        case tlsRequired = "tls_required"
        /// The server is in lame duck mode and is about to shut down; connect to another one.
        case lameDuck = "ldm"
    }

    public init(_ members: JSONObject) throws(BodyError) {
        name = try members.text("server_name", or: "")
        let written = try members.text("version")
        guard let version = ServerVersion(written) else { throw .member("version") }
        self.version = version
        payloadBytesMax = try members.number("max_payload")
        var traits: Set<Trait> = []
        for trait in Trait.allCases where try members.flag(trait.rawValue) {
            traits.insert(trait)
        }
        self.traits = traits
    }
}

/// The version of a server: three numbers. A suffix such as `-RC.1` is ignored.
public struct ServerVersion: Comparable, Sendable, CustomStringConvertible {
    /// Major, minor and patch.
    private let parts: [Int]

    public init(major: Int, minor: Int, patch: Int) {
        parts = [major, minor, patch]
    }

    /// Parses a version such as `2.15.1` or `2.15.1-RC.1`. Returns nil for anything else.
    public init?(_ text: String) {
        let core = text.utf8.prefix { $0 == ASCII.dot || ASCII.isDigit($0) }
        let numbers = core.split(separator: ASCII.dot, omittingEmptySubsequences: false)
            .map { Decimal.number($0, digitsMax: 6) }
        guard numbers.count == 3 else { return nil }
        parts = numbers.compactMap(\.self)
        guard parts.count == 3 else { return nil }
    }

    /// Compares major, minor and patch versions, in this order.
    public static func < (left: ServerVersion, right: ServerVersion) -> Bool {
        left.parts.lexicographicallyPrecedes(right.parts)
    }

    public var description: String { parts.map { String($0) }.joined(separator: ".") }
}

/// The address of a server: a host name or an IP address, and a port.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    /// A host name or an IP address. IPv6 addresses are without brackets.
    public let host: String
    /// The port, from 1 to 65535.
    public let port: Int

    /// The port of an address that does not name one.
    public static let portDefault = 4222

    /// Parses `host:port`, `host`, `[v6]:port` or `[v6]`. Returns nil for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 300, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        var host = bytes[...]
        var rest = bytes[bytes.endIndex...]
        if bytes.first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = bytes[1..<close]
            rest = bytes[(close + 1)...]
            guard host.allSatisfy({ Hexadecimal.value($0) != nil || ":.".utf8.contains($0) })
            else { return nil }
        } else if let colon = bytes.firstIndex(of: ASCII.colon) {
            host = bytes[..<colon]
            rest = bytes[colon...]
        }
        let isName = host.allSatisfy { ASCII.isUnreserved($0) || $0 == ASCII.colon }
        guard !host.isEmpty, isName else { return nil }
        self.host = String(decoding: host, as: UTF8.self)
        guard !rest.isEmpty else {
            port = Self.portDefault
            return
        }
        guard rest.first == ASCII.colon,
            let port = Decimal.number(rest.dropFirst(), digitsMax: 5), (1...65_535).contains(port)
        else { return nil }
        self.port = port
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
