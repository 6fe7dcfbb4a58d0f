internal import Bytes
internal import NATS
package import POSIX

/// Why the store could not be opened.
package enum StoreOpenError: Error, Equatable, Sendable {
    /// No server of the store answered in time.
    case unanswered
    /// There is no store with this prefix, or a server does not let this client read it.
    case missing(String)
    /// What `navstate store init` wrote is not there, or not what it should be.
    case damaged
    /// A system call failed.
    case system(SystemError)
}

/// Connects to the store while nothing else runs, and waits for what it asks.
struct StoreOpening {
    /// A store whose facts were read.
    struct Opened {
        let facts: StoreFacts
        let links: StoreLinks
        let surroundings: EngineSurroundings
        let identity: NodeIdentity
    }

    private let links: StoreLinks
    private let requests: StoreRequests
    private let surroundings: EngineSurroundings
    private let identity: NodeIdentity
    private let deadline: Int64

    private var clock: EngineClock { surroundings.clock }

    private static let pauseMilliseconds = 20
    private static let retryMilliseconds: Int64 = 100

    /// - Parameter milliseconds: how long everything may take.
    init(
        _ address: StoreAddress, within milliseconds: Int64, _ surroundings: EngineSurroundings
    ) throws(StoreOpenError) {
        self.surroundings = surroundings
        let (now, random) = (surroundings.clock.now, surroundings.random)
        deadline = now + milliseconds
        identity = NodeIdentity(random: random)
        do throws(SystemError) {
            links = try StoreLinks(address, node: identity.node, random: random, at: now)
        } catch {
            throw .system(error)
        }
        let layout = StoreLayout(prefix: address.prefix, shardCount: 1)
        requests = StoreRequests(link: links.requests, layout: layout, random: random)
    }

    /// Reads the facts of the store.
    func facts() throws(StoreOpenError) -> Opened {
        let layout = requests.layout
        let query = MessageQuery.last(layout.metaSubject)
        let facts = try ask(
            JetStreamAPI.messageGet(layout.controlStream), payload: query.body, Self.facts)
        return Opened(
            facts: facts, links: links, surroundings: surroundings, identity: identity)
    }

    /// - Returns: nil if nobody answered.
    private static func facts(_ message: Message) throws(StoreOpenError) -> StoreFacts? {
        switch try? message.answer(as: StoredMessage.self) {
        case .value(let stored):
            guard let facts = try? StoreFacts(stored.payload) else { throw .damaged }
            return facts
        case .refused(let error): throw .missing(error.description)
        case .noResponders, nil: return nil
        }
    }

    /// Makes the streams of a new store, and writes its facts last. It may be called again if it
    /// was interrupted.
    func create(
        shardCount: Int, replicas: Int
    ) throws(StoreOpenError) -> StoreFacts {
        let layout = StoreLayout(prefix: requests.layout.prefix, shardCount: shardCount)
        var configs = (0..<shardCount).map { shard in
            StreamConfig(
                name: layout.stream(shard), subjects: [layout.subjects(shard)],
                replicas: replicas, messagesPerSubjectMax: SessionCell.recordsMax,
                messageBytesMax: Self.messageBytesMax)
        }
        configs.append(
            StreamConfig(
                name: layout.controlStream, subjects: [layout.controlSubjects],
                replicas: replicas, messagesPerSubjectMax: 1,
                messageBytesMax: Self.messageBytesMax))
        for config in configs {
            try ask(JetStreamAPI.streamCreate(config.name), payload: config.body) {
                message throws(StoreOpenError) in
                switch try? message.answer(as: StreamInfo.self) {
                case .value: true
                case .refused(let error) where error.kind == .temporarilyUnavailable: nil
                case .refused(let error): throw .missing(error.description)
                case .noResponders, nil: nil
                }
            }
        }
        return try write(layout)
    }

    private static let messageBytesMax = 2 << 20

    private func write(_ layout: StoreLayout) throws(StoreOpenError) -> StoreFacts {
        let letters = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        var bits = requests.random()
        let lineage = (0..<8).map { _ in
            defer { bits /= 36 }
            return letters[Int(bits % 36)]
        }
        var secret = ByteWriter(capacity: 64)
        for _ in 0..<4 { secret.append(hexadecimal: requests.random(), digits: 16) }
        let facts = StoreFacts(
            lineage: String(lineage), shardCount: layout.shardCount,
            secret: String(decoding: secret.text, as: UTF8.self))
        return try ask(
            layout.metaSubject, headers: [.expectedLastSequence(0)], payload: facts.text
        ) { message throws(StoreOpenError) in
            switch try? message.answer(as: PublishAck.self) {
            case .value: facts
            case .refused(let error) where error.kind == .writeInFlight: nil
            case .refused(let error): throw .missing(error.description)
            case .noResponders, nil: nil
            }
        }
    }

    /// Sends a request until an answer is taken, or the time is up.
    ///
    /// - Parameter take: returns nil, or throws, to have the request sent again.
    @discardableResult
    private func ask<Value>(
        _ subject: Subject, headers: [Header] = [], payload: [UInt8],
        _ take: (Message) throws(StoreOpenError) -> Value?
    ) throws(StoreOpenError) -> Value {
        var (last, next) = (StoreOpenError.unanswered, clock.now)
        while clock.now < deadline {
            let now = clock.now
            if links.requests.waitingCount == 0, next <= now {
                next = now + Self.retryMilliseconds
                _ = requests.send(
                    subject, headers: headers, payload: payload, for: .question(0), at: now)
            }
            var events = links.flush(at: now) + links.expired(at: now)
            let pause = surroundings.waiting(Self.pauseMilliseconds)
            do throws(SystemError) {
                events += try links.happened(at: clock.now, waiting: pause)
            } catch {
                throw .system(error)
            }
            for event in events {
                guard case .request(.reply(_, let message)) = event else { continue }
                links.requests.finish(with: message)
                do throws(StoreOpenError) {
                    if let value = try take(message) { return value }
                } catch {
                    // A leader that was just elected may be behind, so it is asked again.
                    last = error
                }
            }
        }
        throw last
    }
}

/// Makes the streams of a store.
package enum StoreSetup {
    /// Makes a store that has no sessions.
    ///
    /// - Parameters:
    ///   - shardCount: the number of streams that the sessions are spread over.
    ///   - replicas: how many servers keep each message.
    ///   - milliseconds: how long that may take.
    package static func create(
        _ address: StoreAddress, shardCount: Int, replicas: Int, within milliseconds: Int64
    ) throws(StoreOpenError) -> StoreFacts {
        let opening = try StoreOpening(address, within: milliseconds, .process)
        return try opening.create(shardCount: shardCount, replicas: replicas)
    }
}

extension ClusterEngine {
    /// Opens the store, and waits until everything that it has is known here.
    ///
    /// - Parameter milliseconds: how long that may take.
    package static func open(
        _ options: ClusterOptions, within milliseconds: Int64
    ) throws(StoreOpenError) -> ClusterEngine {
        try open(options, within: milliseconds, .process)
    }

    /// The same with surroundings that may not be those of the process.
    static func open(
        _ options: ClusterOptions, within milliseconds: Int64, _ surroundings: EngineSurroundings
    ) throws(StoreOpenError) -> ClusterEngine {
        let deadline = surroundings.clock.now + milliseconds
        let opening = try StoreOpening(options.address, within: milliseconds, surroundings)
        let engine = ClusterEngine(try opening.facts(), options)
        try engine.catchUp(before: deadline, surroundings)
        return engine
    }
}
