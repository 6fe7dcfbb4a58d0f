internal import Bytes
public import Navigation

// The items of a backup, for stores that keep them in different ways. A backup has the form of the
// log of a store on one machine, and that store reads and writes the form; any other store is given
// a `BackupFormat` and handles items alone.
//
// The order of the items matters:
//
//  - The revisions of a session are in order. Some may be missing: all before a certain one, or
//    those that neither history nor undo needs.
//  - Of two documents of an app, and of two lists of tokens of a session, the later one is valid.
//  - A revision has taken into account the documents of its app that come before it.

/// One piece of the contents of a backup.
public enum BackupItem: Equatable, Sendable {
    /// A revision of a session. The `appSequence` of the record means nothing.
    case revision(SessionRecord, birth: UInt64)
    /// The end of a session, which says which request ended it. Its number means nothing.
    case end(Deletion)
    /// The tokens of a session, which may come before its revisions.
    case tokens(BackupTokens)
    /// The document of an app.
    case app(BackupApp)
}

/// All tokens of a session, as a backup has them.
public struct BackupTokens: Equatable, Sendable {
    /// The id of the session.
    public var id: SessionID
    /// The birth of the session. The list is void for any other session of that id.
    public var birth: UInt64
    /// When the list was written.
    public var at: Milliseconds
    /// The tokens.
    public var tokens: [SessionToken]

    public init(id: SessionID, birth: UInt64, at: Milliseconds, tokens: [SessionToken]) {
        self.id = id
        self.birth = birth
        self.at = at
        self.tokens = tokens
    }
}

/// The document of an app, as a backup has it.
public struct BackupApp: Equatable, Sendable {
    /// The id of the app.
    public var id: AppID
    /// When the document was stored or deleted.
    public var at: Milliseconds
    /// The document as JSON text. Nil if the app was deleted.
    public var document: [UInt8]?

    public init(id: AppID, at: Milliseconds, document: [UInt8]?) {
        self.id = id
        self.at = at
        self.document = document
    }
}

/// Why a backup cannot be restored.
public struct BackupError: Error, Equatable, Sendable {
    /// The line of the backup, counted from 1.
    public let line: Int
    /// The fault of it.
    public let reason: String

    public init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}

/// Reads a backup.
public protocol BackupReader {
    /// Adds the next bytes of the backup, which may be split anywhere.
    mutating func append(_ bytes: ArraySlice<UInt8>)
    /// The next item. Nil if more bytes are needed.
    mutating func next() throws(BackupError) -> BackupItem?
    /// Checks that the backup is complete.
    func finish() throws(BackupError)
    /// The number of the line that was read last, counted from 1.
    var line: Int { get }
    /// A number that no record of the backup exceeds. A store that is made of the backup uses
    /// numbers of a later lineage. It is nil until the first line has been read.
    var highestNumber: SequenceNumber? { get }
}

/// Writes a backup. The tokens of a session come after its revisions.
public protocol BackupWriter {
    /// Adds an item.
    mutating func append(_ item: BackupItem)
    /// No more items of the sessions follow that have come so far.
    mutating func endSessions()
    /// Adds what makes the backup complete.
    ///
    /// - Parameter omitted: how many damaged messages of the store are not in the backup.
    mutating func finish(omitted: Int)
    /// The number of bytes that `take` returns.
    var count: Int { get }
    /// The bytes that were written since the last call.
    mutating func take() -> [UInt8]
}

/// The form of a backup.
public protocol BackupFormat: Sendable {
    /// A reader for a backup.
    func reader() -> any BackupReader
    /// A writer for a backup.
    ///
    /// - Parameters:
    ///   - lineage: that of the store.
    ///   - highest: the highest number that the store has used. The numbers in the backup are of
    ///     later lineages, so that no number of the store is used again after a restore.
    func writer(
        lineage: String, after highest: SequenceNumber, at: Milliseconds
    ) -> any BackupWriter
}
