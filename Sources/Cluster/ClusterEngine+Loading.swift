internal import Navigation
public import Sessions

// Questions to the servers and to other nodes for requests that wait.
extension ClusterEngine {
    /// Has something loaded for a request.
    public func load(_ requests: [LoadRequest], token: UInt64, earlier: (any LoadResult)?) {
        let result = LoadedItems(token: token, earlier: earlier as? LoadedItems)
        for case .peers(let question) in requests {
            // The request asks for anything else again when it is processed the next time.
            return ask(question, for: .request(result))
        }
        let writer = client.writer
        client.loader.load(requests, into: result, at: clock.now) { id in
            writer.isBusy(.session(id)) || writer.isBusy(.tokens(id))
        }
    }

    /// The results since the last call.
    public func takeLoaded() -> [any LoadResult] {
        let loaded = client.loader.takeFinished()
        for result in loaded {
            for question in result.news {
                guard let item = result.items[question] else { continue }
                replica.apply(item, to: question, at: clock.wall)
            }
        }
        return loaded + questions.takeFinished()
    }

    /// Runs with what was loaded visible to reads.
    public func with<Result, Failure: Error>(
        _ loaded: (any LoadResult)?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try reader.with(loaded as? LoadedItems, body)
    }

    // MARK: Other nodes

    /// The other nodes.
    public var peers: Set<UInt64> { Set(peersSeen.keys) }

    /// Sets what answers the questions of other nodes.
    public func answerPeers(by answer: @escaping (PeerQuestion) -> PeerAnswer) {
        questions.respond = answer
    }

    /// The answers of the other nodes to a question of a request.
    public func answer(to question: PeerQuestion) throws(StoreError) -> PeerAnswer {
        peersSeen.isEmpty ? PeerAnswer(to: question) : try reader.answer(to: question)
    }

    /// Asks the other nodes something outside of any request.
    public func askPeers(_ question: PeerQuestion) { ask(question, for: .loop) }

    /// Their answers since the last call.
    public func takePeerRounds() -> [PeerRound] { questions.takeRounds() }

    private func ask(_ question: PeerQuestion, for asker: PeerQuestions.Asker) {
        client.tell(questions.ask(question, for: asker, of: peersSeen, at: clock.now))
    }
}
