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
    var subscribers = Subscribers()
    var backups: [UInt64: BackupInWork] = [:]
    /// What has been changed and is not told yet, in the order of the changes.
    var announcements: [Announcement] = []
    var isAccepting = true
    /// When to try to accept again, without descriptors.
    var acceptsAgainAt: Int64?
    /// The number of open connections of each address that has any.
    var connectionsByAddress: [ClientAddress: Int] = [:]
    /// Connections with requests that wait for their turn.
    var unfinished: [UInt64] = []
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
    /// How long those that can wait are looked after in a turn.
    private static let othersNanoseconds: Int64 = 50_000

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
        service.watchers = { [unowned self] in subscribers.count(of: $0) }
        service.isWatched = { [unowned self] in subscribers.isWatched($0) }
        service.reportUnreadable = { log.say(.error, $0) }
        service.metrics = { [unowned self] in metricsPage() }
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
        longBytes = 0
        makeRoom()
        takeTurns()
        for event in events where !canWait(event) { try handle(event) }
        try handleThoseThatCanWait(events)
        keepDeadlines()
        takeAnnouncements()
        store.submit()
        store.tick(now: now)
        noteRefusal()
        try keepLife()
        if log.isWaiting { log.flush() }
    }

    /// Whether the last turn found nothing to do and left nothing for the next one.
    package var isQuiet: Bool { events.isEmpty && unfinished.isEmpty }

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
        let seconds = clock.wallMilliseconds / 1000
        if date.unixSeconds != seconds { date = DateField(unixSeconds: seconds) }
    }

    /// Until the next deadline; nil when nothing is due.
    private var timeout: Int? {
        guard unfinished.isEmpty, !budget.isExceeded else { return 0 }
        // Nobody tells when a pipe has room again.
        let logTime = log.isWaiting ? now + 100 : nil
        var next = Int64.max
        func consider(_ time: Int64?) { next = min(next, time ?? .max) }
        consider(deadlines.next)
        consider(store.nextExpiry)
        consider(store.nextTick)
        consider(lifeDeadline)
        consider(acceptsAgainAt)
        consider(logTime)
        return next == .max ? nil : Int(max(0, next - now))
    }

    /// Who asks comes first. Those who come, who go, and who take what they are owed have a short
    /// while behind them; of the rest the kernel tells again, behind those who have asked meanwhile.
    private func handleThoseThatCanWait(_ events: [Epoll.Event]) throws(SystemError) {
        let end = clock.nanoseconds + Self.othersNanoseconds
        for event in events where canWait(event) {
            try handle(event)
            if clock.nanoseconds > end { return }
        }
    }

    private func canWait(_ event: Epoll.Event) -> Bool {
        event.token >= Token.firstListener
            && (event.token < ConnectionTable.firstToken || !event.happened.isSubset(of: .input))
    }

    private func handle(_ event: Epoll.Event) throws(SystemError) {
        switch event.token {
        case Token.signals:
            if let number = try Signals.next(signals) { try signalled(number) }
        case Token.store:
            collect()
        case Token.reload:
            takeReloaded()
        case ConnectionTable.firstToken...:
            if let connection = connections[event.token] { serve(connection, event.happened) }
        default:
            try accept(listeners[Int(event.token - Token.firstListener)])
        }
    }

    /// Takes in what the store's threads have done.
    private func collect() {
        let collected = store.collect()
        if collected.isRolledBack {
            service.storeWentBack()
            announcements.removeAll { $0.sequence > store.durable }
            release(refusingTheRest: .full)
        } else if collected.hasFailed {
            release(refusingTheRest: .unavailable)
            hasFailed = true
        } else if collected.hasAdvanced {
            release()
            announce()
        }
        takeLoaded()
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

    private func keepDeadlines() {
        while let place = deadlines.takeDue(at: now) {
            guard let connection = connections.at(place) else { continue }
            connection.bucket = .max
            if connection.wakesAt <= now { wake(connection) }
            perform(connection.state.expired(at: now), on: connection)
            if connections.holds(connection) { schedule(connection) }
        }
        if let again = acceptsAgainAt, again <= now {
            resumeAccepting()
        }
        if let next = store.nextExpiry, next <= now { expireSessions() }
    }

    private func expireSessions() {
        do {
            for deletion in try store.expire(now: now, limit: 1000) { service.announce(deletion) }
        } catch {
            // The store says by `failure` what is wrong, and who asks for changes is told.
        }
    }

    /// Changes of this turn are told when they are durable, which they may be already.
    private func takeAnnouncements() {
        guard !service.announcements.isEmpty else { return }
        announcements += service.announcements
        service.announcements.removeAll()
        announce()
    }
}
