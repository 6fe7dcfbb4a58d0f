internal import Bytes

// The state machine of a link, without its socket. A link is a connection to one server at a time.
//
//     phase       event                                     next        action
//     waiting     the deadline passes                       connecting  connect
//     connecting  the socket is connected                   greeting    none
//     greeting    acceptable INFO                           proving     send CONNECT, PING
//     proving     PONG                                      ready       ready
//     ready       the deadline passes                       ready       send PING
//     ready       MSG, HMSG                                 ready       message
//     proving,    PING                                      unchanged   send PONG
//     ready       -ERR that leaves the link open            unchanged   warn
//     any but     the socket fails or closes, any other     waiting     close
//     waiting     -ERR, malformed input, an operation out
//                 of place, unacceptable INFO, too many
//                 missing PONGs, a handshake timeout, lame
//                 duck mode, or the owner leaves the server
//
// A server keeps the connection open after an `-ERR` about permissions or subjects, and the
// operation that caused it gets no reply. After any other `-ERR` the server closes the connection,
// so the client does too.
//
// The next server is tried after a random delay of 50 to 500 ms, so that the clients of a failed
// server do not all reach the next one at the same time. If the credentials are rejected or
// missing, the delay is 2 s longer, because only the operator can fix that. A server in lame duck
// mode announces its shutdown well in advance, so the next server is tried at once.

/// The next action of the owner of a link.
public enum LinkAction: Sendable {
    case none
    /// Open a socket to this server, then report `connected` or `failed`.
    case connect(ServerAddress)
    case send([ClientOperation])
    /// The link is ready: subscribe, and send what has been queued.
    case ready
    case message(Message)
    /// The server rejected an operation. The link stays open.
    case warn(String)
    /// Close the socket, if it is open. The outcome of all outstanding requests is unknown.
    case close(LinkFailure)
}

/// Why a link was closed.
public enum LinkFailure: Error, Equatable, Sendable {
    /// The socket failed or was closed by the peer.
    case disconnected
    case malformed(FrameError)
    /// The server sent an `-ERR` after which it closes the connection, with this text.
    case refused(String)
    /// The server rejected the client's credentials, with this text.
    case unauthorized(String)
    /// The server requires credentials, but none are configured.
    case credentialsMissing
    case tlsRequired
    /// The server does not support headers.
    case headersMissing
    /// The server sent an operation that is not allowed in the current phase.
    case unexpectedOperation
    /// The server did not complete a step of the handshake in time.
    case handshakeTimeout
    case pongMissing
    /// The server is in lame duck mode.
    case lameDuck
    /// The owner moved to another server.
    case left
}

/// The purpose of a link.
public enum LinkPurpose: Sendable {
    case requests
    /// The server may have much to send before each `PONG`.
    case feeds

    /// How long `PING`s may be unanswered although other operations arrive, in milliseconds. `PONG`
    /// follows everything that the server has sent before.
    fileprivate var pongMilliseconds: Int64 { self == .feeds ? .max : 10_000 }
}

/// The state of a link. See the top of this file.
public struct LinkState: Sendable {
    /// The phases of a link.
    public enum Phase: UInt8, CaseIterable, Sendable {
        case waiting, connecting, greeting, proving, ready
    }

    public private(set) var phase = Phase.waiting
    public private(set) var deadline: Int64
    /// The latest `INFO` of the current server. It is nil until the first one arrives.
    public private(set) var info: ServerInfo? {
        didSet {
            publishLimits = ProtocolLimits(
                payloadBytesMax: min(limits.payloadBytesMax, info?.payloadBytesMax ?? .max),
                headerBytesMax: limits.headerBytesMax)
        }
    }
    /// The limits for publishing: the smaller of the client's and the server's max payload.
    public private(set) var publishLimits: ProtocolLimits

    private var servers: ServerList
    /// The `PING`s since anything was received.
    private var pongsMissing = 0
    /// When the last `PONG` came.
    private var pongAt: Int64 = 0
    private let options: ConnectOptions
    private let limits: ProtocolLimits
    private let purpose: LinkPurpose

    /// The time limit of each handshake step: the connection of the socket, `INFO`, and `PONG`.
    private static let handshakeMilliseconds: Int64 = 2_000
    /// The time between two `PING`s.
    private static let pingMilliseconds: Int64 = 1_500
    /// How many `PING`s may be followed by silence. When the next one is due after that, the link
    /// is closed.
    private static let pongsMissingMax = 2
    private static let retryMilliseconds: ClosedRange<Int64> = 50...500
    private static let unauthorizedMilliseconds: Int64 = 2_000

    /// Creates a link that starts to connect at the first call of `expired`.
    public init(
        _ servers: ServerList, _ options: ConnectOptions,
        limits: ProtocolLimits = ProtocolLimits(), for purpose: LinkPurpose = .requests,
        at now: Int64
    ) {
        (self.servers, self.options, self.limits) = (servers, options, limits)
        self.purpose = purpose
        publishLimits = limits
        deadline = now
    }

    /// The current server, or the last one while the link is closed. It is nil until a server has
    /// been tried.
    public var server: ServerAddress? { servers.current }

    /// Reports that the socket is connected.
    public mutating func connected(at now: Int64) {
        guard phase == .connecting else { return }
        enter(.greeting, at: now)
    }

    /// Reports that the socket could not be connected, has failed, or was closed by the peer.
    public mutating func failed(at now: Int64, random: UInt64) -> LinkAction {
        close(.disconnected, at: now, random)
    }

    /// Reports that the input violates the client protocol.
    public mutating func malformed(
        _ error: FrameError, at now: Int64, random: UInt64
    ) -> LinkAction {
        close(.malformed(error), at: now, random)
    }

    /// Moves to another server. The owner calls this if the server responds but is cut off from the
    /// rest of the cluster.
    public mutating func leave(at now: Int64, random: UInt64) -> LinkAction {
        close(.left, at: now, random)
    }

    /// Handles an operation from the server.
    public mutating func received(
        _ frame: Frame, at now: Int64, random: UInt64
    ) -> LinkAction {
        switch phase {
        case .waiting, .connecting: return .none
        case .greeting:
            guard case .info(let info) = frame else {
                guard case .error(let text) = frame else {
                    return close(.unexpectedOperation, at: now, random)
                }
                return close(Self.failure(text), at: now, random)
            }
            return greet(info, at: now, random)
        case .proving: break
        case .ready: pongsMissing = 0
        }
        switch frame {
        case .info(let info): return learn(info, at: now, random)
        case .message(let message):
            return phase == .ready
                ? .message(message) : close(.unexpectedOperation, at: now, random)
        case .ping: return .send([.pong])
        case .pong:
            pongAt = now
            guard phase == .proving else { return .none }
            enter(.ready, at: now)
            return .ready
        case .ok: return .none
        case .error(let text):
            guard Self.endsNothing(text) else { return close(Self.failure(text), at: now, random) }
            return .warn(text)
        }
    }

    /// Acts if the deadline has passed, and does nothing otherwise.
    public mutating func expired(at now: Int64, random: UInt64) -> LinkAction {
        guard now >= deadline else { return .none }
        switch phase {
        case .waiting:
            enter(.connecting, at: now)
            return .connect(servers.next())
        case .connecting, .greeting, .proving: return close(.handshakeTimeout, at: now, random)
        case .ready:
            guard pongsMissing < Self.pongsMissingMax, now - pongAt < purpose.pongMilliseconds
            else { return close(.pongMissing, at: now, random) }
            pongsMissing += 1
            deadline = now + Self.pingMilliseconds
            return .send([.ping])
        }
    }
}

extension LinkState {
    private mutating func enter(_ phase: Phase, at now: Int64) {
        self.phase = phase
        pongsMissing = 0
        deadline = now + (phase == .ready ? Self.pingMilliseconds : Self.handshakeMilliseconds)
    }

    private mutating func greet(
        _ info: ServerInfo, at now: Int64, _ random: UInt64
    ) -> LinkAction {
        self.info = info
        if info.traits.contains(.tlsRequired) { return close(.tlsRequired, at: now, random) }
        guard info.traits.contains(.headers) else {
            return close(.headersMissing, at: now, random)
        }
        if info.traits.contains(.authRequired), options.credentials == .none {
            return close(.credentialsMissing, at: now, random)
        }
        if info.traits.contains(.lameDuck) { return close(.lameDuck, at: now, random) }
        enter(.proving, at: now)
        return .send([.connect(options), .ping])
    }

    private mutating func learn(
        _ info: ServerInfo, at now: Int64, _ random: UInt64
    ) -> LinkAction {
        self.info = info
        return info.traits.contains(.lameDuck) ? close(.lameDuck, at: now, random) : .none
    }

    private mutating func close(
        _ failure: LinkFailure, at now: Int64, _ random: UInt64
    ) -> LinkAction {
        guard phase != .waiting else { return .none }
        phase = .waiting
        info = nil
        let bounds = Self.retryMilliseconds
        let jitter = bounds.lowerBound + Int64(random % UInt64(bounds.count))
        deadline =
            switch failure {
            case .lameDuck: now
            case .unauthorized, .credentialsMissing:
                now + Self.unauthorizedMilliseconds + jitter
            case .disconnected, .malformed, .refused, .tlsRequired, .headersMissing,
                .unexpectedOperation, .handshakeTimeout, .pongMissing, .left:
                now + jitter
            }
        return .close(failure)
    }

    private static func endsNothing(_ text: String) -> Bool {
        let known = ["permissions violation", "invalid subject", "invalid publish subject"]
        return known.contains { lowercased(text).starts(with: $0.utf8) }
    }

    private static func failure(_ text: String) -> LinkFailure {
        let words = lowercased(text)
        let known = ["authorization violation", "authentication timeout"]
        let isKnown = known.contains { words.starts(with: $0.utf8) }
        let ends = ["authentication expired", "authentication revoked"]
        let isEnd = ends.contains { words.suffix($0.utf8.count).elementsEqual($0.utf8) }
        return isKnown || isEnd ? .unauthorized(text) : .refused(text)
    }

    private static func lowercased(_ text: String) -> [UInt8] { text.utf8.map(ASCII.lowercased) }
}

/// The servers to connect to, which are only those that were configured: a connected server lists
/// others, but their addresses are unverified, and a client sends its password to each server.
///
/// Servers are tried in rotation, so that each is tried once before any is tried again. The first
/// one is random, so that clients are spread over the servers.
public struct ServerList: Sendable {
    private let servers: [ServerAddress]
    private var position: Int
    /// The server that `next` returned last. It is nil before the first call.
    public private(set) var current: ServerAddress?

    /// - Parameter servers: at least one server.
    public init(_ servers: [ServerAddress], random: UInt64) {
        precondition(!servers.isEmpty, "a list of servers has at least one")
        self.servers = servers
        position = Int(random % UInt64(servers.count))
    }

    /// Returns the next server to try.
    public mutating func next() -> ServerAddress {
        let address = servers[position]
        position = (position + 1) % servers.count
        current = address
        return address
    }
}
