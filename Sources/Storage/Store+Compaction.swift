internal import Navigation
internal import POSIX
internal import Sessions
internal import Synchronization

/// What the loop keeps about compaction.
struct CompactionState {
    /// What a look at a file found, so that it is not looked at again and again.
    struct Look {
        var superseded: Int
        var written: Int
    }

    var isBusy = false
    /// Files that were written anew since the start.
    var rewritten: UInt64 = 0
    /// Bytes that were written or became out of date since the last job.
    var credit = 0
    /// Bytes that were written since the start.
    var written = 0
    var looks: [ObjectIdentifier: Look] = [:]

    mutating func wrote(_ count: Int) {
        credit += count
        written += count
    }

    mutating func superseded(_ count: Int) { credit += count }
}

extension Store {
    /// Answers what compaction asks, and sends it a job when there is one: a step a turn.
    func compact() {
        if let question = compactor.takeQuestion() {
            compactor.answer(Compaction.Answer(isAlive: judge(question), upTo: last))
        }
        if let outcome = compactor.takeOutcome() { finish(outcome) }
        let step = options.segmentBytes / 4
        guard options.compacts, !compaction.isBusy, compaction.credit >= step,
            failure != .unavailable
        else { return }
        guard let run = candidates() else {
            compaction.credit = 0
            return
        }
        compaction.credit -= step
        compaction.isBusy = true
        compactor.add(
            Compaction.Job(segments: run, from: last, rollbacks: rollbacks, now: latest))
    }

    private func finish(_ outcome: Compaction.Outcome) {
        compaction.isBusy = false
        for segment in outcome.looked {
            compaction.looks[ObjectIdentifier(segment)] = CompactionState.Look(
                superseded: segment.superseded.load(ordering: .relaxed),
                written: compaction.written)
        }
        guard let new = outcome.new else { return }
        compaction.rewritten += 1
        var superseded = 0
        for segment in outcome.replaced {
            superseded += segment.superseded.load(ordering: .relaxed) - segment.end
            compaction.looks[ObjectIdentifier(segment)] = nil
        }
        // What was superseded before and is still here is what is alive besides the newest.
        new.superseded.store(max(0, new.end + superseded), ordering: .relaxed)
        catalogue.replace(outcome.replaced, with: new)
        compactor.retire(outcome.replaced)
        compaction.looks[ObjectIdentifier(new)] = CompactionState.Look(
            superseded: max(0, new.end + superseded), written: compaction.written)
    }

    /// Neighbouring sealed files that are worth a look; nil if there are none.
    private func candidates() -> [Segment]? {
        let synced = journal.synced.load(ordering: .acquiring)
        let sealed = catalogue.all.filter { $0 !== active && $0.last <= synced }
        let total = sealed.reduce(0) { $0 + $1.end }
        let worth = sealed.map { isWorthALook($0, total) }
        let small = sealed.map { $0.end < options.segmentBytes / 4 }
        guard let first = best(sealed, worth) ?? smallRun(small) else { return nil }
        var (run, alive, bytes) = ([Segment](), 0, 0)
        for index in first..<sealed.count where run.count < 64 {
            let segment = sealed[index]
            alive += max(0, segment.end - segment.superseded.load(ordering: .relaxed))
            bytes += segment.end
            guard run.isEmpty || worth[index] || small[index],
                run.isEmpty || alive <= options.segmentBytes && bytes <= 4 * options.segmentBytes
            else { break }
            run.append(segment)
        }
        return run
    }

    private func isWorthALook(_ segment: Segment, _ total: Int) -> Bool {
        let superseded = segment.superseded.load(ordering: .relaxed)
        guard superseded * 2 >= segment.end else { return false }
        guard let look = compaction.looks[ObjectIdentifier(segment)] else { return true }
        return superseded - look.superseded >= segment.end / 10
            || compaction.written - look.written >= total / 4
    }

    /// Of the files that are worth it, the one that was looked at longest ago.
    private func best(_ sealed: [Segment], _ worth: [Bool]) -> Int? {
        sealed.indices.filter { worth[$0] }.min { a, b in
            let first = compaction.looks[ObjectIdentifier(sealed[a])]?.written ?? -1
            let second = compaction.looks[ObjectIdentifier(sealed[b])]?.written ?? -1
            return first < second
        }
    }

    /// Where at least eight small files stand side by side, as many starts leave them.
    private func smallRun(_ small: [Bool]) -> Int? {
        var (start, count) = (0, 0)
        for (index, isSmall) in small.enumerated() {
            if isSmall {
                if count == 0 { start = index }
                count += 1
                if count == 8 { return start }
            } else {
                count = 0
            }
        }
        return nil
    }

    // MARK: Who is alive

    private func judge(_ question: Compaction.Question) -> [Bool] {
        let others = catalogue.all.filter { segment in
            !question.segments.contains { $0 === segment }
        }
        return question.briefs.map { brief in
            // What cannot be read is not thrown away.
            guard let brief else { return true }
            return isAlive(brief, question.bytes, others)
        }
    }

    private func isAlive(_ brief: RecordHeader, _ bytes: [UInt8], _ others: [Segment]) -> Bool {
        if brief.kind == .put {
            if isInReach(brief, bytes) { return true }
            if brief.key == nil { return false }
        }
        guard let envelope = Envelope(bytes, brief.line.range) else { return true }
        switch envelope.kind {
        case .put: return isKept(envelope, bytes)
        case .delete:
            return isKept(envelope, bytes)
                || others.contains { Self.mayHold($0, from: envelope.born, before: envelope) }
        case .app:
            let id = AppID(trusted: envelope.text(envelope.id, bytes))
            return contents.documents[id]?.sequence == envelope.sequence
        case .appDelete:
            return others.contains { Self.mayHold($0, from: 0, before: envelope) }
        case .tokens:
            let handle = contents.index.find(bytes, envelope.id)
            return handle.flatMap { contents.tokens[$0] }?.sequence == envelope.sequence
        case .mark, .seal: return false
        }
    }

    /// Whether a record is one of its session's last, or one that undo or redo can go to.
    private func isInReach(_ put: RecordHeader, _ bytes: [UInt8]) -> Bool {
        guard let handle = contents.index.find(bytes, put.id.range) else { return false }
        let entry = contents.index[handle]
        guard put.sequence >= entry.born else { return false }
        if entry.revision - put.revision <= StoreState.historyMax { return true }
        guard !contents.undoRuns.isEmpty else { return false }
        return contents.undoRuns[handle]?.contains { $0.contains(put.revision) } ?? false
    }

    private func isKept(_ envelope: Envelope, _ bytes: [UInt8]) -> Bool {
        guard let key = envelope.keptKey(bytes) else { return false }
        let hashes = [
            contents.keyHash(key.key, of: Array(bytes[envelope.id])),
            contents.keyHash(key.key, of: []),
        ]
        return hashes.contains { contents.keys.holds($0, sequence: envelope.sequence) }
    }

    /// Whether an older file can still hold a record from `born` on that the deletion covers.
    private static func mayHold(
        _ segment: Segment, from born: UInt64, before deletion: Envelope
    ) -> Bool {
        segment.header.first < deletion.sequence && segment.last >= born
            && segment.header.cleaned < deletion.sequence
    }
}
