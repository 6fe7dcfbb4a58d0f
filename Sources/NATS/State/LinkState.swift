internal import Bytes

// The life of the link to the servers, without its socket.
//
//     phase       what happens                              next        action
//     waiting     its time has come                         connecting  connect
//     connecting  the socket is connected                   greeting    none
//     greeting    INFO that is acceptable                   proving     send CONNECT, PING
//     proving     PONG                                      ready       ready
//     ready       nothing came for a while                  ready       send PING
//     ready       MSG, HMSG                                 ready       message
//     proving,    PING                                      the same    send PONG
//     ready       -ERR that ends nothing                    the same    warn
//     any but     the socket failed or ended, -ERR of any   waiting     close
//     waiting     other kind, INFO that is not acceptable,
//                 an operation out of place, too many
//                 missing PONGs, time is up, a server that
//                 shuts down or that the owner leaves
//
// `-ERR` about permissions and subjects ends nothing: the server goes on, and what was asked for
// stays without an answer. After any other one the server closes, so this side does, too.
//
// The next server is tried after 50 to 500 ms, at random, so that not all clients of a server that
// died come to the next one at the same time; after credentials were refused it takes 2 s more,
// because nothing but the operator changes that. When a server shuts down (lame duck) it says so
// long before, and the next one is tried at once.

/// What to do for a link.
package enum LinkAction: Sendable {
    case none
    /// Open a socket to this server, then report `connected` or `failed`.
    case connect(ServerAddress)
    case send([Command])
    /// Subscribe, and send what waits.
    case ready
    case message(Message)
    /// The server refused something; nothing else changed.
    case warn(String)
    /// Close the socket, if there is one. What waits for an answer is unknown.
    case close(LinkFailure)
}

/// Why a link ended.
package enum LinkFailure: Error, Equatable, Sendable {
    /// The socket failed or was closed by the peer.
    case disconnected
    case malformed(FrameError)
    /// The server closes, in its own words.
    case refused(String)
    /// The server did not let this client in, in its own words.
    case unauthorized(String)
    /// The server wants credentials, and there are none.
    case credentialsMissing
    /// The server speaks only TLS.
    case tlsRequired
    /// The server has no headers.
    case headersMissing
    /// An operation came that has no place there.
    case unexpectedOperation
    /// The server did not answer in time.
    case handshakeTimeout
    case pongMissing
    /// The server shuts down.
    case lameDuck
    /// The owner chose another server.
    case left
}

/// How long a link waits, in milliseconds.
package struct LinkTiming: Equatable, Sendable {
    /// For the socket, for `INFO` and for `PONG`, each.
    package let handshakeMilliseconds: Int64
    /// How long nothing may come before a `PING` is sent, and then before the next one.
    package let pingMilliseconds: Int64
    /// How many answers may be missing when the next `PING` would be sent.
    package let pongsMissingMax: Int

    package init(
        handshakeMilliseconds: Int64 = 2_000, pingMilliseconds: Int64 = 1_500,
        pongsMissingMax: Int = 2
    ) {
        self.handshakeMilliseconds = handshakeMilliseconds
        self.pingMilliseconds = pingMilliseconds
        self.pongsMissingMax = pongsMissingMax
    }

    static let retryMilliseconds: ClosedRange<Int64> = 50...500
    static let unauthorizedMilliseconds: Int64 = 2_000
}

/// The link to one server after the other. See the top of this file.
package struct LinkState: Sendable {
    /// The phases of a link.
    package enum Phase: UInt8, CaseIterable, Sendable {
        case waiting, connecting, greeting, proving, ready
    }

    /// The current phase.
    package private(set) var phase = Phase.waiting
    /// When to call `expired`.
    package private(set) var deadline: Int64
    /// What the server said of itself last, or nil before it did.
    package private(set) var info: ServerInfo?

    private var servers: ServerList
    private var pongsMissing = 0
    private let options: ConnectOptions
    private let limits: ProtocolLimits
    private let timing: LinkTiming

    /// A link that begins to connect at once, when `expired` is called.
    package init(
        _ servers: ServerList, _ options: ConnectOptions,
        limits: ProtocolLimits = ProtocolLimits(), timing: LinkTiming = LinkTiming(),
        at now: Int64
    ) {
        self.servers = servers
        self.options = options
        self.limits = limits
        self.timing = timing
        deadline = now
    }

    /// The server of this link, or of the last one.
    package var server: ServerAddress? { servers.current }

    /// What may be published: the server's limit, if it is below our own.
    package var publishLimits: ProtocolLimits {
        ProtocolLimits(
            payloadBytesMax: min(limits.payloadBytesMax, info?.payloadBytesMax ?? .max),
            headerBytesMax: limits.headerBytesMax)
    }

    /// The socket is connected.
    package mutating func connected(at now: Int64) {
        guard phase == .connecting else { return }
        enter(.greeting, at: now)
    }

    /// The socket could not be connected, has failed, or was closed by the peer.
    package mutating func failed(at now: Int64, random: UInt64) -> LinkAction {
        close(.disconnected, at: now, random)
    }

    /// The bytes are not the client protocol.
    package mutating func malformed(
        _ error: FrameError, at now: Int64, random: UInt64
    ) -> LinkAction {
        close(.malformed(error), at: now, random)
    }

    /// The owner moves to another server: this one answers, but the others do not answer it.
    package mutating func leave(at now: Int64, random: UInt64) -> LinkAction {
        close(.left, at: now, random)
    }

    /// An operation came.
    package mutating func received(
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
        case .ready: deadline = now + timing.pingMilliseconds
        }
        switch frame {
        case .info(let info): return learn(info, at: now, random)
        case .message(let message):
            return phase == .ready
                ? .message(message) : close(.unexpectedOperation, at: now, random)
        case .ping: return .send([.pong])
        case .pong:
            pongsMissing = 0
            guard phase == .proving else { return .none }
            enter(.ready, at: now)
            return .ready
        case .ok: return .none
        case .error(let text):
            guard Self.endsNothing(text) else { return close(Self.failure(text), at: now, random) }
            return .warn(text)
        }
    }

    /// Asks whether the deadline has passed.
    package mutating func expired(at now: Int64, random: UInt64) -> LinkAction {
        guard now >= deadline else { return .none }
        switch phase {
        case .waiting:
            enter(.connecting, at: now)
            return .connect(servers.next())
        case .connecting, .greeting, .proving: return close(.handshakeTimeout, at: now, random)
        case .ready:
            guard pongsMissing < timing.pongsMissingMax else {
                return close(.pongMissing, at: now, random)
            }
            pongsMissing += 1
            deadline = now + timing.pingMilliseconds
            return .send([.ping])
        }
    }
}

extension LinkState {
    private mutating func enter(_ phase: Phase, at now: Int64) {
        self.phase = phase
        pongsMissing = 0
        deadline = now + (phase == .ready ? timing.pingMilliseconds : timing.handshakeMilliseconds)
    }

    private mutating func greet(
        _ info: ServerInfo, at now: Int64, _ random: UInt64
    ) -> LinkAction {
        self.info = info
        servers.learn(info.connectAddresses)
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
        servers.learn(info.connectAddresses)
        return info.traits.contains(.lameDuck) ? close(.lameDuck, at: now, random) : .none
    }

    private mutating func close(
        _ failure: LinkFailure, at now: Int64, _ random: UInt64
    ) -> LinkAction {
        guard phase != .waiting else { return .none }
        phase = .waiting
        info = nil
        let bounds = LinkTiming.retryMilliseconds
        let jitter = bounds.lowerBound + Int64(random % UInt64(bounds.count))
        deadline =
            switch failure {
            case .lameDuck: now
            case .unauthorized, .credentialsMissing:
                now + LinkTiming.unauthorizedMilliseconds + jitter
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
