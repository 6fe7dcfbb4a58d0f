internal import NATS

/// Makes the streams of a store.
package enum StoreSetup {
    /// Makes a store that has no sessions, unless there is one already.
    ///
    /// - Parameters:
    ///   - shardCount: the number of streams that the sessions are spread over.
    ///   - replicas: how many servers keep each message.
    ///   - milliseconds: how long that may take.
    /// - Returns: the facts of the store, and whether it was made now.
    package static func create(
        _ address: StoreAddress, shardCount: Int, replicas: Int, within milliseconds: Int64
    ) throws(StoreOpenError) -> Made {
        let opening = try StoreOpening(address, within: milliseconds, .process)
        return try opening.create(shardCount: shardCount, replicas: replicas)
    }

    /// A store that was made or found.
    package struct Made: Equatable, Sendable {
        /// What holds for the store.
        package let facts: StoreFacts
        /// Whether it was made now.
        package let isNew: Bool
        /// How many servers keep each message, at least.
        package let replicas: Int
    }
}

extension StoreOpening {
    /// Makes the streams of a new store, and writes its facts last. It may be called again, also if
    /// it was interrupted.
    ///
    func create(shardCount: Int, replicas: Int) throws(StoreOpenError) -> StoreSetup.Made {
        if let found = try knownFacts() {
            guard found.shardCount == shardCount else {
                throw .exists(shardCount: found.shardCount)
            }
            let count = try checkStreams(found, replicasMin: replicas)
            return StoreSetup.Made(facts: found, isNew: false, replicas: count)
        }
        for stream in try existingStreams(atLeast: shardCount) where try hasContents(stream) {
            throw .occupied(stream.name.text)
        }
        let layout = StoreLayout(prefix: requests.layout.prefix, shardCount: shardCount)
        for config in layout.streams(replicas: replicas) {
            try ask(JetStreamAPI.streamCreate(config.name), payload: config.body) {
                message throws(StoreOpenError) in
                switch try? message.answer(as: StreamInfo.self) {
                case .value: true
                case .refused(let error): throw StoreOpenError(of: error)
                case .noResponders, nil: nil
                }
            }
        }
        let facts = StoreFacts(shardCount: shardCount, random: surroundings.random)
        let written = try write(try mark(facts))
        return StoreSetup.Made(facts: written, isNew: true, replicas: replicas)
    }

    /// The facts of the store. Nil if there is no store, as far as the server knows that answers
    /// first.
    func knownFacts() throws(StoreOpenError) -> StoreFacts? {
        let layout = requests.layout
        let query = MessageQuery.last(layout.metaSubject)
        return try ask(JetStreamAPI.messageGet(layout.controlStream), payload: query.body) {
            message throws(StoreOpenError) -> StoreFacts?? in
            if case .refused(let error)? = try? message.answer(as: StoredMessage.self),
                error.saysThatNothingIsThere
            {
                return .some(nil)
            }
            return try Self.facts(message).map { .some($0) }
        }
    }

    /// Writes the facts of a new store.
    func write(_ facts: StoreFacts) throws(StoreOpenError) -> StoreFacts {
        let isFirst = try ask(
            requests.layout.metaSubject, headers: [.expectedLastSequence(0)], payload: facts.text
        ) { message throws(StoreOpenError) in
            switch try? message.answer(as: PublishAck.self) {
            case .value: true
            case .refused(let error) where error.kind.isOfLastSequence: false
            case .refused(let error) where error.kind == .writeInFlight: nil
            case .refused(let error): throw StoreOpenError(of: error)
            case .noResponders, nil: nil
            }
        }
        if isFirst { return facts }
        // The answer to the first request may have been lost.
        let found = try self.facts().facts
        guard found == facts else { throw .exists(shardCount: found.shardCount) }
        return facts
    }
}

extension JetStreamError.Kind {
    /// Whether the last message of the subject is not the expected one.
    var isOfLastSequence: Bool {
        if case .wrongLastSequence = self { true } else { false }
    }
}
