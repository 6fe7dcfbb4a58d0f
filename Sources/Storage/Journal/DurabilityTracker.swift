internal import Navigation
internal import POSIX
internal import Sessions

/// The loop's knowledge of the disk: how far changes are durable, whether the disk is full, and
/// whether it has failed.
///
///     failure       ends when
///     full, noFile  there was room, and a next file, at an attempt after the rollback
///     unavailable   never
final class DurabilityTracker {
    /// The highest number that a power failure cannot undo.
    private(set) var durable: SequenceNumber
    /// Why changes are refused, if they are.
    private(set) var failure: StoreError?
    /// The number of rollbacks.
    private(set) var rollbacks = 0
    private var failureReason: String?
    /// Why the next file could not be made, at the last attempt.
    private var roomError: SystemError? { didSet { growthRefusal = roomError?.refusal } }
    /// Why changes that need room are refused, if there is no next file to change to.
    private(set) var growthRefusal: StoreError?
    /// The number of attempts to find room, as of the last `update`.
    private var roomTries = 0
    private var lastRoomRequest: Milliseconds = 0
    /// The number of times that room was looked for.
    private(set) var roomRequests = 0
    private let threads: StoreThreads
    private let pendingBytesMax: Int

    init(_ threads: StoreThreads, durable: SequenceNumber, pendingBytesMax: Int) {
        self.threads = threads
        self.durable = durable
        self.pendingBytesMax = pendingBytesMax
        roomError = threads.journal.status.roomError
        growthRefusal = roomError?.refusal
    }

    /// Whether there is no next file to change to.
    var hasNoRoom: Bool { growthRefusal != nil }

    /// Why changes are refused, as text.
    var failureText: String? { failureReason }
    /// The same, or why changes that need room are refused.
    var refusalText: String? { failureReason ?? roomError?.description }

    /// Throws if a change must not be written now.
    ///
    /// - Parameters:
    ///   - isGrowth: whether the change needs room permanently. Deletions are accepted while
    ///     there is little.
    ///   - waitingBytes: the number of bytes that wait for the disk.
    func refuseIfUnable(isGrowth: Bool, waitingBytes: Int) throws(StoreError) {
        if let failure { throw failure }
        if isGrowth, let growthRefusal { throw growthRefusal }
        if waitingBytes > pendingBytesMax { throw .busy }
    }

    /// Reads what the journal and the maintenance thread have done.
    ///
    /// - Returns: what has changed, and the rollback that the caller has to perform, which it then
    ///   confirms with `didRollBack`.
    func update() -> (collected: Collected, rollback: Rollback?) {
        let status = threads.journal.status
        let released = threads.journal.released
        var collected = Collected()
        collected.hasAdvanced = released > durable
        durable = max(durable, released)
        roomError = status.roomError
        if failure?.refusesOnlyChanges == true, !hasNoRoom, status.roomTries > roomTries {
            (failure, failureReason) = (nil, nil)
        }
        roomTries = status.roomTries
        switch status.condition {
        case .working: return (collected, nil)
        case .rolledBack(let rollback):
            collected.isRolledBack = true
            return (collected, rollback)
        case .failed(let error):
            collected.hasFailed = failure != .unavailable
            failure = .unavailable
            failureReason = error.description
            return (collected, nil)
        }
    }

    /// Refuses changes until there is room, and lets the journal continue.
    func didRollBack(_ rollback: Rollback) {
        rollbacks += 1
        failure = rollback.error.refusal
        failureReason = rollback.error.description
        lastRoomRequest = 0
        threads.journal.resume()
    }

    // MARK: Time

    private static let roomRequestInterval: Milliseconds = 1000

    /// Whether changes are refused until there is room.
    var wantsRoom: Bool { failure?.refusesOnlyChanges == true || hasNoRoom }

    /// When to look for room next, or nil while there is no need.
    var nextRoomRequest: Milliseconds? {
        wantsRoom ? lastRoomRequest + Self.roomRequestInterval : nil
    }

    /// Has the maintenance thread look for room, if it is time.
    func requestRoom(now: Milliseconds) {
        guard let next = nextRoomRequest, now >= next else { return }
        lastRoomRequest = now
        roomRequests += 1
        threads.makeRoom()
    }
}

extension SystemError {
    /// How the store refuses changes after this, if it may pass.
    fileprivate var refusal: StoreError { isFull ? .full : .noFile }
}
