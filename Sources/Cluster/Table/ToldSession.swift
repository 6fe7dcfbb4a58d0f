internal import Sessions

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
