public import API
internal import HTTP
internal import Navigation
public import POSIX
public import Sessions

// The event loop: sockets on one side, the service and the store on the other.
//
// This module is one thread that waits in epoll(7) and nowhere else. It accepts, reads, gives bytes
// to the parser and requests to the service, holds answers until what they show is kept, writes,
// and keeps the deadlines. It knows no URL, no command and no rule, and of the store only `Engine`.
//
// One turn of the loop:
//
//     wait        epoll, until something happens or the next deadline
//     release     answers whose changes are now kept are written
//     sockets     read → parse → respond → encode;  accept;  write what could not be written before
//     clocks      deadlines of connections, expiry of sessions, what is due in sessions
//     deliver     streams and waiting reads get the changes of the store's feed
//     ask         other servers that share the store, who is watching
//     submit      the store carries out everything that the turn has changed, as one batch
//
// Each of these except the last two has its share of the turn (`FairShare`).
//
// The parts, each with state of its own, from the top down. A part calls only those below it, and
// learns from them by what they return.
//
//     EventLoop          one turn after another
//     Acceptor           listeners, the limits of connections, which connection makes room
//     ConnectionEvents   what the kernel and the clock report of a connection
//     DeferredAnswers    answers that are sent later than their request, streams, backups
//     HTTPDriver         one connection: read → parse → handle → write → next request
//     RequestHandler     a request to the service, its answer to the writer
//     DueSessions        the changes that nobody asks for: sheets whose time is over, idle commands
//     Transport          interest of the kernel, memory limit, closing
//     ResponseWriter     the one way by which bytes leave;  InputReader: by which they arrive
//     AnswerGate         answers that are held until they may be shown
//     StreamHub          who listens to what, and what is sent next;  BackupSender: the same
//     FairShare          the queues, and the work of a turn;  BufferBudget: the memory
//     RequestObserver    metrics, log, request ids, rate limits
//     OpenConnections    by token, by address, by deadline;  TurnClock: the time of the turn
//
// 1. Nothing blocks. If something is not in memory, the request is parked while the store loads it,
//    and then handled again.
// 2. An answer that shows changes that are not kept yet is encoded at once and held. If the store
//    refuses one of the changes, the held bytes are discarded and the client gets a problem
//    instead. If somebody else made a change first, the request is handled again from the
//    beginning.
// 3. A connection at rest has no buffer (`HTTPDriver`).
// 4. A connection has one request in work at a time (`ConnectionState`).
// 5. A connection is known by a token that is never used again, so a late event for a closed
//    connection matches no connection.
// 6. Deadlines, the ends of waiting reads and the heartbeats of streams are kept in one queue by
//    time. A connection is in it once at most. It is looked at when its time comes up, and not each
//    time its deadline moves. Waits end exactly, deadlines within a second.
// 7. At the limit of connections, or without descriptors, a connection that is idle or slow is
//    closed to make room (`Acceptor`). If there is none, the loop stops accepting for a moment, and
//    new connections wait in the kernel's queue.
// 8. What one client can use is limited: work in a turn (`FairShare`), bytes in buffers
//    (`BufferBudget`), connections, and optionally requests per second.

/// Serves clients until it is told to stop.
public final class EventLoop {
    let parts: LoopParts
    private var poller: Poller
    private let transport: Transport
    private let deferred: DeferredAnswers
    private let connectionEvents: ConnectionEvents
    private let acceptor: Acceptor
    private let monitor: StoreMonitor
    private let due: DueSessions
    private var lifecycle: Lifecycle
    private var reloader: Reloader?

    /// Prepares to serve; clients are accepted from the first turn on.
    public init(
        options: ServerOptions, store: any Engine, service: Service, sockets: ServerSockets,
        log: Log
    ) throws(SystemError) {
        parts = LoopParts(options: options, store: store, service: service, log: log)
        poller = try Poller(signals: sockets.signals)
        transport = Transport(parts, epoll: poller.epoll)
        let driver = HTTPDriver(parts, transport: transport)
        deferred = DeferredAnswers(parts, driver: driver)
        connectionEvents = ConnectionEvents(parts, driver: driver, deferred: deferred)
        acceptor = try Acceptor(
            parts, transport: transport, listeners: sockets.listeners, events: connectionEvents,
            epoll: poller.epoll)
        monitor = StoreMonitor(parts)
        due = DueSessions(parts)
        lifecycle = Lifecycle(parts)
        try poller.watch(number: store.wakeDescriptorNumber, token: Poller.Token.store)
        let streams = parts.streams
        service.environment.random = { Random.word() }
        service.environment.watchers = { [unowned streams] in streams.count(of: $0) }
        service.environment.watcherList = { [unowned streams] in streams.watchers(of: $0) }
        service.environment.audience = { [unowned streams] in streams.audience(of: $0) }
        store.answerPeers { [unowned streams] in streams.answer($0) }
        service.environment.wantsSteps = { [unowned streams] in streams.wantsSteps($0) }
        service.environment.signal = { [unowned streams] in streams.tell($0) }
        service.environment.tellPeers = { if !store.peers.isEmpty { store.askPeers($0) } }
        service.environment.reportUnreadable = { log.say(.error, $0) }
        service.environment.metrics = { [unowned self] in MetricsPage(parts).bytes }
    }

    /// Makes SIGHUP read the settings again. Otherwise it ends the server like SIGTERM.
    ///
    /// - Parameter read: called on a thread of its own; it waits for files and checks everything.
    public func reloadSettings(
        by read: @escaping @Sendable () throws(ReloadError) -> ReloadedSettings
    ) throws(SystemError) {
        let reloader = try Reloader(parts, read)
        try poller.watch(reloader.wakeDescriptor, token: Poller.Token.reload)
        self.reloader = reloader
    }

    /// Adds a connection that was accepted, or refuses it if its address has too many.
    public func welcome(
        _ accepted: Socket.Accepted, isForMetrics: Bool = false
    ) throws(SystemError) {
        try acceptor.welcome(accepted, isForMetrics: isForMetrics)
    }

    // MARK: - Turns

    /// Serves until it is told to stop, then finishes the requests in work.
    ///
    /// - Returns: false if it ended because the disk failed; the store has the reason.
    public func run() throws(SystemError) -> Bool {
        while !lifecycle.isOver { try turn() }
        return !lifecycle.hasFailed
    }

    /// One turn: waits until something happens or is due, and does what there is to do.
    ///
    /// - Parameter milliseconds: the longest wait; for tests.
    public func turn(waitingAtMost milliseconds: Int = .max) throws(SystemError) {
        try poller.wait(atMost: min(timeout ?? .max, milliseconds))
        parts.clock.tick(storeTime: parts.store.time)
        parts.observer.beginTurn()
        parts.share.beginTurn()
        let began = parts.clock.nanoseconds
        for event in poller.events { try dispatch(event) }
        due.takeIdleTimes()
        transport.makeRoom()
        try parts.share.forEachPart { part throws(SystemError) in try take(part) }
        parts.streams.askPeers(of: parts.store)
        parts.store.submit()
        parts.store.tick(now: parts.clock.now)
        if monitor.reportRefusal() { deferred.endStreams() }
        if lifecycle.beginsToStop() {
            try acceptor.stop()
            connectionEvents.drain()
        }
        lifecycle.stopIfDone()
        acceptor.resumeIfPossible()
        parts.observer.endTurn(began: began)
        parts.share.endTurn()
    }

    /// Whether the last turn found nothing to do and left nothing for the next one.
    public var isQuiet: Bool {
        poller.events.isEmpty && !hasWork && !parts.streams.hasEventsToDeliver && !due.isBusy
    }

    /// Changes that wait until streams have received earlier ones do not count as work. The
    /// earlier changes may be undecided, and nothing can be done until they are.
    private var hasWork: Bool {
        parts.share.hasWork(takesChanges: !parts.streams.isFarBehind)
            || parts.gate.releasedCount > 0
    }

    /// Milliseconds until something is due, or nil if nothing is.
    var timeout: Int? {
        guard !hasWork, !parts.streams.hasEventsToDeliver, !parts.budget.isExceeded else {
            return 0
        }
        let now = parts.clock.now
        // The kernel does not report when a pipe has room again.
        let logTime = parts.log.isWaiting ? now + 100 : nil
        var next = Int64.max
        func consider(_ time: Int64?) { next = min(next, time ?? .max) }
        consider(parts.connections.nextDeadline)
        consider(monitor.nextExpiry)
        consider(due.nextTime)
        consider(parts.streams.nextTime)
        consider(parts.store.nextTick)
        consider(lifecycle.deadline)
        consider(acceptor.retryTime)
        consider(logTime)
        return next == .max ? nil : Int(max(0, next - now))
    }

    // MARK: - Events

    /// Handles signals and the store's events at once, as they take little time, and queues all
    /// others.
    private func dispatch(_ event: Epoll.Event) throws(SystemError) {
        switch event.token {
        case Poller.Token.signals:
            guard let number = try poller.nextSignal() else { return }
            if number == Signals.hangUp, let reloader {
                reloader.begin()
            } else {
                lifecycle.terminate()
            }
        case Poller.Token.store: collect()
        case Poller.Token.reload: reloader?.finish()
        case ConnectionTable.firstToken...:
            guard let connection = parts.connections[event.token] else { return }
            parts.share.enqueue(connection, event.happened)
        default: acceptor.enqueue(event.token)
        }
    }

    /// Takes the results of the store's work.
    private func collect() {
        let collected = parts.store.collect()
        let changes = parts.store.takeChanges()
        for index in changes.indices { parts.streams.announce(changes.span[index]) }
        monitor.reportReading()
        parts.service.settle(collected.outcomes)
        parts.gate.settle(collected.outcomes)
        reloader?.settle(collected.outcomes)
        due.settle(collected.outcomes)
        if collected.isRolledBack {
            parts.service.storeWentBack()
            parts.gate.release(refusingOthers: parts.store.refusal ?? .full)
        } else if collected.hasFailed {
            parts.gate.release(refusingOthers: .unavailable)
            while deferred.sendReleased() {}
            lifecycle.fail()
        } else if collected.hasAdvanced {
            parts.gate.release()
        }
        for loaded in parts.store.takeLoaded() where !due.take(loaded) {
            parts.share.enqueue(loaded)
        }
        deferred.sendBackups()
        monitor.reportTroubles()
    }

    // MARK: - Parts of a turn

    private func take(_ part: TurnPart) throws(SystemError) {
        // Elements that are added meanwhile wait for the next turn.
        var left = count(of: part)
        while left > 0, !parts.share.isUsedUp, try takeElement(of: part) {
            parts.share.spend(.element)
            left -= 1
        }
    }

    private func count(of part: TurnPart) -> Int {
        switch part {
        case .released: parts.gate.releasedCount
        case .loaded: parts.share.loadedCount
        case .asking: parts.share.count(of: .asking)
        case .askingForLong: parts.share.count(of: .askingForLong)
        case .others: parts.share.count(of: .others)
        case .deadlines, .due, .delivering: .max
        case .changes: parts.share.count(of: .changes)
        }
    }

    /// - Returns: false if there is nothing to do now.
    private func takeElement(of part: TurnPart) throws(SystemError) -> Bool {
        switch part {
        case .released: return deferred.sendReleased()
        case .loaded: return deferred.answerLoaded()
        case .asking: return serveNext(of: .asking)
        case .askingForLong: return serveNext(of: .askingForLong)
        case .others:
            guard let token = parts.share.next(of: .others) else { return false }
            if token < ConnectionTable.firstToken {
                try acceptor.accept(at: token)
            } else {
                connectionEvents.serve(token)
            }
            return true
        case .deadlines: return keepDeadline()
        case .due: return due.carryOutNext()
        case .delivering: return deferred.deliverNext()
        case .changes: return deferred.answerChange()
        }
    }

    private func serveNext(of queue: FairShare.ConnectionQueue) -> Bool {
        guard !parts.budget.isExceeded, let token = parts.share.next(of: queue) else {
            return false
        }
        connectionEvents.serve(token)
        return true
    }

    /// Expires sessions, or looks at one connection whose time has come.
    ///
    /// - Returns: false if nothing is due.
    private func keepDeadline() -> Bool {
        if monitor.expireIfDue() { return true }
        guard let connection = parts.connections.takeDue(at: parts.clock.now) else { return false }
        connectionEvents.keepDeadline(connection)
        return true
    }
}
