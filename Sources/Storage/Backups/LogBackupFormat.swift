public import Navigation
public import Sessions

/// The form of a backup of this store, for stores that keep sessions in another way.
public struct LogBackupFormat: BackupFormat {
    public init() {}

    /// A reader for a backup of any store.
    public func reader() -> any BackupReader { LogBackupReader() }

    /// A writer for a backup that this store can restore.
    public func writer(
        lineage: String, after highest: SequenceNumber, at: Milliseconds
    ) -> any BackupWriter {
        LogBackupWriter(lineage: lineage, after: highest, at: at)
    }
}

/// Reads the lines of a backup as items.
struct LogBackupReader: BackupReader {
    private var lines = BackupLines()

    var line: Int { lines.lines }
    var highestNumber: SequenceNumber? { lines.upTo }

    mutating func append(_ bytes: ArraySlice<UInt8>) { lines.append(bytes) }

    mutating func next() throws(BackupError) -> BackupItem? {
        while let (item, _) = try lines.next() {
            switch item {
            case .file: break
            case .record(let header):
                guard let upTo = lines.upTo, header.sequence <= upTo else {
                    throw lines.bad("the number is higher than all numbers should be")
                }
                if let item = try self.item(header) { return item }
            }
        }
        return nil
    }

    func finish() throws(BackupError) { try lines.finish() }

    /// The item of a record. Nil for a record that says nothing about sessions and apps.
    private func item(_ header: RecordHeader) throws(BackupError) -> BackupItem? {
        let (bytes, born) = (lines.bytes, header.links.born)
        switch header.kind {
        case .put:
            _ = try session(header)
            return .revision(header.record(bytes), birth: born)
        case .delete:
            _ = try session(header)
            return .end(header.deletion(bytes))
        case .tokens:
            let tokens = BackupTokens(
                id: try session(header), birth: born, at: header.at,
                tokens: header.sessionTokens(bytes))
            return .tokens(tokens)
        case .app:
            let document = Array(bytes[header.body.state.range])
            return .app(BackupApp(id: try app(header), at: header.at, document: document))
        case .appDelete:
            return .app(BackupApp(id: try app(header), at: header.at, document: nil))
        case .mark, .seal: return nil
        }
    }

    private func session(_ header: RecordHeader) throws(BackupError) -> SessionID {
        guard let id = SessionID(header.id.text(lines.bytes)) else {
            throw lines.bad("the id is not that of a session")
        }
        return id
    }

    private func app(_ header: RecordHeader) throws(BackupError) -> AppID {
        guard let id = AppID(header.id.text(lines.bytes)) else {
            throw lines.bad("the id is not that of an app")
        }
        return id
    }
}
