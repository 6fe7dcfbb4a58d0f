internal import Navigation
internal import Sessions

/// The messages of a store that is being restored, on their way into the streams.
struct RestorePublisher {
    private let streams: NewStreams
    private let queue: RestoreQueue
    private var sessions: RestoredSessions

    private static let messagesAtOnce = 4_096

    init(_ streams: NewStreams, _ options: SharedRestore.Options) throws(SharedRestoreError) {
        self.streams = streams
        queue = streams.queue(timeout: options.timeoutMilliseconds)
        sessions = RestoredSessions(
            streams.facts, messageBytesMax: streams.messageBytesMax, now: streams.now)
    }

    /// Publishes the messages of some items, and waits until they are stored. Nothing is on its way
    /// while the backup is read, which may take any time.
    mutating func publish(_ items: [BackupInput.Item]) throws(SharedRestoreError) {
        for item in items {
            guard let message = try sessions.message(for: item) else { continue }
            queue.add(message)
            guard case .app(let id) = message.item else { continue }
            // The revisions that follow have to name the number of the document.
            try queue.drain()
            sessions.isStored(id, as: queue.number(of: message.item))
        }
        try queue.drain()
    }

    /// Publishes what the end of the backup makes known, waits for everything, and makes the store
    /// valid.
    ///
    /// - Returns: the number of messages.
    mutating func finish() throws(SharedRestoreError) -> Int {
        var messages = sessions.lastMessages()[...]
        while !messages.isEmpty {
            for message in messages.prefix(Self.messagesAtOnce) { queue.add(message) }
            messages = messages.dropFirst(Self.messagesAtOnce)
            try queue.drain()
        }
        try streams.validate()
        return queue.keptCount
    }
}
