internal import JSON
internal import NATS

extension StoreOpening {
    /// The state of a stream. Nil if there is none, as far as the server knows that answers first.
    func existing(_ name: SubjectToken) throws(StoreOpenError) -> StreamInfo? {
        try ask(JetStreamAPI.streamInfo(name), payload: []) {
            message throws(StoreOpenError) -> StreamInfo?? in
            switch try? message.answer(as: StreamInfo.self) {
            case .value(let info): return .some(info)
            case .refused(let error) where error.kind == .streamNotFound: return .some(nil)
            case .refused(let error): throw StoreOpenError(passing: error)
            case .noResponders, nil: return nil
            }
        }
    }

    /// Makes a stream.
    ///
    /// - Returns: false if there is one of that name that is not new.
    func make(_ config: StreamConfig) throws(StoreOpenError) -> Bool {
        let subject = JetStreamAPI.streamCreate(config.name)
        return try answer(to: subject, config.body, as: StreamInfo.self) { answer in
            switch answer {
            case .value(let info): info.state.messages == 0
            case .refused(let error): error.kind == .streamExists ? false : nil
            case .noResponders: nil
            }
        }
    }

    /// Deletes a stream, if it exists.
    func delete(_ name: SubjectToken) throws(StoreOpenError) {
        _ = try answer(to: JetStreamAPI.streamDelete(name), as: StreamDeleted.self) { answer in
            switch answer {
            case .value(let deleted): deleted.isDeleted ? true : nil
            case .refused(let error): error.kind == .streamNotFound ? true : nil
            case .noResponders: nil
            }
        }
    }

    /// Asks until there is an answer that says something.
    ///
    /// - Parameter take: returns nil for an answer that is not expected. A refusal is then final,
    ///   unless it may pass.
    private func answer<Body: AnswerBody>(
        to subject: Subject, _ payload: [UInt8] = [], as: Body.Type,
        _ take: (Answer<Body>) -> Bool?
    ) throws(StoreOpenError) -> Bool {
        let result = try ask(subject, payload: payload) {
            message throws(StoreOpenError) -> Result<Bool, StoreOpenError>? in
            guard let answer = try? message.answer(as: Body.self) else { return nil }
            if let value = take(answer) { return .success(value) }
            guard case .refused(let error) = answer else { return nil }
            let reason = StoreOpenError(of: error)
            guard case .refused = reason else { throw reason }
            return .failure(reason)
        }
        return try result.get()
    }

    /// A stream whose name is one of a store.
    struct ExistingStream {
        /// The name of the stream.
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
        let query = MessageQuery.next(stream.contents, from: 1)
        return try ask(JetStreamAPI.messageGet(stream.name), payload: query.body) {
            message throws(StoreOpenError) -> Bool? in
            switch try? message.answer(as: StoredMessage.self) {
            case .value: return true
            case .refused(let error) where error.saysThatNothingIsThere: return false
            case .refused(let error): throw StoreOpenError(passing: error)
            case .noResponders, nil: return nil
            }
        }
    }
}
