internal import Bytes
internal import NATS

/// The state of a store and of its servers, for `navstate store status`.
///
/// It has what can be learnt. If the description of the store cannot be read, `fault` says why.
public struct StoreStatus: Equatable, Sendable {
    /// A server that the address of the store names.
    public struct Server: Equatable, Sendable {
        public let address: String
        /// The name of the server; empty if it could not be reached.
        public let name: String
        /// The version of the server; empty if it could not be reached.
        public let version: String
        /// Why the server cannot be used, as a sentence. It is nil if it can.
        public let fault: String?
    }

    /// A copy of a stream on a server that does not lead it.
    public struct Follower: Equatable, Sendable {
        public let name: String
        /// Whether it has everything that the leader has.
        public fileprivate(set) var isCurrent: Bool
        /// Whether the other servers do not reach it.
        public let isOffline: Bool
        public let lag: Int
    }

    /// A stream of the store.
    public struct Stream: Equatable, Sendable {
        public let name: String
        /// The name of the server that leads the stream. It is nil if the stream has no leader, and
        /// on a server that is not part of a cluster.
        public let leader: String?
        /// How many copies the stream should have, with the leader's.
        public let replicas: Int
        /// The servers that follow the leader. A server that was not heard for a while may be
        /// missing.
        public fileprivate(set) var followers: [Follower]
        public let messages: Int
        public let bytes: Int
        public let subjects: Int
        /// Why the stream cannot be used, as a sentence. It is nil if it can.
        public let fault: String?
        /// Whether a server has said something about it.
        public fileprivate(set) var isFound = true

        /// Whether a copy is behind, which may pass in a moment.
        fileprivate var isBehind: Bool {
            followers.contains { !$0.isCurrent && !$0.isOffline }
        }

        /// The faults of the copies.
        fileprivate var faultsOfCopies: [String] {
            var faults: [String] = []
            let isInCluster = leader != nil || !followers.isEmpty
            if isInCluster, followers.count + 1 < replicas {
                faults.append("only \(followers.count + 1) of its \(replicas) copies are known")
            }
            for follower in followers where !follower.isCurrent || follower.isOffline {
                let state =
                    follower.isOffline
                    ? "is offline"
                    : follower.lag > 0
                        ? "is \(follower.lag) operations behind" : "is not known to be current"
                faults.append("its copy on \(follower.name) \(state)")
            }
            return faults
        }
    }

    public let servers: [Server]
    /// Letters and digits that identify the store; nil if its description cannot be read.
    public let lineage: String?
    /// Why the description of the store cannot be read.
    public let fault: StoreOpenError?
    /// The streams. The one for apps and facts is the last. Without the description of the store,
    /// those up to the first one that no server says anything about.
    public let streams: [Stream]

    /// Faults that need the operator's attention, as sentences.
    public var faults: [String] {
        var faults = servers.compactMap { server in
            server.fault.map { "server \(server.address): \($0)" }
        }
        for stream in streams {
            if let fault = stream.fault { faults.append(fault) }
            faults += stream.faultsOfCopies.map { "stream \(stream.name): \($0)" }
        }
        return faults
    }
}

extension StoreStatus {
    /// Asks the servers.
    ///
    /// - Parameters:
    ///   - replicasMin: how many replicas the streams must have.
    ///   - milliseconds: how long it may take to read the streams.
    public static func read(
        _ address: StoreAddress, replicasMin: Int, within milliseconds: Int64,
        _ environment: EngineEnvironment = .process
    ) throws(StoreOpenError) -> StoreStatus {
        let servers = address.servers.map { Server($0, of: address, environment) }
        let opening = try StoreOpening(
            address, within: min(milliseconds, electionMilliseconds), environment)
        let facts: StoreFacts
        do throws(StoreOpenError) { facts = try opening.facts() } catch {
            let streams =
                error.kind == .unavailable
                ? try knownStreams(address, replicasMin: replicasMin, opening) : []
            return StoreStatus(servers: servers, lineage: nil, fault: error, streams: streams)
        }
        let layout = StoreLayout(prefix: address.prefix, shardCount: facts.shardCount)
        let wanted = layout.streams(replicas: replicasMin)
        var streams: [Stream] = []
        for stream in wanted {
            streams.append(try Stream(stream, replicasMin: replicasMin, opening))
        }
        // While clients write, copies are always a little behind: each has to be current once.
        let clock = environment.clock
        let end = clock.now + patienceMilliseconds
        while clock.now < end, streams.contains(where: \.isBehind) {
            try opening.wait(pauseMilliseconds)
            for index in streams.indices where streams[index].isBehind {
                let next = try Stream(wanted[index], replicasMin: replicasMin, opening)
                streams[index] = next.joined(with: streams[index])
            }
        }
        return StoreStatus(
            servers: servers, lineage: facts.lineage, fault: nil, streams: streams)
    }

    /// The streams that a server says something about.
    private static func knownStreams(
        _ address: StoreAddress, replicasMin: Int, _ opening: StoreOpening
    ) throws(StoreOpenError) -> [Stream] {
        let most = StoreLayout.shardCounts.upperBound
        let layout = StoreLayout(prefix: address.prefix, shardCount: most)
        var wanted = layout.streams(replicas: replicasMin)
        let control = wanted.removeLast()
        var streams: [Stream] = []
        for config in wanted {
            let stream = try Stream(config, replicasMin: replicasMin, opening)
            guard stream.isFound else { break }
            streams.append(stream)
        }
        let last = try Stream(control, replicasMin: replicasMin, opening)
        return last.isFound ? streams + [last] : streams
    }

    /// More than an election takes.
    private static let electionMilliseconds: Int64 = 10_000
    /// How long copies that are behind may take to catch up.
    private static let patienceMilliseconds: Int64 = 5_000
    private static let pauseMilliseconds: Int64 = 200
}

extension StoreStatus.Server {
    private static let milliseconds: Int64 = 3_000

    /// Connects to a server.
    fileprivate init(
        _ server: ServerAddress, of address: StoreAddress, _ environment: EngineEnvironment
    ) {
        let text = "\(server)"
        do throws(StoreOpenError) {
            let opening = try StoreOpening(
                address.by(server), within: Self.milliseconds, environment)
            let info = try opening.contact()
            self.init(address: text, name: info.name, version: "\(info.version)", fault: nil)
        } catch {
            let fault = error == .unanswered ? "the server does not answer" : error.message
            self.init(address: text, name: "", version: "", fault: fault)
        }
    }
}

extension StoreStatus.Stream {
    /// The state, with copies that were current earlier as current ones.
    fileprivate func joined(with earlier: StoreStatus.Stream) -> StoreStatus.Stream {
        var joined = self
        for index in joined.followers.indices {
            let name = joined.followers[index].name
            if earlier.followers.contains(where: { $0.name == name && $0.isCurrent }) {
                joined.followers[index].isCurrent = true
            }
        }
        return joined
    }

    fileprivate init(
        _ wanted: StreamConfig, replicasMin: Int, _ opening: StoreOpening
    ) throws(StoreOpenError) {
        var opening = opening
        opening.patience = Self.milliseconds
        do throws(StoreOpenError) {
            let info = try opening.info(wanted.name)
            let fault = StoreRequirements.fault(of: info, as: wanted, replicasMin: replicasMin)
            self.init(info, name: wanted.name.text, fault: fault?.message)
        } catch {
            var fault = error.message
            if error.kind == .unavailable {
                fault =
                    "the stream \(wanted.name.text) has no leader that answers; check that a "
                    + "majority of its servers runs"
            } else {
                guard case .streamMissing = error else { throw error }
            }
            self.init(
                name: wanted.name.text, leader: nil, replicas: wanted.replicas, followers: [],
                messages: 0, bytes: 0, subjects: 0, fault: fault, isFound: false)
        }
    }

    /// How long a stream may take to answer.
    private static let milliseconds: Int64 = 5_000

    private init(_ info: StreamInfo, name: String, fault: String?) {
        self.init(
            name: name, leader: info.leader, replicas: info.replicas,
            followers: info.followers.map { follower in
                StoreStatus.Follower(
                    name: follower.name, isCurrent: follower.isCurrent,
                    isOffline: follower.isOffline, lag: follower.lag)
            },
            messages: info.state.messages, bytes: info.state.bytes,
            subjects: info.state.subjects, fault: fault)
    }
}
