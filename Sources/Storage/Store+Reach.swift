internal import Navigation

// Where undo and redo can go.
//
// A record says which revision's navigation it shows (its *cursor*). A step of undo goes from
// the cursor c to the record of revision c - 1, whose cursor is the next c. As long as nobody
// undoes, these are simply the revisions before, and nothing needs to be noted. After an undo
// they lie further back, beyond the 32 records that are kept anyway; so from then on the record
// names them (`reach`): the chain from the tip downwards, as long as it is not simply the last
// revisions again. Compaction keeps what the newest record of a session reaches.

extension Store {
    /// What the new record has to name; empty if it is simply the revisions before.
    func reach(
        of record: SessionRecord, _ handle: SessionHandle?
    ) throws(StoreError) -> [Reach] {
        let isPlain = record.cursor == record.revision && record.tip == record.revision
        guard let handle, !(isPlain && contents.reaches[handle] == nil) else { return [] }
        let candidates = try candidates(handle)
        var (items, cursor) = ([Reach](), Int64(record.tip))
        if record.tip != record.revision {
            guard let tip = candidates.first(where: { $0.revision == Int64(record.tip) }) else {
                return []
            }
            items.append(tip)
            cursor = tip.cursor
        }
        var undos = 0
        while items.count < Self.reachMax,
            cursor > Int64(record.cursor) || undos < record.undos,
            let next = candidates.first(where: { $0.revision == cursor - 1 })
        {
            items.append(next)
            if cursor <= Int64(record.cursor) { undos += 1 }
            cursor = next.cursor
        }
        return isPlain && Self.isPlain(items, below: Int64(record.revision)) ? [] : items
    }

    /// 32 steps of undo and more than 32 of redo, the record between them counted.
    private static let reachMax = 72

    private static func isPlain(_ items: [Reach], below revision: Int64) -> Bool {
        items.enumerated().allSatisfy { index, item in
            item.revision == revision - 1 - Int64(index) && item.cursor == item.revision
        }
    }

    /// The newest record and what it reaches.
    private func candidates(_ handle: SessionHandle) throws(StoreError) -> [Reach] {
        let entry = contents.index[handle]
        if let set = contents.reaches[handle] {
            let newest = Reach(
                revision: entry.revision, cursor: set.cursor, sequence: entry.sequence)
            return [newest] + set.items
        }
        var items = [
            Reach(revision: entry.revision, cursor: entry.revision, sequence: entry.sequence)
        ]
        let lowest = max(1, entry.revision - Contents.historyMax)
        var revision = entry.revision
        while revision > lowest {
            let found: [UInt8]?
            if revision == entry.revision {
                found = try newestLine(handle)
            } else {
                found = try older(revision, entry)
            }
            guard let found, let envelope = Envelope(found, 0..<found.count),
                envelope.previous > 0
            else { break }
            revision -= 1
            items.append(
                Reach(revision: revision, cursor: revision, sequence: envelope.previous))
        }
        return items
    }
}
