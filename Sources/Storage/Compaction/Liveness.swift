internal import Navigation
internal import Sessions

/// Tells which records compaction must keep. A record that cannot be read is kept as well.
struct Liveness {
    let state: StoreState
    let segments: SegmentList

    /// Whether each record of the question is alive.
    func areAlive(_ question: Compaction.Question) -> [Bool] {
        let others = segments.all.filter { segment in
            !question.segments.contains { $0 === segment }
        }
        return question.headers.map { header in
            guard let header else { return true }
            return isAlive(header, question.bytes, others: others)
        }
    }

    /// - Parameter others: the files that are not being compacted.
    private func isAlive(_ header: RecordHeader, _ bytes: [UInt8], others: [Segment]) -> Bool {
        switch header.kind {
        case .put: return isInReach(header, bytes) || hasKeptKey(header, bytes)
        case .delete:
            return hasKeptKey(header, bytes)
                || others.contains { Self.mayHold($0, from: header.links.born, before: header) }
        case .app:
            return state.app(AppID(trusted: header.id.text(bytes)))?.sequence == header.sequence
        case .appDelete:
            return others.contains { Self.mayHold($0, from: 0, before: header) }
        case .tokens:
            let handle = state.find(bytes, header.id.range)
            return handle.flatMap { state.tokens(of: $0) }?.sequence == header.sequence
        case .mark, .seal: return false
        }
    }

    /// Whether a record is one of its session's last, or one that undo or redo can lead to.
    private func isInReach(_ put: RecordHeader, _ bytes: [UInt8]) -> Bool {
        guard let handle = state.find(bytes, put.id.range) else { return false }
        let entry = state[handle]
        guard put.sequence >= entry.born else { return false }
        if entry.revision - put.session.revision <= StoreState.historyMax { return true }
        return state.undoRuns(of: handle)?.contains { $0.contains(put.session.revision) } ?? false
    }

    private func hasKeptKey(_ header: RecordHeader, _ bytes: [UInt8]) -> Bool {
        guard let key = header.keptKey(bytes) else { return false }
        return state.keeps(
            key: key.key, id: bytes[header.id.range], sequence: header.sequence)
    }

    /// Whether an older file can still hold a record from `born` on that the deletion covers.
    private static func mayHold(
        _ segment: Segment, from born: UInt64, before deletion: RecordHeader
    ) -> Bool {
        segment.header.first < deletion.sequence && segment.last >= born
            && segment.header.cleaned < deletion.sequence
    }
}
