package import Navigation

// A store as the event loop drives it. All calls come from the loop's thread, and none of them
// waits. In one turn the loop
//
//     collect, takeChanges, takeLoaded    when the wake descriptor is readable
//     the calls of `SessionStore`         while it answers requests
//     submit, tick                        at the end of the turn, and no later than `nextTick`

/// A store that is driven by the event loop.
package protocol Engine: SessionStore {
    /// The number of a descriptor that is readable when there is something to collect. It stays the
    /// same and open for as long as the engine exists. An engine that has several descriptors, or
    /// that waits to write, gives the descriptor of an epoll instance that watches all of them.
    var wakeDescriptorNumber: Int32 { get }
    /// Tells what has been decided since the last call. It may be called at any time.
    func collect() -> Collected
    /// The changes that were kept since the last call, whoever made them. Those of one session come
    /// in order, and each comes once.
    func takeChanges() -> [StoreChange]
    /// Carries out what was asked for in this turn. It is called at the end of each turn.
    func submit()
    /// Does what is due.
    func tick(now: Milliseconds)
    /// When to call `tick` next, or nil if nothing is due.
    var nextTick: Milliseconds? { get }

    // MARK: Loading

    /// Has something loaded; `takeLoaded` returns it after a wake-up.
    ///
    /// - Parameters:
    ///   - token: a number by which the caller recognizes what was loaded.
    ///   - earlier: what was loaded for the same request before.
    func load(_ requests: [LoadRequest], token: UInt64, earlier: (any LoadResult)?)
    /// What was loaded since the last call.
    func takeLoaded() -> [any LoadResult]
    /// Runs with what was loaded visible to reads.
    func with<Result, Failure: Error>(
        _ loaded: (any LoadResult)?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result

    // MARK: Expiry

    /// When sessions may expire next, or nil if none does. An engine that removes expired sessions
    /// by itself returns nil.
    var nextExpiry: Milliseconds? { get }
    /// Removes sessions that have expired, at most `limit` of them in one call.
    ///
    /// - Throws: if no session could be removed.
    func expire(now: Milliseconds, limit: Int) throws(StoreError) -> [Deletion]

    // MARK: Backups

    /// Begins a copy of everything as it is now.
    ///
    /// - Parameter token: a number by which the caller names the backup.
    /// - Returns: the ticket that must be kept before any of the copy is shown.
    func beginBackup(token: UInt64, at: Milliseconds) -> Ticket
    /// Has the next piece of a backup read; `takeBackupPieces` returns it after a wake-up.
    func readBackup(token: UInt64)
    /// Ends a backup, complete or not.
    func endBackup(token: UInt64)
    /// The pieces that were read since the last call.
    func takeBackupPieces() -> [BackupPiece]

    // MARK: Health

    /// Why changes are refused, for the log, if they are.
    var refusalText: String? { get }
    /// What went wrong since the last call, for the log.
    func takeReports() -> [StoreReport]
    /// What the engine measures, for the page of metrics.
    var metrics: [StoreMetric] { get }
}

/// The result of `Engine.collect`.
package struct Collected: Equatable, Sendable {
    /// Whether `keptUpTo` has grown.
    package var hasAdvanced = false
    /// Whether every change with an ordered ticket after `keptUpTo` was rolled back, since the disk
    /// is full.
    package var isRolledBack = false
    /// Whether changes are refused from now on, and it is unknown whether those with an ordered
    /// ticket after `keptUpTo` are kept.
    package var hasFailed = false
    /// What became of the changes with single tickets that were decided.
    package var outcomes: [DecidedTicket] = []

    package init() {}
}

/// A piece of a backup.
package struct BackupPiece: Equatable, Sendable {
    /// The token of the backup.
    package var token: UInt64
    /// The bytes of the piece; none at the end, and nil if the store could not be read.
    package var bytes: [UInt8]?

    package init(token: UInt64, bytes: [UInt8]?) {
        self.token = token
        self.bytes = bytes
    }
}

/// Something that went wrong and is not the answer to any request, for the log.
package struct StoreReport: Equatable, Sendable {
    /// What went wrong.
    package var message: String
    /// The reason.
    package var error: String
    /// The file, if it concerns one.
    package var file: String?

    package init(_ message: String, error: String, file: String? = nil) {
        self.message = message
        self.error = error
        self.file = file
    }
}

/// Something that an engine measures: a family of the page of metrics.
package struct StoreMetric: Sendable {
    /// The kinds of metrics, as Prometheus has them.
    package enum Value: Sendable {
        /// A number that rises and falls, as text.
        case gauge(String)
        /// A number that only rises, as text.
        case counter(String)
        /// Counters that differ in one label.
        case counters(label: String, [(value: String, count: Int)])
        /// Durations by the bounds of a request's duration (5 ms to 10 s, and longer), and their
        /// sum.
        case durations(counts: [UInt64], totalNanoseconds: Int64)
    }

    /// The name of the family.
    package var name: String
    /// What it tells, as a sentence.
    package var help: String
    /// The value now.
    package var value: Value

    package init(_ name: String, help: String, _ value: Value) {
        self.name = name
        self.help = help
        self.value = value
    }
}
