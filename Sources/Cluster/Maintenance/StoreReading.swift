internal import NATS

extension StoreOpening {
    /// Reads the streams of the store up to their ends, as they are at the beginning.
    ///
    /// - Parameters:
    ///   - extent: what is read of each stream.
    ///   - patience: how long the servers may be silent, in milliseconds.
    func read(
        _ layout: StoreLayout, reading extent: StreamFeed.Extent, patience: Int64,
        take: (FedMessage) -> Void
    ) throws(StoreOpenError) {
        links.follow(StreamFeed.all(layout, replicas: 1, reading: extent))
        var heardAt = environment.clock.now
        while links.feeds?.hasCaughtUp != true {
            guard environment.clock.now - heardAt < patience else { throw .unanswered }
            for message in try nextMessages() {
                heardAt = environment.clock.now
                take(message)
            }
        }
    }

    /// Waits a moment for what comes.
    ///
    /// - Returns: the messages of the streams.
    func nextMessages() throws(StoreOpenError) -> [FedMessage] {
        let wait = Int(max(0, min(links.deadline - environment.clock.now, 100)))
        var messages: [FedMessage] = []
        for event in try links.turn(environment, waiting: wait) {
            switch event {
            case .feed(.message(let message)): messages.append(message)
            case .feed(.warning(let text)):
                if StoreRequirements.isForbidden(text) { throw .forbidden(text) }
            case .request, .feed(.misfit), .feed(.counted): break
            }
        }
        return messages
    }
}
