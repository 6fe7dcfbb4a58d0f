internal import Navigation
internal import Sessions

// The records that undo and redo lead to.
//
// A session's stacks name revisions, and a revision is found by going back from record to record
// (`prev`). The last 32 are always kept, so a stack that is simply the last revisions needs no
// more. Any other stack is written into the record, run by run, with the number of the highest
// record of each run: from there the others of the run are found by `prev` as well. So the newest
// record alone tells compaction and the next start which records to keep.

/// Records that a stack names: revisions that rise or fall by one.
struct UndoRun: Equatable, Sendable {
    var revisions: RevisionStack.Run
    /// The number of the highest revision's record; 0 if it is not written yet.
    var sequence: SequenceNumber

    func contains(_ revision: Int64) -> Bool {
        let (a, b) = (revisions.bottom, revisions.top)
        return revision >= Int64(min(a, b)) && revision <= Int64(max(a, b))
    }
}

/// The runs that a record names for each stack. Nil for a stack that is empty or consists of the
/// revisions directly before.
struct UndoRuns: Equatable, Sendable {
    var undo: [UndoRun]?
    var redo: [UndoRun]?

    static let none = UndoRuns()

    var isEmpty: Bool { undo == nil && redo == nil }
    var all: [UndoRun] { (undo ?? []) + (redo ?? []) }
    var count: Int { (undo?.count ?? 0) + (redo?.count ?? 0) }

    /// The same with the number of a record that has been written meanwhile.
    func naming(_ written: SequenceNumber) -> UndoRuns {
        func named(_ runs: [UndoRun]?) -> [UndoRun]? {
            runs?.map { run in
                run.sequence > 0 ? run : UndoRun(revisions: run.revisions, sequence: written)
            }
        }
        return UndoRuns(undo: named(undo), redo: named(redo))
    }
}

// MARK: - Reading

extension RecordHeader {
    /// The revisions that undo and redo of a put lead to.
    func undoing(_ bytes: [UInt8]) -> UndoStacks {
        if undo.isOfOldVersion { return UndoStacks() }
        let runs = undoRuns(bytes)
        var stacks = UndoStacks(steps: Int(undo.steps), before: Int(session.revision))
        if let undo = runs.undo { stacks.undo = RevisionStack(undo.map(\.revisions)) }
        if let redo = runs.redo { stacks.redo = RevisionStack(redo.map(\.revisions)) }
        return stacks
    }

    /// Whether the record names other records for undo or redo.
    var namesUndoRuns: Bool { undo.undo != nil || undo.redo != nil }

    /// The runs that a put names. A stack that cannot be one of this session counts as empty.
    func undoRuns(_ bytes: [UInt8]) -> UndoRuns {
        func runs(_ piece: Piece?) -> [UndoRun]? {
            piece.map { checked(Self.runs(RecordJSON.triples(bytes, $0.range))) }
        }
        return UndoRuns(undo: runs(undo.undo), redo: runs(undo.redo))
    }

    private func checked(_ runs: [UndoRun]) -> [UndoRun] {
        RevisionStack.isStack(runs.map(\.revisions), before: Int(session.revision)) ? runs : []
    }

    private static func runs(
        _ triples: [(first: Int64, second: Int64, number: UInt64)]
    ) -> [UndoRun] {
        triples.map { item in
            UndoRun(
                revisions: RevisionStack.Run(bottom: Int(item.first), top: Int(item.second)),
                sequence: item.number)
        }
    }
}
