internal import Bytes
internal import JSON
package import Navigation
package import Sessions
internal import Synchronization

extension Store {
    package func put(
        _ records: [SessionRecord], _ written: (SessionRecord, SequenceNumber) -> Void
    ) throws(StoreError) {
        guard let first = records.first else { return }
        try refuseIfUnable(isGrowth: true)
        setID(first.id)
        var found = contents.index.find(idBytes, 0..<idBytes.count)
        if let handle = found, first.revision == 1 {
            departed.append(try remove(handle, at: first.at, why: .expired, key: nil))
            setID(first.id)
            found = nil
        }
        if records.count == 1 {
            let runs = try undoRuns(of: first, found)
            try makeRoom(Self.bytesMax(first, runs))
            return written(first, write(first, found, runs))
        }
        // All that can be refused comes before the first line.
        var runs: [UndoRuns] = []
        var (unwritten, bytes) = (Int?.none, 0)
        for record in records {
            runs.append(try undoRuns(of: record, found, unwritten: unwritten))
            unwritten = record.revision
            bytes += Self.bytesMax(record, runs[runs.count - 1])
        }
        try makeRoom(bytes)
        for (record, runs) in zip(records, runs) {
            found = contents.index.find(idBytes, 0..<idBytes.count)
            written(record, write(record, found, runs.naming(last)))
        }
    }

    private func write(
        _ record: SessionRecord, _ found: SessionHandle?, _ runs: UndoRuns
    ) -> SequenceNumber {
        let prior = found.map { contents.index[$0] }
        precondition(
            Int64(record.revision) == (prior?.revision ?? 0) + 1, "a revision was left out")
        let handle = found ?? contents.index.insert(idBytes, 0..<idBytes.count)
        write(record, handle, prior, runs)
        return last
    }

    private func write(
        _ record: SessionRecord, _ handle: SessionHandle, _ prior: SessionEntry?, _ runs: UndoRuns
    ) {
        let start = pending.bytes.count
        let sequence = last + 1
        latest = max(latest, record.at)
        let born = prior?.born ?? sequence
        beginLine("put")
        line.append(record, previous: prior?.sequence ?? 0, born: born, runs: runs)
        endLine(record.state)
        let state = start + line.count..<start + line.count + record.state.count
        var entry = contents.index[handle]
        entry.sequence = sequence
        entry.born = born
        entry.revision = Int64(record.revision)
        entry.expiresAt = record.expiresAt ?? SessionEntry.never
        entry.length = UInt32(pending.bytes.count - start)
        entry.cached = cache.append(
            pending.bytes, start..<pending.bytes.count, state: state, sequence: sequence,
            revision: entry.revision, previous: prior?.cached ?? RecordCache.nowhere)
        entry.app = record.app.map { contents.appNames.take($0, mostly: entry.app) } ?? 0
        entry.labels =
            record.labels.isEmpty
            ? 0 : contents.labelSets.take(record.labels, mostly: entry.labels)
        contents.index[handle] = entry
        if let prior {
            catalogue.supersede(prior)
            compaction.superseded(Int(prior.length))
        }
        note(record, handle, prior, runs)
        if record.expiresAt != nil { contents.enqueue(handle) }
    }

    /// Keeps what would be needed to take the change back, and the side tables.
    private func note(
        _ record: SessionRecord, _ handle: SessionHandle, _ prior: SessionEntry?, _ runs: UndoRuns
    ) {
        var more: RollbackLog.More?
        let old = contents.undoRuns.isEmpty ? nil : contents.undoRuns[handle]
        if old != nil || !runs.isEmpty {
            let kept = RollbackLog.More()
            kept.undoRuns = old
            more = kept
            contents.undoRuns[handle] = runs.isEmpty ? nil : runs.all
        }
        if let key = record.key {
            let kept = more ?? RollbackLog.More()
            kept.addedKeys = keep(
                key, id: record.id, at: record.at, of: handle, isCreation: record.revision == 1)
            more = kept
        }
        rollbackLog.append(
            RollbackLog.Item(
                sequence: last, handle: handle, kind: prior == nil ? .created : .changed,
                prior: prior ?? SessionEntry(), more: more))
    }

    private func keep(
        _ key: IdempotencyKey, id: SessionID, at: Milliseconds, of handle: SessionHandle?,
        isCreation: Bool
    ) -> [UInt64] {
        let name = Array(id.rawValue.utf8)
        contents.keepKey(
            key.key, id: name, sequence: last, at: at, handle: handle, isCreation: isCreation)
        let hash = contents.keyHash(key.key, of: name)
        return isCreation ? [hash, contents.keyHash(key.key, of: [])] : [hash]
    }

    package func delete(
        _ handle: SessionHandle, at: Milliseconds, key: IdempotencyKey?
    ) throws(StoreError) -> Deletion {
        try remove(handle, at: at, why: .deleted, key: key)
    }

    func remove(
        _ handle: SessionHandle, at: Milliseconds, why: DeletionReason, key: IdempotencyKey?
    ) throws(StoreError) -> Deletion {
        try refuseIfUnable(isGrowth: false)
        try makeRoom(Self.envelopeBase + (key?.key.utf8.count ?? 0) * 6)
        let prior = contents.index[handle]
        var deletion = Deletion(
            id: contents.index.id(handle), sequence: last + 1, revision: Int(prior.revision),
            at: at, why: why, key: key)
        deletion.app = contents.appNames[prior.app]
        deletion.labels = contents.labelSets[prior.labels] ?? []
        let start = pending.bytes.count
        beginLine("delete")
        line.append(deletion, previous: prior.sequence, born: prior.born)
        endLine()
        catalogue.supersede(prior)
        active.superseded.wrappingAdd(pending.bytes.count - start, ordering: .relaxed)
        compaction.superseded(Int(prior.length))
        let more = RollbackLog.More()
        more.name = Array(deletion.id.rawValue.utf8)
        more.undoRuns = contents.undoRuns.removeValue(forKey: handle)
        more.removedKeys = contents.keys.removeAll(of: handle)
        if !contents.tokens.isEmpty {
            more.tokens = contents.tokens.replace(handle, nil)
            if let row = more.tokens {
                supersede(row)
                deletion.tokens = row.tokens
            }
        }
        contents.index.remove(handle)
        if let key {
            more.addedKeys = keep(key, id: deletion.id, at: at, of: nil, isCreation: false)
        }
        rollbackLog.append(
            RollbackLog.Item(
                sequence: last, handle: handle, kind: .removed, prior: prior, more: more))
        return deletion
    }

    package func putApps(
        _ documents: [(id: AppID, text: [UInt8])], at: Milliseconds
    ) throws(StoreError) -> [SequenceNumber] {
        guard !documents.isEmpty else { return [] }
        // All that can be refused comes before the first line.
        try refuseIfUnable(isGrowth: true)
        try makeRoom(documents.reduce(0) { $0 + $1.text.count + Self.envelopeBase })
        return documents.map { write($0.id, document: $0.text, at: at) }
    }

    private func write(_ id: AppID, document: [UInt8], at: Milliseconds) -> SequenceNumber {
        beginLine("app")
        line.append(id, at: at)
        line.append(literal: #","doc":"#)
        endLine(document)
        noteApp(id)
        contents.documents[id] = StoredApp(id: id, sequence: last, at: at, document: document)
        return last
    }

    package func deleteApp(
        _ id: AppID, at: Milliseconds
    ) throws(StoreError) -> SequenceNumber {
        try refuseIfUnable(isGrowth: false)
        try makeRoom(Self.envelopeBase)
        beginLine("app-delete")
        line.append(id, at: at)
        endLine()
        noteApp(id)
        contents.documents[id] = nil
        return last
    }

    private func noteApp(_ id: AppID) {
        let more = RollbackLog.More()
        more.app = (id, contents.documents[id])
        rollbackLog.append(
            RollbackLog.Item(
                sequence: last, handle: SessionHandle(rawValue: 0), kind: .app,
                prior: SessionEntry(), more: more))
    }

    // MARK: Lines

    /// Bytes that an envelope has at most besides names, labels and keys.
    static let envelopeBase = 640
    /// Bytes that are left for the seal.
    static let sealMax = 256

    /// Of a whole line.
    private static func bytesMax(_ record: SessionRecord, _ runs: UndoRuns) -> Int {
        var count = record.event.count + record.state.count + envelopeBase
        count += runs.count * 64 + (record.key?.key.utf8.count ?? 0) * 6
        for label in record.labels {
            count += (label.key.utf8.count + label.value.utf8.count) * 6 + 8
        }
        return count
    }

    func refuseIfUnable(isGrowth: Bool) throws(StoreError) {
        if let failure { throw failure }
        if isGrowth && hasNoRoom { throw .full }
        let waiting = journal.waitingBytes.load(ordering: .relaxed) + pending.bytes.count
        if waiting > options.pendingBytesMax { throw .busy }
    }

    /// Turns to the next file if so many bytes no longer fit into this one.
    func makeRoom(_ count: Int) throws(StoreError) {
        guard activeLines > 1, activeEnd + count + Self.sealMax > options.segmentBytes else {
            return
        }
        if hasNoRoom { throw .full }
        rotate()
    }

    /// Starts a line, whose words are then written to `line`.
    func beginLine(_ operation: String) {
        line.removeAll()
        line.append(
            record: operation, last + 1, durable: journal.synced.load(ordering: .relaxed))
    }

    /// The line and the JSON at its end, checksum and newline, and the numbers that every line
    /// moves.
    func endLine(_ rest: [UInt8] = []) {
        let start = pending.bytes.count
        let sequence = last + 1
        pending.bytes.append(contentsOf: line.text)
        pending.bytes.append(contentsOf: rest)
        Line.close(&pending.bytes, from: start, salt: active.salt)
        let count = pending.bytes.count - start
        if pending.parts.last?.segment === active {
            pending.parts[pending.parts.count - 1].last = sequence
        } else {
            pending.parts.append(Batch.Part(segment: active, start: start, last: sequence))
        }
        if activeEnd - lastMark >= Segment.markDistance || activeLines == 1 {
            let offset = activeEnd
            active.withState { $0.note(sequence, at: offset) }
            lastMark = activeEnd
        }
        activeEnd += count
        activeLines += 1
        last = sequence
        compaction.wrote(count)
    }

    func appendMark(at: Milliseconds) {
        line.removeAll()
        line.append(mark: last + 1, durable: journal.synced.load(ordering: .relaxed), at: at)
        endLine()
    }

    func appendSeal(at: Milliseconds) {
        line.removeAll()
        line.append(
            seal: last + 1, durable: journal.synced.load(ordering: .relaxed), at: at,
            lines: activeLines + 1)
        endLine()
    }

    private func rotate() {
        appendSeal(at: latest)
        let (end, sealed) = (activeEnd, last)
        active.withState { state in
            state.end = end
            state.last = sealed
        }
        begin(file: active.number + 1, at: latest)
    }

    /// Starts a file: its header goes to what is pending.
    func begin(file: Int, at: Milliseconds) {
        let header = SegmentHeader(lineage: lineage, file: file, first: last + 1, at: at)
        let start = pending.bytes.count
        let salt = header.append(to: &pending.bytes)
        let segment = Segment(header: header, salt: salt)
        pending.parts.append(Batch.Part(segment: segment, start: start, last: 0))
        catalogue.append(segment)
        active = segment
        activeEnd = pending.bytes.count - start
        activeLines = 1
        lastMark = 0
    }
}
