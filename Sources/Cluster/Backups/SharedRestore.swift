internal import Bytes
public import POSIX
public import Sessions

// A restore makes a shared store of a backup, before any node uses the store:
//
//  1. It makes sure that none of the store's streams exists.
//  2. It makes the streams, that of apps first, and puts a plan into that one: see `RestorePlan`.
//     Their numbers begin after all that the backup has, and after all that a client has seen of
//     the store that the backup was made of.
//  3. It publishes the records in the order of the backup: many sessions at the same time, and one
//     record of each. The streams keep the last ones of each session.
//  4. It publishes the tokens, and what leads from a key to the session that was created with it.
//  5. It publishes the facts of the store in the place of the plan. No node accepts the store
//     before that, so a restore that is interrupted is never served.
//
// The store has a lineage of its own, so no entity tag from before matches. A restore whose backup
// is bad deletes the streams that it has made. Any other one that ends early leaves them, and the
// next restore of the same backup continues it: it reads the last message of each subject, and
// publishes what comes after that in the backup.

/// Makes a shared store of a backup.
public enum SharedRestore {
    /// The options of a restore.
    public struct Options: Sendable {
        public var address: StoreAddress
        public var format: any BackupFormat
        /// The number of streams that the sessions are spread over.
        public var shardCount = 16
        /// How many servers keep each message.
        public var replicas = 3
        /// How long the servers may take for one step, in milliseconds.
        public var timeoutMilliseconds: Int64 = 60_000
        /// How much is read at a time, in bytes. The messages of a session are stored one after the
        /// other, so the servers are busy only if there are many sessions.
        var batchBytes = 8 << 20

        public init(address: StoreAddress, format: any BackupFormat) {
            self.address = address
            self.format = format
        }
    }

    /// Reads some bytes of a backup.
    public typealias Source = (inout [UInt8]) throws(SystemError) -> Int

    /// Restores a backup.
    ///
    /// - Parameter source: reads some bytes of the backup into the beginning of an array, and
    ///   returns their number, 0 at the end. It may block.
    /// - Returns: the number of messages that were published, and of those that an earlier restore
    ///   of the same backup had published.
    public static func run(
        _ options: Options, _ environment: EngineEnvironment = .process,
        reading source: @escaping Source
    ) throws(SharedRestoreError) -> (published: Int, found: Int) {
        var input = BackupInput(
            options.format.reader(), batchBytes: options.batchBytes, source)
        // The beginning is read before anything is made.
        let first = try input.next()
        var streams = try NewStreams(
            options, environment, of: input.identity, after: try input.highestNumber())
        do throws(SharedRestoreError) {
            try streams.make()
            let queue = streams.queue(timeout: options.timeoutMilliseconds)
            queue.stored = try streams.stored()
            var sessions = RestoredSessions(
                streams.plan.facts, messageBytesMax: streams.messageBytesMax, now: streams.plan.at)
            try publish(first, of: &sessions, to: queue)
            while !input.isAtEnd { try publish(try input.next(), of: &sessions, to: queue) }
            var last = sessions.lastMessages()[...]
            while !last.isEmpty {
                for message in last.prefix(messagesAtOnce) { queue.add(message) }
                last = last.dropFirst(messagesAtOnce)
                try queue.drain()
            }
            guard queue.stored.isEmpty else { throw .otherRestore }
            try streams.validate()
            return (published: queue.keptCount, found: queue.foundCount)
        } catch {
            throw streams.abandon(after: error)
        }
    }

    private static let messagesAtOnce = 4_096

    /// Publishes the messages of some items, and waits until they are stored. Nothing is on its way
    /// while the backup is read, which may take any time.
    private static func publish(
        _ items: [BackupInput.Item], of sessions: inout RestoredSessions, to queue: RestoreQueue
    ) throws(SharedRestoreError) {
        for item in items {
            guard let message = try sessions.message(for: item) else { continue }
            guard case .app(let id) = message.item else {
                queue.add(message)
                continue
            }
            // If this restore is interrupted, what comes before the document is stored if that is.
            try queue.drain()
            queue.add(message)
            // The revisions that follow have to name the number of the document.
            try queue.drain()
            sessions.isStored(id, as: queue.number(of: message.item))
        }
        try queue.drain()
    }
}

/// Why a backup could not be restored into a shared store.
public enum SharedRestoreError: Error, Equatable, Sendable, CustomStringConvertible {
    case input(SystemError)
    /// The backup is damaged, incomplete, or not a backup at all.
    case backup(BackupError)
    /// There is a stream of this name already.
    case occupied(String)
    /// The streams are those of a restore of another backup, or with other options.
    case otherRestore
    /// Somebody else has published a message in the streams of the store.
    case overtaken
    case full
    /// The servers refused a message or a stream, in these words.
    case refused(String)
    case unanswered
    /// The servers could not be reached or used.
    case store(StoreOpenError)
    /// The restore failed for this reason, and its streams could not be deleted.
    indirect case unfinished(SharedRestoreError)

    public var description: String {
        switch self {
        case .input(let error): "the backup cannot be read: \(error.text)"
        case .backup(let error):
            "line \(max(error.line, 1)) of the backup: \(error.reason)"
        case .occupied(let name):
            "the stream \(name) exists, and a restore of this backup has not made it; remove it with "
                + "navstate store delete, or choose another prefix"
        case .otherRestore:
            "the streams are of an interrupted restore of another backup, or with another number of "
                + "shards; restore that one again to finish it, or remove them with navstate store "
                + "delete"
        case .overtaken:
            "another program writes in the streams of the store; end it, and restore again to go on, "
                + "or remove them with navstate store delete"
        case .full: "the servers have no space left; make room, and restore again to go on"
        case .refused(let text): "the servers refused the restore: \(text)"
        case .unanswered, .store(.unanswered):
            "the servers did not answer in time; restore again to go on when they are available"
        case .store(.refused(let text)): "the servers refused the restore: \(text)"
        case .store(let error): error.message
        case .unfinished(let error):
            "\(error.description); the streams that the restore has made are left, so remove them "
                + "with navstate store delete before you restore again"
        }
    }

    /// The kind of error, by its remedy. Nil if the backup or the names of the streams have
    /// to be changed.
    public var kind: StoreOpenError.Kind? {
        switch self {
        case .input, .backup, .occupied, .otherRestore, .overtaken, .refused: nil
        case .full, .unanswered: .unavailable
        case .store(let error): error.kind
        case .unfinished(let error): error.kind
        }
    }

    public var isOfBackup: Bool {
        switch self {
        case .backup: true
        case .unfinished(let error): error.isOfBackup
        case .input, .occupied, .otherRestore, .overtaken, .full, .refused, .unanswered, .store:
            false
        }
    }
}
