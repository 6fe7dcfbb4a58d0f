internal import JSON
internal import Navigation
internal import Sessions

/// A change in the form in which streams get it.
struct MissedChange {
    let stored: StoredRecord
    /// The steps from the revision before as JSON, or nil if the stream does not want them, and for
    /// the first revision of a session.
    var steps: [UInt8]?

    /// What streams are told of the change.
    func event(_ tag: EntityTagMember) -> StreamEvent {
        .change(stored, tag: tag, steps: steps)
    }
}

extension RequestContext {
    /// The changes of a session with their steps.
    ///
    /// - Parameters:
    ///   - changes: consecutive changes of the session, newest first.
    /// - Returns: nil if the revision before the first of them is no longer kept, or if there are
    ///   more than one request may examine.
    func withSteps(
        _ changes: [StoredRecord], of handle: SessionHandle
    ) throws(OperationError) -> [MissedChange]? {
        guard let oldest = changes.last else { return [] }
        let first = oldest.record.revision - 1
        let before = first > 0 ? try revision(first, of: handle) : nil
        guard first == 0 || before != nil else { return nil }
        let bytes = (changes + (before.map { [$0] } ?? [])).reduce(0) { $0 + $1.record.state.count }
        guard work.canAfford(.parsing(bytes: bytes)) else { return nil }
        try within(budgetFor: .request) { () throws(WorkBudgetError) in
            try work.spend(.parsing(bytes: bytes))
        }
        var state = try before.map { stored throws(OperationError) in try session(stored).state }
        var missed: [MissedChange] = []
        for change in changes.reversed() {
            let next = try session(change).state
            let steps = state.map { SessionEncoder.encode($0.steps(to: next)) }
            missed.append(MissedChange(stored: change, steps: steps))
            state = next
        }
        return missed.reversed()
    }
}
