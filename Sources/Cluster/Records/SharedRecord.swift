internal import Bytes
internal import JSON
package import Navigation
package import Sessions

// A message on a session's subject has three lines.
//
//     {"op":"put","id":"kiosk-1","rev":29,"at":1795225000412,"exp":1797817000412,"prev":184320,
//      "born":"0c5a…","by":"8d02…","undos":3,"next":12,"app":"chat","appv":17,
//      "labels":{"room":"lobby"},"undo":[[24,25],[28,28]],"redo":[[27,26]],"key":"9f1c",
//      "dig":"00c0ffee00c0ffee","elen":64,"crc":"59be0d0c"}
//     {…}        the event
//     {…}        the state
//
//     {"op":"delete","id":"kiosk-1","rev":29,"at":…,"prev":…,"born":…,"by":…,"why":"expired",
//      "author":"wall","elen":0,"crc":"…"}
//     {"op":"delete","id":"3fd0…","rev":1,"at":…,"prev":0,"born":…,"by":…,"why":"deleted",
//      "key":"9f1c","dig":"…","for":"kiosk-1","elen":0,"crc":"…"}
//
// `exp`, `app`, `appv`, `labels`, `undo`, `redo`, and `key` with `dig` are omitted if they have no
// value, and so is `author`, the name of the token with which the session was deleted. `prev` is
// the sequence of the message that this one follows, 0 for the first. `born` is a random number
// that all records of a session share; together with the revision it makes the entity tag. `by`
// identifies the write. `undos`, `undo` and `redo` are the same as in the log of a store on one
// machine, but without the numbers of records. Beside `jdig`, the digest of a request whose body is
// a JSON value, `dig` is the digest of its bytes, which version 0.2 compares.
//
// A store that was restored from a backup has sessions whose ids do not follow from the keys that
// they were created with. The end of a session with the id that follows names the one that was
// created: `for`.
//
// `elen` is the length of the event, so that neither the event nor the state has to be parsed. The
// CRC-32C checksum covers the first line up to `,"crc"`, the event and the state. It detects a
// record that was damaged in the server's storage.

/// A record of a session in a stream.
package struct SharedRecord: Equatable, Sendable {
    /// The content of the record.
    package enum Content: Equatable, Sendable {
        /// A new revision of the session.
        case revision(SessionRecord)
        /// The end of the session.
        case end(Tombstone)
    }

    /// The end of a session.
    package struct Tombstone: Equatable, Sendable {
        /// The id of the session.
        package var id: SessionID
        /// The last revision of the session.
        package var revision: Int
        /// When the session ended.
        package var at: Milliseconds
        /// Why the session ended.
        package var why: DeletionReason
        /// The idempotency key of the request, if it had one.
        package var key: IdempotencyKey?
        /// The name of the token that the request came with, if it has one. Every node tells it.
        package var author: TokenName?
        /// The session that was created with the key, before the store was restored. In that case
        /// there never was a session with the id of this subject.
        package var standsFor: SessionID?

        package init(
            id: SessionID, revision: Int, at: Milliseconds, why: DeletionReason,
            key: IdempotencyKey?, author: TokenName? = nil
        ) {
            self.id = id
            self.revision = revision
            self.at = at
            self.why = why
            self.key = key
            self.author = author
        }
    }

    /// The content of the record.
    package var content: Content
    /// The sequence of the message that this one follows; 0 for the first.
    package var previous: Int
    /// A number that all records of the session share. A later session with the same id has a
    /// different one.
    package var born: UInt64
    /// The write that made the record.
    package var writer: WriteID

    package init(_ content: Content, previous: Int, born: UInt64, writer: WriteID) {
        self.content = content
        self.previous = previous
        self.born = born
        self.writer = writer
    }

    /// The id of the session.
    package var id: SessionID {
        switch content {
        case .revision(let record): record.id
        case .end(let tombstone): tombstone.id
        }
    }

    /// When the record was made.
    package var at: Milliseconds {
        switch content {
        case .revision(let record): record.at
        case .end(let tombstone): tombstone.at
        }
    }

    /// The idempotency key of the request, if it had one.
    package var key: IdempotencyKey? {
        switch content {
        case .revision(let record): record.key
        case .end(let tombstone): tombstone.key
        }
    }

    /// The text of the message.
    package var text: [UInt8] { text(size: nil) }

    /// The message without its event and its state, but with their size; the end of a session is
    /// short itself. See `MessageHead`.
    var head: [UInt8] {
        guard case .revision(let record) = content else { return text }
        var short = SessionRecord(
            id: record.id, revision: record.revision, at: record.at,
            expiresAt: record.expiresAt, app: record.app, labels: record.labels,
            undoing: UndoStacks(steps: 0, before: record.revision),
            nextEntry: record.nextEntry, key: nil, event: [], state: [])
        short.appSequence = record.appSequence
        var head = self
        head.content = .revision(short)
        return head.text(size: record.event.count + record.state.count)
    }

    private func text(size: Int?) -> [UInt8] {
        var (event, state): ([UInt8], [UInt8]) = ([], [])
        if case .revision(let record) = content { (event, state) = (record.event, record.state) }
        var text = ByteWriter(capacity: event.count + state.count + 512)
        switch content {
        case .revision(let record):
            text.append(literal: #"{"op":"put""#)
            text.append(head: record.id, record.revision, record.at)
            if let time = record.expiresAt { text.append(#","exp":"#, Int(time)) }
            text.append(place: self)
            text.append(session: record)
            if let key = record.key { text.append(key) }
            if let size { text.append(#","size":"#, size) }
        case .end(let tombstone):
            text.append(literal: #"{"op":"delete""#)
            text.append(head: tombstone.id, tombstone.revision, tombstone.at)
            text.append(place: self)
            text.append(literal: #","why":""#)
            text.append(tombstone.why.rawValue)
            text.append(UInt8(ascii: "\""))
            if let key = tombstone.key { text.append(key) }
            if let author = tombstone.author {
                text.append(literal: #","author":"#)
                text.append(string: author.rawValue)
            }
            if let id = tombstone.standsFor {
                text.append(literal: #","for":""#)
                text.append(id.rawValue)
                text.append(UInt8(ascii: "\""))
            }
        }
        return SharedRecordText.seal(text, event: event, state: state)
    }
}

extension ByteWriter {
    mutating func append(_ name: StaticString, _ number: Int) {
        append(literal: name)
        append(number)
    }

    fileprivate mutating func append(head id: SessionID, _ revision: Int, _ at: Milliseconds) {
        append(literal: #","id":""#)
        append(id.rawValue)
        append(#"","rev":"#, revision)
        append(#","at":"#, Int(at))
    }

    fileprivate mutating func append(place record: SharedRecord) {
        append(#","prev":"#, record.previous)
        append(literal: #","born":""#)
        append(hexadecimal: record.born, digits: 16)
        append(literal: #"","by":""#)
        append(record.writer.text)
        append(UInt8(ascii: "\""))
    }

    fileprivate mutating func append(session record: SessionRecord) {
        append(#","undos":"#, record.undoing.undo.count)
        append(#","next":"#, record.nextEntry)
        if let app = record.app {
            append(literal: #","app":""#)
            append(app.rawValue)
            append(UInt8(ascii: "\""))
        }
        if record.appSequence > 0 { append(#","appv":"#, Int(record.appSequence)) }
        if !record.labels.isEmpty {
            append(literal: #","labels":"#)
            append(record.labels)
        }
        let undo = record.undoing.undo
        if !undo.isPlain(below: record.revision) { append(#","undo":"#, undo) }
        if !record.undoing.redo.isEmpty { append(#","redo":"#, record.undoing.redo) }
    }

    private mutating func append(_ name: StaticString, _ stack: RevisionStack) {
        append(literal: name)
        for (index, run) in stack.runs.enumerated() {
            append(index > 0 ? ",[" : "[[")
            append(run.bottom)
            append(UInt8(ascii: ","))
            append(run.top)
            append(UInt8(ascii: "]"))
        }
        append(UInt8(ascii: "]"))
    }

    fileprivate mutating func append(_ key: IdempotencyKey) {
        append(literal: #","key":"#)
        append(string: key.key)
        // Servers of version 0.2 compare `dig` with the digest of the bytes.
        append(literal: #","dig":""#)
        append(hexadecimal: key.bytesDigest ?? key.digest, digits: 16)
        append(UInt8(ascii: "\""))
        guard key.bytesDigest != nil else { return }
        append(literal: #","jdig":""#)
        append(hexadecimal: key.digest, digits: 16)
        append(UInt8(ascii: "\""))
    }
}
