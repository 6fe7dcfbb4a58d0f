internal import Bytes
package import POSIX
package import Sessions

// A restore makes a shared store of a backup, before any node uses the store:
//
//  1. It makes sure that none of the store's streams exists.
//  2. It makes the streams. Their numbers begin after all that the backup has, and after all that
//     a client has seen of the store that the backup was made of.
//  3. It publishes the records in the order of the backup: many sessions at the same time, and one
//     record of each. The streams keep the last ones of each session.
//  4. It publishes the tokens, and what leads from a key to the session that was created with it.
//  5. It publishes the facts of the store. No node accepts the store before that, so a restore that
//     is interrupted is never served.
//
// The store has a lineage of its own, so no entity tag from before matches. A restore that fails
// deletes the streams that it has made. One that is killed leaves them, and no other restore uses
// them until `navstate store delete` has removed them.

/// Makes a shared store of a backup.
package enum SharedRestore {
    /// The options of a restore.
    package struct Options: Sendable {
        package var address: StoreAddress
        package var format: any BackupFormat
        /// The number of streams that the sessions are spread over.
        package var shardCount = 16
        /// How many servers keep each message.
        package var replicas = 3
        /// How long the servers may take for one step, in milliseconds.
        package var timeoutMilliseconds: Int64 = 60_000
        /// How much is read at a time, in bytes. The messages of a session are stored one after the
        /// other, so the servers are busy only if there are many sessions.
        var batchBytes = 8 << 20

        package init(address: StoreAddress, format: any BackupFormat) {
            self.address = address
            self.format = format
        }
    }

    /// Reads some bytes of a backup.
    package typealias Source = (inout [UInt8]) throws(SystemError) -> Int

    /// Restores a backup.
    ///
    /// - Parameter source: reads some bytes of the backup into the beginning of an array, and
    ///   returns their number, 0 at the end. It may block.
    /// - Returns: the number of messages that were published.
    package static func run(
        _ options: Options, _ environment: EngineEnvironment = .process,
        reading source: @escaping Source
    ) throws(SharedRestoreError) -> Int {
        var input = BackupInput(
            options.format.reader(), batchBytes: options.batchBytes, source)
        // The beginning is read before anything is made.
        let first = try input.next()
        let streams = try NewStreams(options, environment, after: try input.highestNumber())
        do throws(SharedRestoreError) {
            try streams.make()
            let queue = streams.queue(timeout: options.timeoutMilliseconds)
            var sessions = RestoredSessions(
                streams.facts, messageBytesMax: streams.messageBytesMax, now: streams.now)
            try publish(first, of: &sessions, to: queue)
            while !input.isAtEnd { try publish(try input.next(), of: &sessions, to: queue) }
            var last = sessions.lastMessages()[...]
            while !last.isEmpty {
                for message in last.prefix(messagesAtOnce) { queue.add(message) }
                last = last.dropFirst(messagesAtOnce)
                try queue.drain()
            }
            try streams.validate()
            return queue.keptCount
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
            queue.add(message)
            guard case .app(let id) = message.item else { continue }
            // The revisions that follow have to name the number of the document.
            try queue.drain()
            sessions.isStored(id, as: queue.number(of: message.item))
        }
        try queue.drain()
    }
}

/// Why a backup could not be restored into a shared store.
package enum SharedRestoreError: Error, Equatable, Sendable, CustomStringConvertible {
    case input(SystemError)
    /// The backup is damaged, incomplete, or not a backup at all.
    case backup(BackupError)
    /// There is a stream of this name already.
    case occupied(String)
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

    package var description: String {
        switch self {
        case .input(let error): "the backup cannot be read: \(error.text)"
        case .backup(let error): "line \(error.line) of the backup: \(error.reason)"
        case .occupied(let name):
            "the stream \(name) exists, of a store or of a restore that was interrupted; remove it "
                + "with navstate store delete, or choose another prefix"
        case .overtaken:
            "another program writes in the streams of the store; remove them with navstate store "
                + "delete, and restore again while no other program uses the prefix"
        case .full: "the servers have no space left; make room and restore again"
        case .refused(let text): "the servers refused the restore: \(text)"
        case .unanswered, .store(.unanswered):
            "the servers did not answer in time; restore again when the store is available"
        case .store(.refused(let text)): "the servers refused the restore: \(text)"
        case .store(let error): error.message
        case .unfinished(let error):
            "\(error.description); the streams that the restore has made are left, so remove them "
                + "with navstate store delete before you restore again"
        }
    }

    /// The kind of error, by its remedy. Nil if the backup or the names of the streams have
    /// to be changed.
    package var kind: StoreOpenError.Kind? {
        switch self {
        case .input, .backup, .occupied, .overtaken, .refused: nil
        case .full, .unanswered: .unavailable
        case .store(let error): error.kind
        case .unfinished(let error): error.kind
        }
    }

    package var isOfBackup: Bool {
        switch self {
        case .backup: true
        case .unfinished(let error): error.isOfBackup
        case .input, .occupied, .overtaken, .full, .refused, .unanswered, .store: false
        }
    }

    /// Whether the streams may be somebody else's.
    var concernsOthers: Bool {
        switch self {
        case .occupied, .overtaken: true
        case .input, .backup, .full, .refused, .unanswered, .store, .unfinished: false
        }
    }
}
