internal import Navigation
internal import Sessions

/// Writes a mark when the log has been idle for a while. The mark says that the last batch is
/// durable; without it, a start could not tell damage in that batch from a torn tail.
final class IdleMarker {
    /// The number up to which no mark is wanted: the last mark, or what was durable at the start.
    private(set) var markedUpTo: SequenceNumber
    private let log: LogWriter
    private let delay: Milliseconds
    private let isEnabled: Bool
    /// When the log was first seen idle, and its newest number then.
    private var idleSince: Milliseconds?
    private var idleAt: SequenceNumber = 0

    init(_ log: LogWriter, _ options: StoreOptions, markedUpTo: SequenceNumber) {
        self.log = log
        delay = options.markAfterMilliseconds
        isEnabled = options.fsync != .never
        self.markedUpTo = markedUpTo
    }

    private var isWanted: Bool { isEnabled && log.last > markedUpTo }

    /// When to call `mark` next, or nil while there is nothing to mark or a sync is under way,
    /// which wakes the loop itself.
    var nextTick: Milliseconds? {
        isWanted && log.isSynced ? (idleSince ?? 0) + delay : nil
    }

    /// Writes a mark if it is time.
    ///
    /// - Returns: whether there is a mark to submit.
    func mark(now: Milliseconds) -> Bool {
        guard isWanted else { return false }
        guard idleAt == log.last, let since = idleSince else {
            (idleAt, idleSince) = (log.last, now)
            return false
        }
        guard now - since >= delay, log.isSynced else { return false }
        log.appendMark(at: now)
        markedUpTo = log.last
        idleSince = nil
        return true
    }
}
