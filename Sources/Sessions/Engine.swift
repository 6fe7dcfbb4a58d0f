internal import Bytes
public import Navigation

// A store as the event loop drives it. All calls come from the loop's thread, and none of them
// blocks. In each turn, the loop calls
//
//     collect, takeChanges, takeLoaded    when the wake descriptor is readable
//     the calls of its `parts`            while it answers requests
//     submit, tick                        at the end of the turn, and no later than `nextTick`

/// A store that is driven by the event loop.
public protocol Engine: StatusReading {
    /// The parts that the service uses.
    var parts: SessionStore { get }
    /// Reads backups.
    var backups: any BackupReading { get }

    /// The number of a descriptor that becomes readable when there is something to collect. It
    /// stays open, and its number stays the same, for the lifetime of the engine. An engine that
    /// has several descriptors, or that needs to know when it can write, returns the descriptor of
    /// an epoll instance that watches them all.
    var wakeDescriptorNumber: Int32 { get }
    /// Returns what has been decided since the last call. It may be called at any time.
    func collect() -> Collected
    /// Returns the changes that have become known to be kept since the last call, whoever made
    /// them. Each change is returned once, and those of one session in order.
    func takeChanges() -> [StoreChange]
    /// Carries out the changes that were requested in this turn. It is called at the end of each
    /// turn.
    func submit()
    /// Does any work that is due.
    func tick(now: Milliseconds)
    /// When to call `tick` next. It is nil if no work is scheduled.
    var nextTick: Milliseconds? { get }

    // MARK: Loading

    /// Starts loading something. `takeLoaded` returns it after a wake-up.
    ///
    /// - Parameters:
    ///   - token: a number that identifies the result to the caller.
    ///   - earlier: what was previously loaded for the same request.
    func load(_ requests: [LoadRequest], token: UInt64, earlier: (any LoadResult)?)
    /// Returns what has been loaded since the last call.
    func takeLoaded() -> [any LoadResult]
    /// Runs the body. Reads in it see what was loaded.
    func with<Result, Failure: Error>(
        _ loaded: (any LoadResult)?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result

    // MARK: Peers

    /// The numbers of the other servers that share the store at present.
    var peers: Set<UInt64> { get }
    /// Sets what answers the questions of other servers.
    func answerPeers(by answer: @escaping (PeerQuestion) -> PeerAnswer)
    /// Asks the other servers something outside of any request. `takePeerRounds` returns their
    /// answers after a wake-up.
    func askPeers(_ question: PeerQuestion)
    /// Returns what the other servers have answered since the last call.
    func takePeerRounds() -> [PeerRound]

    // MARK: Expiry

    /// When sessions may expire next. It is nil if none will, or if the engine removes expired
    /// sessions by itself.
    var nextExpiry: Milliseconds? { get }
    /// Removes expired sessions, at most `limit` of them in one call.
    ///
    /// - Throws: if no session could be removed.
    func expire(now: Milliseconds, limit: Int) throws(StoreError) -> [Deletion]

    // MARK: Deadlines

    /// When something is due next in a session by itself, apart from its expiry: the time of a
    /// sheet, or an idle command. Nil if nothing is.
    var nextDue: Milliseconds? { get }
    /// Takes out a session in which something is due. It comes back with its next change, or by one
    /// of the calls below. Nil if there is none, or if the call has done other work that is due.
    func takeDue(now: Milliseconds) -> DueSession?
    /// Brings a session back that was taken out: what is due in it could not be done.
    func postponeDue(of id: SessionID, until time: Milliseconds)
    /// Brings a session back whose idle command had no effect. It is not tried again before the
    /// next change.
    func settleIdle(of id: SessionID)
    /// Sets the idle times of all apps that have an idle command, in seconds. A session that says
    /// something else itself is not affected.
    func setIdleSeconds(_ seconds: [AppID: Int])

    /// The time by the store's servers, in milliseconds since 1970, or nil if the clock of this
    /// machine counts.
    var time: Milliseconds? { get }

    // MARK: Health

    /// Why changes are currently refused, for the log. It is nil if they are not.
    var refusalText: String? { get }
    /// Returns what has gone wrong since the last call, for the log.
    func takeReports() -> [StoreReport]
    /// The engine's own metrics, for the metrics page.
    var metrics: [StoreMetric] { get }
}

extension Engine {
    /// The clock of this machine counts.
    public var time: Milliseconds? { nil }

    /// Nothing is due.
    public var nextDue: Milliseconds? { nil }

    /// Nothing is due.
    public func takeDue(now: Milliseconds) -> DueSession? { nil }

    /// Nothing is due.
    public func postponeDue(of id: SessionID, until time: Milliseconds) {}

    /// Nothing is due.
    public func settleIdle(of id: SessionID) {}

    /// Nothing is due.
    public func setIdleSeconds(_ seconds: [AppID: Int]) {}

    /// Nobody shares the store.
    public var peers: Set<UInt64> { [] }

    /// Nobody asks.
    public func answerPeers(by answer: @escaping (PeerQuestion) -> PeerAnswer) {}

    /// Nobody is asked.
    public func askPeers(_ question: PeerQuestion) {}

    /// Nobody was asked.
    public func takePeerRounds() -> [PeerRound] { [] }
}

/// Reads backups of a store.
public protocol BackupReading: AnyObject {
    /// Begins a backup of the store's present contents.
    ///
    /// - Parameter token: a number that identifies the backup to the caller.
    /// - Returns: the ticket that must be kept before any part of the backup is shown.
    func begin(token: UInt64, at: Milliseconds) -> Ticket
    /// Starts reading the next piece of a backup. `takePieces` returns it after a wake-up.
    func read(token: UInt64)
    /// Ends a backup, whether it is complete or not.
    func end(token: UInt64)
    /// Returns the pieces that have been read since the last call.
    func takePieces() -> [BackupPiece]
}

/// The result of `Engine.collect`.
public struct Collected: Equatable, Sendable {
    /// Whether `keptUpTo` has advanced.
    public var hasAdvanced = false
    /// Whether every change with an ordered ticket after `keptUpTo` was rolled back because the
    /// disk is full.
    public var isRolledBack = false
    /// Whether the store refuses changes from now on. It is then unknown whether the changes with
    /// an ordered ticket after `keptUpTo` are kept.
    public var hasFailed = false
    /// The outcomes of changes with single tickets that have been decided.
    public var outcomes: [DecidedTicket] = []

    public init() {}
}

/// A piece of a backup.
public struct BackupPiece: Equatable, Sendable {
    /// The token of the backup.
    public var token: UInt64
    /// The bytes of the piece. It is empty at the end of the backup, and nil if the store could not
    /// be read.
    public var bytes: [UInt8]?

    public init(token: UInt64, bytes: [UInt8]?) {
        self.token = token
        self.bytes = bytes
    }
}

/// Something that went wrong independently of any request, for the log.
public struct StoreReport: Equatable, Sendable {
    /// The error, as a sentence.
    public var message: String
    /// The reason.
    public var error: String
    /// The affected file, if there is one.
    public var file: String?

    public init(_ message: String, error: String, file: String? = nil) {
        self.message = message
        self.error = error
        self.file = file
    }
}

/// A metric: one metric family on the metrics page.
public struct StoreMetric: Sendable {
    /// The value of a metric, by Prometheus's metric types.
    public enum Value: Sendable {
        /// A number that can rise and fall, as text.
        case gauge(String)
        /// A gauge that is always 1 and says something by its label.
        case info(label: String, value: String)
        /// A number that only rises, as text.
        case counter(String)
        /// Counters that differ in one label.
        case counters(label: String, [(value: String, count: Int)])
        /// A histogram of durations.
        case durations(Histogram)
        /// Histograms of durations that differ in their labels, as Prometheus writes them.
        case labeledDurations([(labels: String, Histogram)])
    }

    /// The name of the metric family.
    public var name: String
    /// The meaning of the metric, as a sentence.
    public var help: String
    /// The current value.
    public var value: Value

    public init(_ name: String, help: String, _ value: Value) {
        self.name = name
        self.help = help
        self.value = value
    }
}
