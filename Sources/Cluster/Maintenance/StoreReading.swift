internal import NATS
internal import POSIX

extension StoreOpening.Opened {
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
        var heardAt = surroundings.clock.now
        while links.feeds?.hasCaughtUp != true {
            guard surroundings.clock.now - heardAt < patience else { throw .unanswered }
            for message in try turn() {
                heardAt = surroundings.clock.now
                take(message)
            }
        }
    }

    /// Waits a moment for what comes.
    ///
    /// - Returns: the messages of the streams.
    func turn() throws(StoreOpenError) -> [FedMessage] {
        let now = surroundings.clock.now
        var events = links.flush(at: now) + links.expired(at: now)
        let wait = Int(max(0, min(links.deadline - now, 100)))
        do throws(SystemError) {
            events += try links.happened(
                at: surroundings.clock.now, waiting: surroundings.waiting(wait))
        } catch {
            throw .system(error)
        }
        var messages: [FedMessage] = []
        for event in events {
            switch event {
            case .feed(.message(let message)): messages.append(message)
            case .feed(.warning(let text)):
                if StoreRequirements.isForbidden(text) { throw .forbidden(text) }
            case .request, .feed(.misfit): break
            }
        }
        return messages
    }
}
