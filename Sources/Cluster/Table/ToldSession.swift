internal import Navigation
internal import Sessions

extension Replica {
    /// The end of a session that nobody has written: the id of an expired session was used again.
    ///
    /// - Parameter entry: the session of that id as the feed has told it.
    func end(
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
    func complete(_ deletion: inout Deletion, with entry: SharedEntry) {
        (deletion.app, deletion.labels) = (entry.app, entry.labels)
        deletion.tokens = tokens(of: entry.id, born: entry.born)
    }
}

/// What the feed has told of a session.
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
