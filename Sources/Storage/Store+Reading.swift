internal import Bytes
package import Navigation
internal import POSIX
package import Sessions

extension Store {
    package func find(_ id: SessionID, now: Milliseconds) -> SessionHandle? {
        setID(id)
        return find(idBytes, 0..<idBytes.count, now: now)
    }

    package func find(
        _ bytes: [UInt8], _ range: Range<Int>, now: Milliseconds
    ) -> SessionHandle? {
        guard let handle = contents.index.find(bytes, range),
            contents.index[handle].expiresAt > now
        else { return nil }
        return handle
    }

    func setID(_ id: SessionID) {
        idBytes.removeAll(keepingCapacity: true)
        idBytes.append(contentsOf: id.rawValue.utf8)
    }

    package func summary(_ handle: SessionHandle) -> SessionSummary {
        let entry = contents.index[handle]
        return SessionSummary(
            id: contents.index.id(handle), sequence: entry.sequence,
            revision: Int(entry.revision),
            expiresAt: entry.expiresAt == SessionEntry.never ? nil : entry.expiresAt,
            app: contents.appNames[entry.app], bytes: Int(entry.length))
    }

    package func appendState(
        _ handle: SessionHandle, to bytes: inout [UInt8]
    ) throws(StoreError) -> SequenceNumber {
        let entry = contents.index[handle]
        if let position = cached(entry, handle) {
            cache.appendState(at: position, to: &bytes)
            return entry.sequence
        }
        let (line, envelope) = try loaded(entry, handle)
        bytes.append(line, envelope.state)
        return entry.sequence
    }

    package func newest(_ handle: SessionHandle) throws(StoreError) -> StoredRecord {
        try stored(try newestLine(handle))
    }

    func newestLine(_ handle: SessionHandle) throws(StoreError) -> [UInt8] {
        let entry = contents.index[handle]
        if let found = cached(entry, handle).flatMap(cache.find) { return copy(found.line) }
        return try loaded(entry, handle).line
    }

    private func copy(_ range: Range<Int>) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(range.count)
        cache.append(range, to: &line)
        return line
    }

    private func stored(_ line: [UInt8]) throws(StoreError) -> StoredRecord {
        guard let envelope = Envelope(line, 0..<line.count) else { throw .damaged }
        return StoredRecord(sequence: envelope.sequence, record: envelope.record(line))
    }

    /// Where the session's newest line lies in the cache, which notes that it is in use.
    private func cached(_ entry: SessionEntry, _ handle: SessionHandle) -> UInt64? {
        guard cache.holds(entry.cached) else { return nil }
        let position = cache.touch(entry.cached)
        if position != entry.cached { contents.index[handle].cached = position }
        return position
    }

    /// The session's newest line out of what was loaded; it goes into the cache as well.
    private func loaded(
        _ entry: SessionEntry, _ handle: SessionHandle
    ) throws(StoreError) -> (line: [UInt8], envelope: Envelope) {
        guard let line = try loaded(RecordLocation(sequence: entry.sequence)),
            let envelope = Envelope(line, 0..<line.count)
        else {
            troubles.report(
                StoreTrouble(
                    kind: .damage, path: catalogue.segment(with: entry.sequence)?.file?.path,
                    text: "record \(entry.sequence) is missing"))
            throw .damaged
        }
        contents.index[handle].cached = cache.append(
            line, 0..<line.count, state: envelope.state, sequence: envelope.sequence,
            revision: envelope.revision, previous: RecordCache.nowhere)
        return (line, envelope)
    }

    /// A record out of what was loaded; nil if it is no longer kept.
    private func loaded(_ place: RecordLocation) throws(StoreError) -> [UInt8]? {
        let sequence = place.sequence
        if let line = material?.lines[sequence] { return line }
        // A number that was never given: nobody may wait for it.
        guard sequence <= last else { return nil }
        if material?.gone.contains(sequence) == true { return nil }
        if material?.failed.contains(sequence) == true { throw .unavailable }
        if material?.damaged.contains(sequence) == true { throw .damaged }
        // Most of what is not in the cache is still in the kernel's, and for a few no thread need
        // be asked.
        if readsOfTurn < Self.readsOfTurnMax {
            readsOfTurn += 1
            if let line = catalogue.lineInMemory(with: sequence) { return line }
        }
        throw .notInMemory([place])
    }

    package func revision(
        _ revision: Int, of handle: SessionHandle
    ) throws(StoreError) -> StoredRecord? {
        try line(of: Int64(revision), handle).map { line throws(StoreError) in try stored(line) }
    }

    /// The line of a session's revision; nil if it is not kept.
    func line(of wanted: Int64, _ handle: SessionHandle) throws(StoreError) -> [UInt8]? {
        let entry = contents.index[handle]
        guard wanted >= 1, wanted <= entry.revision else { return nil }
        if wanted == entry.revision { return try newestLine(handle) }
        if entry.revision - wanted <= StoreState.historyMax,
            let line = try older(wanted, from: Link(entry))
        {
            return line
        }
        guard let run = contents.undoRuns[handle]?.first(where: { $0.contains(wanted) })
        else { return nil }
        return try older(wanted, from: Link(run))
    }

    /// A record of a session's chain.
    private struct Link {
        /// Where it lies in the cache, if it does.
        var position: UInt64
        var sequence: SequenceNumber
        var revision: Int64

        init(_ entry: SessionEntry) {
            (position, sequence, revision) = (entry.cached, entry.sequence, entry.revision)
        }

        init(_ run: UndoRun) {
            (position, sequence) = (RecordCache.nowhere, run.sequence)
            revision = Int64(run.revisions.highest)
        }
    }

    /// Goes back from record to record, in the cache as far as it reaches, then through what was
    /// loaded. Each record is older than the one that names it, whoever wrote the log.
    private func older(_ wanted: Int64, from start: Link) throws(StoreError) -> [UInt8]? {
        var (position, sequence, revision) = (start.position, start.sequence, start.revision)
        while sequence > 0, revision >= wanted {
            if let found = cache.find(position) {
                if found.revision == wanted { return copy(found.line) }
                revision = found.revision - 1
                position = found.previous
                if cache.holds(position) { continue }
                let line = copy(found.line)
                sequence = Envelope(line, 0..<line.count)?.previous ?? 0
            } else {
                let behind = Int(revision - wanted)
                guard let line = try loaded(RecordLocation(sequence: sequence, behind: behind)),
                    let envelope = Envelope(line, 0..<line.count)
                else { return nil }
                if envelope.revision == wanted { return line }
                guard envelope.previous < sequence else { return nil }
                revision = envelope.revision - 1
                sequence = envelope.previous
            }
        }
        return nil
    }

    package func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [StoredRecord]? {
        let entry = contents.index[handle]
        let behind = Int(min(entry.revision - 1, StoreState.historyMax))
        var (position, sequence) = (entry.cached, entry.sequence)
        var found: [StoredRecord] = []
        while sequence > after {
            guard found.count <= behind else { return nil }
            let line: [UInt8]
            if let cached = cache.find(position) {
                line = copy(cached.line)
                position = cached.previous
            } else {
                let place = RecordLocation(
                    sequence: sequence, behind: behind - found.count, after: after,
                    bytesMax: bytesLeft)
                guard let read = try loaded(place) else { return nil }
                line = read
                position = RecordCache.nowhere
            }
            bytesLeft -= line.count
            guard bytesLeft >= 0, let envelope = Envelope(line, 0..<line.count),
                envelope.previous < sequence
            else { return nil }
            found.append(StoredRecord(sequence: envelope.sequence, record: envelope.record(line)))
            sequence = envelope.previous
        }
        return found
    }

    package func kept(
        _ key: String, in scope: IdempotencyScope, now: Milliseconds
    ) throws(StoreError) -> IdempotentResult? {
        let id: [UInt8] =
            switch scope {
            case .creations: []
            case .session(let id): Array(id.rawValue.utf8)
            }
        let hash = contents.keyHash(key, of: id)
        guard let place = contents.keys.find(hash, now: now) else { return nil }
        guard let line = try keptLine(place),
            let envelope = Envelope(line, 0..<line.count), envelope.keptKey(line)?.key == key
        else { return nil }
        switch envelope.kind {
        case .put: return .change(try stored(line))
        case .delete: return .deletion(envelope.deletion(line))
        case .app, .appDelete, .tokens, .mark, .seal: return nil
        }
    }

    /// A record by its number: the newest of a session is often in the cache.
    private func keptLine(_ place: IdempotencyKeys.Place) throws(StoreError) -> [UInt8]? {
        if let handle = place.handle, contents.index.isLive(handle),
            contents.index[handle].sequence == place.sequence
        {
            return try newestLine(handle)
        }
        return try loaded(RecordLocation(sequence: place.sequence))
    }

    package func walk(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) -> SessionPage {
        var page = SessionPage(handles: [], next: nil)
        let (prefix, cursor) = (Array(filter.prefix.utf8), Array((after?.rawValue ?? "").utf8))
        let isAfterPrefix = !cursor.isEmpty && !cursor.lexicographicallyPrecedes(prefix)
        if let app = filter.app, contents.appNames.number(app) == nil { return page }
        let app = filter.app.flatMap { contents.appNames.number($0) }
        var (looked, previous) = (0, SessionHandle?.none)
        var labels = LabelFilter(filter)
        contents.index.walk(
            from: isAfterPrefix ? cursor : prefix, exclusive: isAfterPrefix
        ) { handle in
            guard contents.index.name(handle).starts(with: prefix) else { return false }
            if looked == Self.walkMax || labels.comparisons >= Self.comparisonsMax
                || page.handles.count == limit
            {
                page.next = previous.map { contents.index.id($0) }
                return false
            }
            looked += 1
            previous = handle
            if matches(handle, app, &labels, now) { page.handles.append(handle) }
            return true
        }
        return page
    }

    /// The most sessions that one walk looks at: about two milliseconds.
    static let walkMax = 20_000

    /// The most labels that one walk compares, which takes as long again.
    static let comparisonsMax = 50_000

    private func matches(
        _ handle: SessionHandle, _ app: UInt32?, _ labels: inout LabelFilter, _ now: Milliseconds
    ) -> Bool {
        let entry = contents.index[handle]
        guard entry.expiresAt > now else { return false }
        if let app, entry.app != app { return false }
        return labels.takes(entry.labels) { contents.labelSets[$0] ?? [] }
    }

    package var apps: [StoredApp] { contents.documents.values.sorted { $0.id < $1.id } }

    package func sessionCount(of app: AppID) -> Int { contents.appNames.count(app) }

    // MARK: What has to be read from the disk

    /// Has records read aside; `takeLoaded` gives them under this ticket after the wake-up.
    ///
    /// - Parameter earlier: what was loaded for the same request before.
    package func load(_ places: [RecordLocation], ticket: UInt64, earlier: LoadedRecords? = nil) {
        reader.ask(RecordLoader.Request(ticket: ticket, places: places, earlier: earlier))
    }

    /// What was read since the last call.
    package func takeLoaded() -> [LoadedRecords] { reader.takeDone() }

    /// Runs with the loaded records visible.
    package func with<Result, Failure: Error>(
        _ loaded: LoadedRecords?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        material = loaded
        defer { material = nil }
        return try body()
    }
}

/// The labels that a walk asks for. Sessions share sets of labels, and neighbours mostly have the
/// same one, so the last verdict is kept.
struct LabelFilter {
    /// How many labels were compared with one that is asked for.
    private(set) var comparisons = 0
    private let wanted: [Label]
    private var last: (labels: UInt32, fits: Bool)?

    init(_ filter: SessionFilter) { wanted = filter.labels }

    /// - Parameter labels: the number of a session's set of labels.
    mutating func takes(_ labels: UInt32, _ set: (UInt32) -> [Label]) -> Bool {
        guard !wanted.isEmpty else { return true }
        if let last, last.labels == labels { return last.fits }
        let own = set(labels)
        var fits = true
        for label in wanted where fits { fits = has(label, own) }
        last = (labels, fits)
        return fits
    }

    private mutating func has(_ label: Label, _ own: [Label]) -> Bool {
        for other in own {
            comparisons += 1
            if other == label { return true }
        }
        return false
    }
}
