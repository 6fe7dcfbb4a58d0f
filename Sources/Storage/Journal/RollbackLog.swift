internal import Navigation
internal import POSIX
public import Sessions

/// Where the journal went back to after the disk was full.
struct Rollback: Sendable {
    /// The file that is written to, or nil if only the next one was missing.
    var segment: Segment?
    /// Where that file ends now.
    var end: Int
    /// The last record that remains.
    var sequence: UInt64
    /// The number of the next file.
    var next: Int
    /// The error that the disk reported.
    var error: SystemError
}

extension RollbackLog.Item {
    public init(
        sequence: UInt64, handle: SessionHandle, kind: RollbackLog.Kind, prior: SessionEntry,
        more: RollbackLog.More?
    ) {
        self.init(sequence: sequence, kind: kind, handle: handle, prior: prior, more: more)
    }
}

/// The changes that have to be rolled back if the disk turns out to be full: those since the last
/// durable one, oldest first.
public struct RollbackLog {
    /// A change, and what it replaced.
    public struct Item {
        /// The number of the change.
        public var sequence: UInt64
        /// The kind of change.
        public var kind: Kind
        /// The session. Not used for apps.
        public var handle: SessionHandle
        /// The previous entry.
        public var prior: SessionEntry
        /// Values that only few changes need.
        public var more: More?
    }

    /// The kinds of changes.
    public enum Kind: Sendable {
        case created, changed, removed, app, tokens
    }

    /// Values that only few changes need to be rolled back.
    public final class More {
        var name: [UInt8] = []
        var undoRuns: [UndoRun]?
        var deadline: Deadlines.Item?
        var addedKeys: [UInt64] = []
        var removedKeys: [UInt64: IdempotencyKeys.Place] = [:]
        var tokens: TokenTable.Row?
        var app: (id: AppID, document: StoredApp?)?

        public init() {}
    }

    /// The number of empty slots that the log may keep even if it has few changes.
    public static let slack = 1024

    private var items: [Item] = []
    private var start = 0

    /// No changes.
    public init() {}

    /// The number of slots that take memory, including empty ones.
    public var slotCount: Int { items.count }

    /// Adds the newest change.
    public mutating func append(_ item: consuming Item) { items.append(item) }

    /// Removes the oldest change and returns it, if it is not after the number.
    public mutating func popFirst(upTo sequence: UInt64) -> Item? {
        guard start < items.count, items[start].sequence <= sequence else { return nil }
        let item = items[start]
        items[start].more = nil
        start += 1
        // Under load some change is always waiting for its sync, so the log is never empty.
        // Removing half of the slots at a time moves each item at most once on average.
        if start == items.count || start > Self.slack && start * 2 > items.count {
            items.removeSubrange(..<start)
            start = 0
        }
        return item
    }

    /// Removes the newest change and returns it.
    public mutating func popLast() -> Item? {
        guard items.count > start, let item = items.popLast() else { return nil }
        return item
    }
}
