internal import JSON
internal import NATS

/// Makes the streams of a store.
public enum StoreSetup {
    /// Makes a store that has no sessions, unless there is one already.
    ///
    /// - Parameters:
    ///   - shardCount: the number of streams that the sessions are spread over.
    ///   - replicas: how many servers keep each message.
    ///   - milliseconds: how long that may take.
    /// - Returns: the facts of the store, and whether it was made now.
    public static func create(
        _ address: StoreAddress, shardCount: Int, replicas: Int, within milliseconds: Int64
    ) throws(StoreOpenError) -> Made {
        let opening = try StoreOpening(address, within: milliseconds, .process)
        return try opening.create(shardCount: shardCount, replicas: replicas)
    }

    /// A store that was made or found.
    public struct Made: Equatable, Sendable {
        /// The facts of the store.
        public let facts: StoreFacts
        public let isNew: Bool
        /// How many servers keep each message, at least.
        public let replicas: Int
    }
}

extension StoreOpening {
    /// Makes the streams of a new store, and writes its facts last. It may be called again, also if
    /// it was interrupted.
    func create(shardCount: Int, replicas: Int) throws(StoreOpenError) -> StoreSetup.Made {
        if let found = try knownFacts() {
            guard found.shardCount == shardCount else {
                throw .exists(shardCount: found.shardCount)
            }
            let count = try checkStreams(found, replicasMin: replicas)
            return StoreSetup.Made(facts: found, isNew: false, replicas: count)
        }
        try checkUnused(shardCount: shardCount)
        let layout = StoreLayout(prefix: requests.layout.prefix, shardCount: shardCount)
        for config in layout.streams(replicas: replicas) {
            guard try make(config) != nil else {
                throw .refused("a stream \(config.name.text) with other settings exists")
            }
        }
        let facts = StoreFacts(shardCount: shardCount, random: environment.random)
        let written = try write(try mark(facts))
        return StoreSetup.Made(facts: written, isNew: true, replicas: replicas)
    }

    /// Checks that no stream of a store has contents, which then has lost its facts.
    ///
    /// - Parameter shardCount: how many shards are looked for at least.
    func checkUnused(shardCount: Int) throws(StoreOpenError) {
        for stream in try existingStreams(atLeast: shardCount) where try hasContents(stream) {
            throw .occupied(stream.name.text)
        }
    }

    /// Writes the facts of a new store.
    ///
    /// - Parameter expected: the stream sequence of the plan of the restore that has made it.
    func write(_ facts: StoreFacts, after expected: Int = 0) throws(StoreOpenError) -> StoreFacts {
        let isFirst = try publish(
            facts.text, to: requests.layout.metaSubject, headers: [.expectedLastSequence(expected)])
        if isFirst { return facts }
        // The answer to the first request may have been lost.
        let found = try self.facts()
        guard found == facts else { throw .exists(shardCount: found.shardCount) }
        return facts
    }
}

/// Deletes the streams of a store, for `navstate store delete`.
public enum StoreDeletion {
    /// Deletes all streams that a store has, also those of one that was never finished. It may be
    /// called again if it was interrupted.
    ///
    /// - Parameters:
    ///   - shardCount: how many shards are looked for at least.
    ///   - milliseconds: how long the servers may take for one step.
    /// - Returns: the names of the streams that were deleted.
    public static func run(
        _ address: StoreAddress, shardCount: Int, within milliseconds: Int64,
        _ environment: EngineEnvironment = .process
    ) throws(StoreOpenError) -> [String] {
        let opening = try StoreOpening(address, within: milliseconds, environment)
        // Without its description no node opens the store, so the stream that has it goes first.
        // The others go from the last one on, so that what is left of them has no gaps.
        let streams = try opening.existingStreams(atLeast: shardCount)
        for stream in streams where !stream.isOfStore {
            throw .streamDiffers(stream.name.text, settings: ["subjects"])
        }
        for stream in streams.reversed() {
            try opening.delete(stream.name)
        }
        return streams.map(\.name.text)
    }
}

extension StoreOpening {
    /// Makes a stream.
    ///
    /// - Returns: its state. Nil if there is one of that name with other settings.
    func make(_ config: StreamConfig) throws(StoreOpenError) -> StreamInfo? {
        try answer(JetStreamAPI.streamCreate(config.name), config.body, as: StreamInfo.self) {
            error throws(StoreOpenError) in
            guard error.kind == .streamExists else { throw StoreOpenError(of: error) }
            return .nothing
        }
    }

    /// Deletes a stream, if it exists.
    func delete(_ name: SubjectToken) throws(StoreOpenError) {
        _ = try answer(JetStreamAPI.streamDelete(name), as: Done.self) {
            error throws(StoreOpenError) in
            guard error.kind == .streamNotFound else { throw StoreOpenError(of: error) }
            return .nothing
        }
    }

    /// A stream whose name is one of a store.
    struct ExistingStream {
        let name: SubjectToken
        /// The subjects of its sessions or apps.
        let contents: SubjectFilter
        /// Whether it stores what a stream of the store does.
        let isOfStore: Bool
    }

    /// The streams of a store that exist, also those of one that was never finished. The one for
    /// apps and facts is the last.
    ///
    /// - Parameter count: how many shards are looked for. If all of these have a stream, more are
    ///   looked for until one has none.
    func existingStreams(atLeast count: Int) throws(StoreOpenError) -> [ExistingStream] {
        let most = StoreLayout.shardCounts.upperBound
        let layout = StoreLayout(prefix: requests.layout.prefix, shardCount: most)
        func found(_ shard: Int?) throws(StoreOpenError) -> ExistingStream? {
            let name = shard.map { layout.stream($0) } ?? layout.controlStream
            let subjects = shard.map { layout.subjects($0) } ?? layout.controlSubjects
            guard let info = try existing(name) else { return nil }
            return ExistingStream(
                name: name, contents: layout.contents(shard),
                isOfStore: info.config["subjects"] == .array([.string(subjects.text)]))
        }
        var streams: [ExistingStream] = []
        for shard in 0..<most {
            if let stream = try found(shard) {
                streams.append(stream)
            } else if shard >= count {
                break
            }
        }
        if let stream = try found(nil) { streams.append(stream) }
        return streams
    }

    /// Whether a stream has sessions or apps.
    func hasContents(_ stream: ExistingStream) throws(StoreOpenError) -> Bool {
        try find(.next(stream.contents, from: 1), in: stream.name) != nil
    }
}
