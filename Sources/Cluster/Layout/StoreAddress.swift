internal import Bytes
public import NATS

/// The address of a shared store: the value of `--store`.
///
///     nats://user:password@a.example:4222,b.example,[::1]:4223/NAV
///     nats://token@127.0.0.1
///
/// Credentials may be percent-encoded. If the prefix is omitted, the names of the streams begin
/// with `NAV`.
public struct StoreAddress: Equatable, Sendable {
    /// The servers to connect to, at least one.
    public let servers: [ServerAddress]
    public let credentials: ConnectOptions.Credentials
    /// The prefix of the names of the store's streams.
    public let prefix: StorePrefix

    public static let serversMax = 64

    /// Why a text is not the address of a store. The error does not contain the text, which may
    /// include a password.
    public enum ParseError: Error, Equatable, Sendable {
        /// The text does not begin with `nats://`. For TLS (`tls://`), a leaf node is needed on
        /// this machine.
        case scheme
        /// The user, the password or the token is empty, is not UTF-8, contains control characters,
        /// or is not correctly percent-encoded.
        case credentials
        /// The server with this number, counted from 1, is not `host`, `host:port`, `[v6]` or
        /// `[v6]:port`.
        case server(Int)
        case tooManyServers
        /// The prefix does not consist of 1 to 32 upper-case letters and digits, or does not begin
        /// with a letter.
        case prefix
    }

    /// The same store by one of its servers alone.
    func by(_ server: ServerAddress) -> StoreAddress {
        StoreAddress(servers: [server], credentials: credentials, prefix: prefix)
    }

    private init(
        servers: [ServerAddress], credentials: ConnectOptions.Credentials, prefix: StorePrefix
    ) {
        (self.servers, self.credentials, self.prefix) = (servers, credentials, prefix)
    }

    /// Parses an address.
    public init(_ text: String) throws(ParseError) {
        guard text.hasPrefix(Self.scheme) else { throw .scheme }
        var rest = text.dropFirst(Self.scheme.count)
        if let slash = rest.lastIndex(of: "/") {
            guard let prefix = StorePrefix(String(rest[rest.utf8.index(after: slash)...])) else {
                throw .prefix
            }
            self.prefix = prefix
            rest = rest[..<slash]
        } else {
            prefix = Self.prefixDefault
        }
        if let at = rest.lastIndex(of: "@") {
            credentials = try Self.credentials(rest[..<at])
            rest = rest[rest.utf8.index(after: at)...]
        } else {
            credentials = .none
        }
        let names = rest.split(separator: ",", omittingEmptySubsequences: false)
        guard names.count <= Self.serversMax else { throw .tooManyServers }
        var servers: [ServerAddress] = []
        for (index, name) in names.enumerated() {
            guard let server = ServerAddress(String(name)) else { throw .server(index + 1) }
            servers.append(server)
        }
        self.servers = servers
    }

    /// The store's name and its first server, without credentials, as text for people.
    public var place: String { "\(prefix.text) at \(servers[0].host):\(servers[0].port)" }

    private static let scheme = "nats://"
    private static let prefixDefault = StorePrefix(trusted: "NAV")

    private static func credentials(
        _ text: Substring
    ) throws(ParseError) -> ConnectOptions.Credentials {
        guard let colon = text.firstIndex(of: ":") else { return .token(try decoded(text)) }
        return .user(
            try decoded(text[..<colon]),
            password: try decoded(text[text.utf8.index(after: colon)...]))
    }

    private static func decoded(_ text: Substring) throws(ParseError) -> String {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty,
            let value = PercentCoding.decode(bytes[...], plusIsSpace: false, allowsControls: false)
        else { throw .credentials }
        return value
    }
}

extension StoreAddress.ParseError {
    /// The fault, as a sentence for the operator.
    public var message: String {
        switch self {
        case .scheme:
            "The address of a store begins with nats://. For TLS, run a NATS server as a leaf node "
                + "on this machine and give its address."
        case .credentials:
            "Write nats://USER:PASSWORD@… or nats://TOKEN@…, with special characters "
                + "percent-encoded."
        case .server(let number):
            "Server \(number) in the list is not HOST, HOST:PORT or [IPV6]:PORT."
        case .tooManyServers: "At most \(StoreAddress.serversMax) servers can be listed."
        case .prefix:
            "The prefix after the slash must be 1 to 32 upper-case letters and digits, and must "
                + "begin with a letter."
        }
    }
}
