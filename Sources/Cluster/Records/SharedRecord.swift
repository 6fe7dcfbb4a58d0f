internal import JSON
internal import Bytes
internal import Navigation
internal import Sessions

// A message on a session's subject has three lines.
//
//     {"op":"put","id":"kiosk-1","rev":29,"at":1795225000412,"exp":1797817000412,"prev":184320,
//      "born":"0c5a…","by":"8d02…","undos":3,"next":12,"app":"chat","appv":17,
//      "labels":{"room":"lobby"},"due":{"idle":60,"sheet":1795225030000},
//      "undo":[[24,25],[28,28]],"redo":[[27,26]],"key":"9f1c","dig":"00c0ffee00c0ffee",
//      "elen":64,"crc":"59be0d0c"}
//     {…}        the event
//     {…}        the state
//
//     {"op":"delete","id":"kiosk-1","rev":29,"at":…,"prev":…,"born":…,"by":…,"why":"expired",
//      "author":"wall","elen":0,"crc":"…"}
//     {"op":"delete","id":"3fd0…","rev":1,"at":…,"prev":0,"born":…,"by":…,"why":"deleted",
//      "key":"9f1c","dig":"…","for":"kiosk-1","elen":0,"crc":"…"}
//
// `exp`, `app`, `appv`, `labels`, `due`, `undo`, `redo`, and `key` with `dig` are omitted if they
// have no value, and so is `author`, the name of the token with which the session was deleted.
// `prev` is the sequence of the message that this one follows, 0 for the first. `born` is a random
// number that all records of a session share; together with the revision it makes the entity tag.
// `by` identifies the write. `undos`, `undo` and `redo` are the same as in the log of a store on
// one machine, but without the numbers of records. Beside `jdig`, the digest of a request whose
// body is a JSON value, `dig` is the digest of its bytes, which version 0.2 compares.
//
// A store that was restored from a backup has sessions whose ids do not follow from the keys that
// they were created with. The end of a session with the id that follows names the one that was
// created: `for`.
//
// `elen` is the length of the event, so that neither the event nor the state has to be parsed. The
// CRC-32C checksum covers the first line up to `,"crc"`, the event and the state. It detects a
// record that was damaged in the server's storage.

/// A record of a session in a stream. It is a class, because a change passes it on several times,
/// and a copy of a struct would retain six references.
final class SharedRecord: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case revision(SessionRecord)
        case end(Tombstone)
    }

    /// The end of a session.
    struct Tombstone: Equatable, Sendable {
        var id: SessionID
        var revision: Int
        var at: Milliseconds
        var why: DeletionReason
        /// The idempotency key of the request, if it had one.
        var key: IdempotencyKey?
        /// The name of the token that the request came with, if it has one. Every node tells it.
        var author: TokenName?
        /// The session that was created with the key, before the store was restored. In that case
        /// there never was a session with the id of this subject.
        var standsFor: SessionID?
    }

    let content: Content
    /// The sequence of the message that this one follows; 0 for the first.
    let previous: Int
    /// A number that all records of the session share. A later session with the same id has a
    /// different one.
    let born: UInt64
    let writer: WriteID
    /// The size of the event and the state, if the record is without them. See `MessageHead`.
    let size: Int?

    init(
        _ content: Content, previous: Int, born: UInt64, writer: WriteID, size: Int? = nil
    ) {
        (self.content, self.previous, self.born, self.writer) = (content, previous, born, writer)
        self.size = size
    }

    static func == (one: SharedRecord, other: SharedRecord) -> Bool {
        one.content == other.content && one.previous == other.previous && one.born == other.born
            && one.writer == other.writer && one.size == other.size
    }

    var id: SessionID {
        switch content {
        case .revision(let record): record.id
        case .end(let tombstone): tombstone.id
        }
    }

    var at: Milliseconds {
        switch content {
        case .revision(let record): record.at
        case .end(let tombstone): tombstone.at
        }
    }

    /// The idempotency key of the request, if it had one.
    var key: IdempotencyKey? {
        switch content {
        case .revision(let record): record.key
        case .end(let tombstone): tombstone.key
        }
    }

    /// The message, and its first line with the size of the event and the state; the end of a
    /// session is short itself. See `MessageHead`.
    var texts: (whole: [UInt8], head: [UInt8]) {
        switch content {
        case .revision(let record): return texts(of: record)
        case .end(let end):
            var line = ByteWriter(operation: "delete")
            begin(&line, id: end.id, revision: end.revision, at: end.at)
            append(to: &line)
            line.member("why", plain: end.why.rawValue)
            if let key = end.key { line.append(key) }
            if let author = end.author { line.member("author", string: author.rawValue) }
            if let id = end.standsFor { line.member("for", plain: id.rawValue) }
            let text = SharedRecordText.seal(line, state: [])
            return (text, text)
        }
    }

    private func texts(of record: SessionRecord) -> (whole: [UInt8], head: [UInt8]) {
        let size = record.event.count + record.state.count
        var line = ByteWriter(operation: "put", capacity: size + 512)
        begin(&line, id: record.id, revision: record.revision, at: record.at)
        if let time = record.expiresAt { line.member("exp", time) }
        append(to: &line)
        append(record, to: &line)
        // The first line of both is the same up to here.
        var head = ByteWriter(capacity: line.count + 64)
        head.append(line)
        head.member("size", size)
        SharedRecordText.close(&head)
        let (undo, redo) = (record.undoing.undo, record.undoing.redo)
        if !undo.isPlain(below: record.revision) { line.member("undo", undo) }
        if !redo.isEmpty { line.member("redo", redo) }
        if let key = record.key { line.append(key) }
        return (
            SharedRecordText.seal(line, event: record.event, state: record.state), head.finish()
        )
    }

    private func begin(
        _ line: inout ByteWriter, id: SessionID, revision: Int, at: Milliseconds
    ) {
        line.member("id", plain: id.rawValue)
        line.member("rev", revision)
        line.member("at", at)
    }

    private func append(to line: inout ByteWriter) {
        line.member("prev", previous)
        line.member("born", hexadecimal: born)
        line.member("by", writer)
    }

    private func append(_ record: SessionRecord, to line: inout ByteWriter) {
        line.member("undos", record.undoing.undo.count)
        line.member("next", record.nextEntry)
        if let app = record.app { line.member("app", plain: app.rawValue) }
        if record.appSequence > 0 { line.member("appv", record.appSequence) }
        if !record.labels.isEmpty { line.member("labels", record.labels) }
        if !record.due.isEmpty { line.member("due", record.due) }
    }
}

extension SharedRecord {
    /// Parses a message.
    convenience init(_ message: ArraySlice<UInt8>) throws(SharedRecordError) {
        let text = try SharedRecordText(message)
        let id = try text.required("id") { SessionID($0) }
        let revision = try text.number("rev", in: 1...SharedRecordText.numberMax)
        let content: Content
        switch try text.text("op") {
        case "put": content = .revision(try Self.put(text, of: id, revision: revision))
        case "delete":
            content = .end(
                Tombstone(
                    id: id, revision: revision, at: Milliseconds(try text.number("at")),
                    why: try text.required("why") { DeletionReason(named: $0) },
                    key: try text.key(), author: try text.optional("author") { TokenName($0) },
                    standsFor: try text.optional("for") { SessionID($0) }))
        default: throw .member("op")
        }
        let link = try text.link()
        self.init(
            content, previous: link.previous, born: try text.word("born"), writer: link.writer,
            size: text.has("size") ? try text.number("size") : nil)
    }

    private static func put(
        _ text: SharedRecordText, of id: SessionID, revision: Int
    ) throws(SharedRecordError) -> SessionRecord {
        var undoing = UndoStacks(steps: try text.number("undos"), before: revision)
        if text.has("undo") { undoing.undo = try text.stack("undo", before: revision) }
        if text.has("redo") { undoing.redo = try text.stack("redo", before: revision) }
        var record = SessionRecord(
            id: id, revision: revision, at: Milliseconds(try text.number("at")),
            app: try text.optional("app") { AppID($0) }, labels: try text.labels(),
            undoing: undoing, nextEntry: try text.number("next"), key: try text.key(),
            event: text.event, state: text.state)
        if text.has("exp") { record.expiresAt = Milliseconds(try text.number("exp")) }
        record.due = try text.dueTimes()
        if text.has("appv") { record.appSequence = UInt64(try text.number("appv")) }
        return record
    }
}
