public import Navigation

/// When something is due in sessions: the time of their sheets, and their idle commands.
///
/// Only sessions in which something may become due are in here: those whose newest record says so,
/// and those of apps with an idle command. A session is queued for a second that is never later
/// than its deadline. A change does not move it in the queue; its deadline is looked at again when
/// it comes first. What is taken out comes back with the next change of the session, or when it is
/// postponed.
public struct Deadlines {
    /// The known deadlines of one session. All times are in seconds since 1970.
    public struct Item: Equatable, Sendable {
        fileprivate var sheets = Deadlines.never
        /// The session's own idle time, or `fromApp`.
        fileprivate var idle = Deadlines.fromApp
        fileprivate var due = Deadlines.never
        /// The second for which the session is in the queue; 0 if it is not in it.
        fileprivate var queuedFor: UInt32 = 0
    }

    private var items: [SessionHandle: Item] = [:]
    private var queue = ExpiryQueue()
    /// The idle times of apps that have an idle command.
    private var ofApps: [AppID: UInt32] = [:]
    /// The apps whose idle times have changed, and the place at which `renew` goes on with them.
    private var renewal: (apps: Set<AppID>, place: Int)?

    private static let never = UInt32.max
    private static let fromApp = UInt32.max

    public init() {}

    /// Whether no session has anything that may become due, and no app has an idle command. Every
    /// change asks for it. It is mutating so that this does not copy the tables' references.
    public var isEmpty: Bool { mutating get { items.isEmpty && ofApps.isEmpty } }

    /// The deadlines of a session.
    public subscript(handle: SessionHandle) -> Item? { items[handle] }

    // MARK: Changes

    /// Notes what a new record of a session says.
    ///
    /// - Parameter second: the second in which it was made, rounded up.
    public mutating func note(
        _ times: DueTimes, of handle: SessionHandle, at second: UInt32, app: AppID?
    ) {
        var item = Item()
        item.queuedFor = items[handle]?.queuedFor ?? 0
        item.sheets = times.sheetsExpireAt.map(ExpiryQueue.seconds) ?? Self.never
        item.idle = times.idleSeconds.map { UInt32(clamping: $0) } ?? Self.fromApp
        keep(item, of: handle, at: second, app: app)
    }

    private mutating func keep(
        _ item: Item, of handle: SessionHandle, at second: UInt32, app: AppID?
    ) {
        var item = item
        let own = item.idle == Self.fromApp ? app.flatMap { ofApps[$0] } ?? 0 : item.idle
        let (idle, isTooLate) = second.addingReportingOverflow(own)
        item.due = min(item.sheets, own == 0 || isTooLate ? Self.never : idle)
        let isPlain = item.sheets == Self.never && item.idle == Self.fromApp
        guard item.due != Self.never || !isPlain else { return items[handle] = nil }
        items[handle] = item
        enqueue(handle)
    }

    private mutating func enqueue(_ handle: SessionHandle) {
        guard let item = items[handle], item.due != Self.never,
            item.queuedFor == 0 || item.due < item.queuedFor
        else { return }
        queue(handle, for: item.due)
    }

    private mutating func queue(_ handle: SessionHandle, for second: UInt32) {
        items[handle]?.queuedFor = second
        queue.push(ExpiryQueue.Item(seconds: second, handle: handle))
    }

    /// Forgets a session.
    public mutating func remove(_ handle: SessionHandle) { items[handle] = nil }

    /// Takes a change of a session back.
    ///
    /// - Parameter item: what was known before the change.
    public mutating func restore(_ handle: SessionHandle, _ item: Item?) {
        items[handle] = item
        items[handle]?.queuedFor = 0
        enqueue(handle)
    }

    // MARK: What is due

    /// When there is something to do. Nil if nothing is queued.
    public var next: Milliseconds? {
        renewal != nil ? 0 : queue.first.map { Milliseconds($0.seconds) * 1000 }
    }

    /// Takes out a session in which something is due, if there is one.
    ///
    /// - Returns: also whether its idle command may be due.
    public mutating func takeDue(
        now: Milliseconds
    ) -> (handle: SessionHandle, mayBeIdle: Bool)? {
        while let first = queue.first, Milliseconds(first.seconds) * 1000 <= now {
            _ = queue.popFirst()
            guard let item = items[first.handle], item.queuedFor == first.seconds else { continue }
            items[first.handle]?.queuedFor = 0
            if Milliseconds(item.due) * 1000 <= now { return (first.handle, item.idle != 0) }
            enqueue(first.handle)
        }
        return nil
    }

    /// Brings a session back that was taken out: what is due in it could not be done.
    public mutating func postpone(_ handle: SessionHandle, until time: Milliseconds) {
        guard let item = items[handle], item.due != Self.never else { return }
        let second = max(item.due, ExpiryQueue.seconds(time))
        if item.queuedFor == 0 || second < item.queuedFor { queue(handle, for: second) }
    }

    /// Brings a session back without its idle command, which had no effect: it is not tried again
    /// before the next change.
    public mutating func settleIdle(_ handle: SessionHandle) {
        guard var item = items[handle] else { return }
        item.idle = 0
        item.due = item.sheets
        items[handle] = item
        enqueue(handle)
    }

    // MARK: Apps

    /// Sets the idle times of all apps that have an idle command, in seconds. Calls of `renew` have
    /// to follow as long as `isRenewing`.
    public mutating func setIdleSeconds(_ seconds: [AppID: Int]) {
        let new = seconds.mapValues { UInt32(clamping: $0) }
        guard new != ofApps else { return }
        var apps = renewal?.apps ?? []
        for (app, seconds) in new where ofApps[app] != seconds { apps.insert(app) }
        for app in ofApps.keys where new[app] == nil { apps.insert(app) }
        ofApps = new
        renewal = (apps, 0)
    }

    /// Whether the idle time of an app has changed, and not all of its sessions are known with it.
    public var isRenewing: Bool { renewal != nil }

    /// The place at which the sessions to renew go on.
    public var renewalPlace: Int { renewal?.place ?? 0 }

    /// Whether the idle time of the app has changed.
    public func isRenewing(_ app: AppID) -> Bool { renewal?.apps.contains(app) == true }

    /// Considers the new idle time of its app for a session.
    ///
    /// - Parameter second: the second in which the newest record was made, rounded up.
    public mutating func renew(_ handle: SessionHandle, at second: UInt32, app: AppID) {
        keep(items[handle] ?? Item(), of: handle, at: second, app: app)
    }

    /// Notes up to which place the sessions are renewed.
    ///
    /// - Parameter place: nil if all of them are.
    public mutating func renewed(upTo place: Int?) {
        if let place { renewal?.place = place } else { renewal = nil }
    }
}
