internal import Navigation
internal import Sessions

extension Replica {
    /// Takes a record without its event and its state. Nothing is announced then.
    func take(head record: NumberedRecord, size: Int) {
        let id = record.record.id
        apply(record, size: size)
        if !told.isEmpty { told[id] = nil }
        guard record.number < table.lastNumber(id) else { return }
        let place = StreamPlace(shard: layout.shard(of: id), number: record.number)
        let entry = record.revision.map {
            SharedEntry($0, born: record.record.born, at: place, size: size)
        }
        told[id] = ToldSession(entry: entry, number: record.number)
    }

    func take(
        _ record: NumberedRecord, of shard: Int
    ) -> [(change: StoreChange, writer: WriteID)] {
        let place = StreamPlace(shard: shard, number: record.number)
        let writer = record.record.writer
        var changes: [(change: StoreChange, writer: WriteID)] = []
        let former = tell(record, at: place)
        if let ended = end(of: former?.entry, by: record, at: place) {
            changes.append((.deleted(ended), writer))
        }
        switch record.record.content {
        case .revision(let revision):
            guard let stored = record.stored(in: shard) else { return changes }
            var change = SessionChange(
                id: revision.id, revision: revision.revision, sequence: place.sequence,
                details: SessionChange.Details(stored))
            change.followsGap = former?.isFollowed(by: record.record) == false
            changes.append((.put(change), writer))
        case .end(let tombstone):
            var deletion = Deletion(tombstone, at: place)
            if let ending = table.ending(tombstone.id), ending.number == record.number {
                deletion = ending.deletion
            } else if let entry = former?.entry {
                complete(&deletion, with: entry)
            }
            changes.append((.deleted(deletion), writer))
        }
        return changes
    }

    /// Takes the feed's statement on a session.
    ///
    /// - Returns: the statement before, if more was known than that or is known now.
    private func tell(_ record: NumberedRecord, at place: StreamPlace) -> ToldSession? {
        let id = record.record.id
        damage.clear(.session(id), before: record.number)
        let known = table.find(id)
        let last = table.lastNumber(id, known)
        var former = told.isEmpty ? nil : told.removeValue(forKey: id)
        if record.number > last {
            // The table has stated the same as the feed.
            former = former ?? ToldSession(entry: known.map { table[$0] }, number: last)
            put(record, of: known, at: place)
        } else if record.number < last {
            let entry = record.revision.map { SharedEntry($0, born: record.record.born, at: place) }
            told[id] = ToldSession(entry: entry, number: record.number)
        }
        return former
    }

    /// The end of a session that no message has recorded: the id of an expired session was used
    /// again.
    ///
    /// - Parameter entry: the session of that id as the feed has told it.
    private func end(
        of entry: SharedEntry?, by record: NumberedRecord, at place: StreamPlace
    ) -> Deletion? {
        guard let entry, let next = record.revision, entry.born != record.record.born else {
            return nil
        }
        var deletion = Deletion(
            id: entry.id, sequence: place.sequence, revision: entry.revision, at: next.at,
            why: .expired, key: nil)
        deletion.ticket = .none
        complete(&deletion, with: entry)
        return deletion
    }

    /// Completes the end of a session with what is known of it.
    private func complete(_ deletion: inout Deletion, with entry: SharedEntry) {
        (deletion.app, deletion.labels) = (entry.app, entry.labels)
        deletion.tokens = tokens(of: entry.id, born: entry.born)
    }
}

/// The feed's statement on a session.
struct ToldSession {
    /// The session as it was then; nil if there was none.
    let entry: SharedEntry?
    /// The stream sequence of the last message; 0 if there was none.
    let number: Int

    /// Whether no message of the session is missing before a revision. The messages of a session
    /// that ended a day ago may have been removed.
    func isFollowed(by record: SharedRecord) -> Bool {
        guard record.previous != number else { return true }
        guard case .revision(let revision) = record.content else { return false }
        return record.previous == 0 && revision.revision == 1
    }
}
