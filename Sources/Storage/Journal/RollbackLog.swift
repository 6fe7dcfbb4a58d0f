internal import Navigation
internal import POSIX
package import Sessions

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
    package init(
        sequence: UInt64, handle: SessionHandle, kind: RollbackLog.Kind, prior: SessionEntry,
        more: RollbackLog.More?
    ) {
        self.init(sequence: sequence, kind: kind, handle: handle, prior: prior, more: more)
    }
}

/// The changes that have to be rolled back if the disk turns out to be full: those since the last
/// durable one, oldest first.
package struct RollbackLog {
    /// A change, and what it replaced.
    package struct Item {
        /// The number of the change.
        package var sequence: UInt64
        /// The kind of change.
        package var kind: Kind
        /// The session. Not used for apps.
        package var handle: SessionHandle
        /// The previous entry.
        package var prior: SessionEntry
        /// Values that only few changes need.
        package var more: More?
    }

    /// The kinds of changes.
    package enum Kind: Sendable {
        case created, changed, removed, app, tokens
    }

    /// Values that only few changes need to be rolled back.
    package final class More {
        var name: [UInt8] = []
        var undoRuns: [UndoRun]?
        var deadline: Deadlines.Item?
        var addedKeys: [UInt64] = []
        var removedKeys: [UInt64: IdempotencyKeys.Place] = [:]
        var tokens: TokenTable.Row?
        var app: (id: AppID, document: StoredApp?)?

        package init() {}
    }

    /// The number of empty slots that the log may keep even if it has few changes.
    package static let slack = 1024

    private var items: [Item] = []
    private var start = 0

    /// No changes.
    package init() {}

    /// The number of slots that take memory, including empty ones.
    package var slotCount: Int { items.count }

    /// Adds the newest change.
    package mutating func append(_ item: consuming Item) { items.append(item) }

    /// Removes the oldest change and returns it, if it is not after the number.
    package mutating func popFirst(upTo sequence: UInt64) -> Item? {
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
    package mutating func popLast() -> Item? {
        guard items.count > start, let item = items.popLast() else { return nil }
        return item
    }
}
