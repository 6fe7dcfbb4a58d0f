internal import NATS

extension StoreOpening {
    /// Whether there is a stream of that name.
    func hasStream(_ name: SubjectToken) throws(StoreOpenError) -> Bool {
        try answer(to: JetStreamAPI.streamInfo(name), as: StreamInfo.self) { answer in
            switch answer {
            case .value: true
            case .refused(let error): error.kind == .streamNotFound ? false : nil
            case .noResponders: nil
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
    ///   unless the servers have no leader at the moment, or too few of them run.
    private func answer<Body: AnswerBody>(
        to subject: Subject, _ payload: [UInt8] = [], as: Body.Type,
        _ take: (Answer<Body>) -> Bool?
    ) throws(StoreOpenError) -> Bool {
        let result = try ask(subject, payload: payload) {
            message throws(StoreOpenError) -> Result<Bool, StoreOpenError>? in
            guard let answer = try? message.answer(as: Body.self) else { return nil }
            if let value = take(answer) { return .success(value) }
            guard case .refused(let error) = answer else { return nil }
            if error.kind == .tooFewPeers { throw .tooFewServers(error.description) }
            if error.kind == .temporarilyUnavailable { return nil }
            return .failure(.refused(error.description))
        }
        return try result.get()
    }
}
