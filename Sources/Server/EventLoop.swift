package import API
internal import HTTP
internal import Navigation
package import POSIX
internal import Sessions
package import Storage

/// The loop. `run` returns when the server has been stopped.
package final class EventLoop {
    let options: ServerOptions
    let store: Store
    let service: Service
    let epoll: Epoll
    var listeners: [Listener]
    private let signals: FileDescriptor
    var connections = ConnectionTable()
    /// When to look at connections that nothing happens on.
    private var deadlines: DeadlineQueue
    private var events: [Epoll.Event] = []
    var queues = TurnQueues()
    /// The part with which the next turn begins.
    var firstPart = TurnPart.released
    /// What this turn has done, and the most that any turn has done.
    var work = TurnWork()
    var longestTurn = TurnWork()
    /// The units of `work` at which the part in work has used up its share.
    var shareEnd = 0
    var subscribers = Subscribers()
    var backups: [UInt64: BackupInWork] = [:]
    /// Changes that are not told yet, in their order.
    var announcements = Queue<PendingAnnouncement>()
    var telling: Telling?
    /// Events of all these changes that clients have not been told yet.
    var eventsOwed = 0
    var isAccepting = true
    /// When to try to accept again, without descriptors.
    var acceptsAgainAt: Int64?
    /// The number of open connections of each address that has any.
    var connectionsByAddress: [ClientAddress: Int] = [:]
    /// When to expire sessions again after the store has refused it.
    private var expiresAgainAt: Int64 = 0
    /// Bytes of long answers that were made in this turn.
    var longBytes = 0
    var budget: BufferBudget
    var limiters: RateLimiters
    var life = Life.serving
    /// The disk has failed; what was held has been answered.
    private var hasFailed = false
    /// The disk was full when it was last asked.
    private var isFull = false

    let log: Log
    var metrics = Metrics()
    let startedAt: Int64
    /// Reads the settings again on SIGHUP.
    private(set) var reloader: Reloader?
    /// For the ids of requests that bring none.
    let requestSeed: UInt64
    var requestNumber: UInt64 = 0

    /// Shared by all connections; their contents mean nothing between two of them.
    var input = [UInt8](repeating: 0, count: inputBytes)
    var output: [UInt8] = []
    /// A long body that comes after what is in `output`. It is not copied.
    var outputBody: [UInt8] = []
    /// Connections whose answers are held.
    var waiting: [UInt64] = []

    /// Milliseconds since the loop began, added to the wall clock's time then: it does not jump.
    private(set) var now: Int64
    private let clockOffset: Int64
    let clock: any LoopClock
    var date: DateField

    static let inputBytes = 64 << 10

    enum Token {
        static let signals: UInt64 = 1
        static let store: UInt64 = 2
        static let reload: UInt64 = 3
        static let firstListener: UInt64 = 16
    }

    /// - Parameters:
    ///   - listeners: bound and listening already.
    ///   - signals: what `Control.signals` gave.
    package init(
        options: ServerOptions, store: Store, service: Service, listeners: [Listener],
        signals: FileDescriptor, log: Log
    ) throws(SystemError) {
        self.options = options
        self.store = store
        self.service = service
        self.listeners = listeners
        budget = BufferBudget(bytesMax: options.bufferedBytesMax)
        limiters = RateLimiters(options)
        epoll = try Epoll()
        self.signals = signals
        self.log = log
        requestSeed = try Random.word()
        clock = options.clock
        startedAt = clock.wallMilliseconds
        clockOffset = startedAt - clock.steadyMilliseconds
        now = startedAt
        deadlines = DeadlineQueue(at: startedAt)
        date = DateField(unixSeconds: startedAt / 1000)
        try epoll.add(signals, .readable, token: Token.signals)
        try epoll.add(store.wakeDescriptor, .readable, token: Token.store)
        try watchListeners()
        service.environment.watchers = { [unowned self] in subscribers.count(of: $0) }
        service.environment.isWatched = { [unowned self] in subscribers.isWatched($0) }
        service.environment.reportUnreadable = { log.say(.error, $0) }
        service.environment.metrics = { [unowned self] in metricsPage() }
    }

    /// Has SIGHUP read the settings again.
    ///
    /// - Parameter read: called on a thread of its own; it waits for files and checks everything.
    package func reloadSettings(
        by read: @escaping @Sendable () throws(ReloadError) -> ReloadedSettings
    ) throws(SystemError) {
        let reloader = try Reloader(read)
        try epoll.add(reloader.wakeUp.descriptor, .readable, token: Token.reload)
        self.reloader = reloader
    }

    /// Serves until it is told to stop, then finishes what is in work.
    ///
    /// - Returns: false if it ended because the disk failed; what it said is in the store.
    package func run() throws(SystemError) -> Bool {
        while !isStopped { try turn() }
        return !hasFailed
    }

    /// One turn: waits until something happens or is due, and does what there is to do.
    ///
    /// - Parameter milliseconds: how long it waits at most; for tests.
    package func turn(waitingAtMost milliseconds: Int = .max) throws(SystemError) {
        let wait = min(timeout ?? .max, milliseconds)
        try epoll.wait(into: &events, timeoutMilliseconds: wait == .max ? nil : wait)
        tick()
        let began = clock.nanoseconds
        try sort()
        makeRoom()
        try takeParts()
        store.submit()
        store.tick(now: now)
        noteRefusal()
        try keepLife()
        if log.isWaiting { log.flush() }
        metrics.turns.add(clock.nanoseconds - began)
        if work.units > longestTurn.units { longestTurn = work }
    }

    /// Whether the last turn found nothing to do and left nothing for the next one.
    package var isQuiet: Bool { events.isEmpty && queues.isEmpty && !hasEventsToTell }

    /// Says when the disk is full, and when there is room again. A failure ends the loop, and is
    /// told by who runs it.
    private func noteRefusal() {
        guard (store.refusal == .full) != isFull else { return }
        isFull.toggle()
        if isFull {
            log.say(
                .warning, "the disk is full; changes are refused until there is space",
                [("error", store.refusalText ?? "")])
        } else {
            log.say(.notice, "there is space on the disk again")
        }
    }

    /// Tells what went wrong in the store's threads.
    private func tellTroubles() {
        for trouble in store.takeTroubles() {
            let message =
                switch trouble.kind {
                case .damage:
                    "a file of the log is damaged; sessions in it may be unreadable, and no backup "
                        + "can be made"
                case .compaction: "compaction failed; the log takes more space than it needs"
                case .files: "a file of the log could not be made or removed"
                }
            log.say(.error, message, [("error", trouble.text), ("file", trouble.path ?? "")])
        }
    }

    private var isStopped: Bool { hasFailed || life == .stopped }

    private func tick() {
        now = clockOffset + clock.steadyMilliseconds
        log.now = now
        work = TurnWork()
        shareEnd = 0
        longBytes = 0
        let seconds = clock.wallMilliseconds / 1000
        if date.unixSeconds != seconds { date = DateField(unixSeconds: seconds) }
    }

    /// Until the next deadline; nil when nothing is due.
    var timeout: Int? {
        guard queues.isEmpty, !hasEventsToTell, !budget.isExceeded else { return 0 }
        // Nobody tells when a pipe has room again.
        let logTime = log.isWaiting ? now + 100 : nil
        var next = Int64.max
        func consider(_ time: Int64?) { next = min(next, time ?? .max) }
        consider(deadlines.next)
        consider(nextExpiry)
        consider(store.nextTick)
        consider(lifeDeadline)
        consider(acceptsAgainAt)
        consider(logTime)
        return next == .max ? nil : Int(max(0, next - now))
    }

    /// Takes in what has happened: events of the store and signals at once, as they take little, and
    /// all others into queues.
    private func sort() throws(SystemError) {
        for event in events {
            switch event.token {
            case Token.signals:
                if let number = try Signals.next(signals) { try signalled(number) }
            case Token.store:
                collect()
            case Token.reload:
                takeReloaded()
            case ConnectionTable.firstToken...:
                guard let connection = connections[event.token] else { continue }
                connection.happened.formUnion(event.happened)
                enqueue(connection)
            default:
                let index = Int(event.token - Token.firstListener)
                guard index < listeners.count, !listeners[index].isQueued else { continue }
                listeners[index].isQueued = true
                queues.others.append(event.token)
            }
        }
    }

    /// Takes in what the store's threads have done.
    private func collect() {
        let collected = store.collect()
        if collected.isRolledBack {
            service.storeWentBack()
            forgetAnnouncements()
            release(refusingTheRest: .full)
        } else if collected.hasFailed {
            release(refusingTheRest: .unavailable)
            while showNext() {}
            hasFailed = true
        } else if collected.hasAdvanced {
            release()
        }
        for loaded in store.takeLoaded() { queues.loaded.append(loaded) }
        takeChunks()
        tellTroubles()
    }

    // MARK: - Time

    /// Sees to it that the connection is looked at when its next time has come. A time that moves
    /// away leaves the connection where it is in the queue; it is moved on when it comes up.
    func schedule(_ connection: Connection) {
        let time = connection.nextTime
        guard time != .max, time / 1000 + 1 < connection.bucket else { return }
        connection.bucket = deadlines.add(connection.place, at: time)
    }

    func forgetDeadline(of connection: Connection) { deadlines.remove(connection.place) }

    /// Looks at one connection whose time has come, or does what else is due.
    ///
    /// - Returns: false if nothing is due.
    func keepDeadline() -> Bool {
        if let again = acceptsAgainAt, again <= now { resumeAccepting() }
        if let next = nextExpiry, next <= now {
            expireSessions()
            return true
        }
        guard let place = deadlines.takeDue(at: now) else { return false }
        guard let connection = connections.at(place) else { return true }
        connection.bucket = .max
        if connection.wakesAt <= now { wake(connection) }
        perform(connection.state.expired(at: now), on: connection)
        if connections.holds(connection) { schedule(connection) }
        return true
    }

    /// When to expire sessions next.
    private var nextExpiry: Int64? { store.nextExpiry.map { max($0, expiresAgainAt) } }

    private func expireSessions() {
        guard !hasTooMuchToTell else {
            expiresAgainAt = now + 1
            return
        }
        do {
            let deletions = try store.expire(now: now, limit: Self.expiriesAtOnce)
            for deletion in deletions {
                announce([service.announcement(of: deletion)])
                work.spend(.request)
            }
        } catch {
            // The store logs the reason and refuses changes; it may have room again later.
            expiresAgainAt = now + Self.expiryPauseMilliseconds
        }
    }

    /// The number of sessions that expire in one element of a turn.
    private static let expiriesAtOnce = 100
    /// The wait after the store has refused to delete expired sessions.
    private static let expiryPauseMilliseconds: Int64 = 1_000
}
