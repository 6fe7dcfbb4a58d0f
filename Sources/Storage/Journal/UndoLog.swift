internal import Navigation
internal import Sessions

/// What has to be taken back if the disk turns out to be full: the changes since the last
/// durable one, oldest first.
struct UndoLog {
    struct Item {
        var sequence: UInt64
        var handle: SessionHandle
        var kind: Kind
        /// The entry as it was before.
        var prior: SessionEntry
        /// What few changes need.
        var more: More?
    }

    enum Kind {
        case created, changed, removed, app, tokens
    }

    final class More {
        var name: [UInt8] = []
        var undoRuns: [UndoRun]?
        var addedKeys: [UInt64] = []
        var removedKeys: [UInt64: KeptKeys.Place] = [:]
        var tokens: TokenTable.Row?
        var app: (id: AppID, document: StoredApp?)?
    }

    private var items: [Item] = []
    private var start = 0

    mutating func append(_ item: Item) { items.append(item) }

    /// Lets go of what is durable, oldest first.
    mutating func popFirst(upTo sequence: UInt64) -> Item? {
        guard start < items.count, items[start].sequence <= sequence else {
            if start == items.count, start > 0 {
                items.removeAll(keepingCapacity: start < 1 << 14)
                start = 0
            }
            return nil
        }
        start += 1
        return items[start - 1]
    }

    /// Takes the newest off.
    mutating func popLast() -> Item? {
        items.count > start ? items.popLast() : nil
    }
}
