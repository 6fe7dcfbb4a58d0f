internal import Navigation
internal import Sessions

/// The changes of sessions that the loop has not taken yet, ordered by number. A change can be
/// taken once it is durable.
struct ChangeFeed {
    private var changes: [StoreChange] = []
    /// The room that is made for the next batch: as much as the last one needed, up to this.
    private static let capacityMax = 256
    /// The number of the last change that was taken. Before any has been taken, the last number
    /// that was durable at the start.
    private(set) var takenUpTo: SequenceNumber

    /// - Parameter sequence: the last number that was durable at the start.
    init(after sequence: SequenceNumber) { takenUpTo = sequence }

    /// The changes that have not been taken, without details.
    var changesLeft: [SessionChange] {
        changes.map { change in
            switch change {
            case .put(let put):
                SessionChange(id: put.id, revision: put.revision, sequence: put.sequence)
            case .deleted(let deletion):
                SessionChange(
                    id: deletion.id, revision: deletion.revision, sequence: deletion.sequence)
            }
        }
    }

    /// Adds a put.
    mutating func append(
        _ record: SessionRecord, _ sequence: SequenceNumber, for details: FeedDetails
    ) {
        var change = SessionChange(
            id: record.id, revision: record.revision, sequence: sequence)
        if case .records(let steps) = details {
            change.details = SessionChange.Details(
                StoredRecord(sequence: sequence, record: record), steps: steps[record.revision])
        }
        changes.append(.put(change))
    }

    /// Adds a deletion.
    mutating func append(_ deletion: Deletion) { changes.append(.deleted(deletion)) }

    /// Removes and returns the changes up to a number.
    mutating func take(upTo durable: SequenceNumber) -> [StoreChange] {
        guard let last = changes.lastIndex(where: { $0.sequence <= durable }) else { return [] }
        takenUpTo = changes[last].sequence
        if last == changes.count - 1 {
            let taken = changes
            changes = []
            changes.reserveCapacity(min(taken.count, Self.capacityMax))
            return taken
        }
        let taken = Array(changes[...last])
        changes.removeFirst(taken.count)
        return taken
    }

    /// Removes the changes after a number, because they were rolled back.
    mutating func rollBack(to sequence: SequenceNumber) {
        while let last = changes.last, last.sequence > sequence { changes.removeLast() }
    }
}

extension StoreChange {
    /// The number of the change's record.
    fileprivate var sequence: SequenceNumber {
        switch self {
        case .put(let change): change.sequence
        case .deleted(let deletion): deletion.sequence
        }
    }
}
