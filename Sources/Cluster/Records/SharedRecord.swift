internal import Bytes
internal import JSON
package import Navigation
package import Sessions

// One message of a session's subject: three lines.
//
//     {"op":"put","id":"kiosk-1","rev":29,"at":1795225000412,"exp":1797817000412,"prev":184320,
//      "born":"0c5a…","by":"8d02…","undos":3,"next":12,"app":"chat","appv":17,
//      "labels":{"room":"lobby"},"undo":[[24,25],[28,28]],"redo":[[27,26]],"key":"9f1c",
//      "dig":"00c0ffee00c0ffee","elen":64,"crc":"59be0d0c"}
//     {…}        the event
//     {…}        the state
//
//     {"op":"delete","id":"kiosk-1","rev":29,"at":…,"prev":…,"born":…,"by":…,"why":"expired",
//      "elen":0,"crc":"…"}
//
// `exp`, `app`, `appv`, `labels`, `undo`, `redo`, and `key` with `dig` are left out if they have no
// value. `prev` is the number of the message that this one follows, 0 for the first. `born` is a
// random number that all records of a session have in common; with the revision it makes the entity
// tag. `by` is whose write it is. `undos`, `undo` and `redo` are what the log of a store on one
// machine has, without the numbers of records.
//
// `elen` is the length of the event, so that neither the event nor the state is parsed. The
// checksum, CRC-32C, covers the first line up to `,"crc"`, the event and the state. A server
// delivers what it has stored, and one that has stored something else is found out.

/// A record of a session in a stream.
package struct SharedRecord: Equatable, Sendable {
    /// What the record tells.
    package enum Content: Equatable, Sendable {
        /// A revision of the session.
        case revision(SessionRecord)
        /// The end of the session.
        case end(Tombstone)
    }

    /// The end of a session.
    package struct Tombstone: Equatable, Sendable {
        /// The id of the session.
        package var id: SessionID
        /// The last revision.
        package var revision: Int
        /// The time of the end.
        package var at: Milliseconds
        /// The reason.
        package var why: DeletionReason
        /// The idempotency key of the request.
        package var key: IdempotencyKey?

        package init(
            id: SessionID, revision: Int, at: Milliseconds, why: DeletionReason,
            key: IdempotencyKey?
        ) {
            self.id = id
            self.revision = revision
            self.at = at
            self.why = why
            self.key = key
        }
    }

    /// What the record tells.
    package var content: Content
    /// The number of the message that this one follows.
    package var previous: Int
    /// What all records of the session have in common, and those of a later session of the same
    /// name have not.
    package var born: UInt64
    /// Whose write it is.
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

    /// The message.
    package var text: [UInt8] {
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
        case .end(let tombstone):
            text.append(literal: #"{"op":"delete""#)
            text.append(head: tombstone.id, tombstone.revision, tombstone.at)
            text.append(place: self)
            text.append(literal: #","why":""#)
            text.append(tombstone.why.rawValue)
            text.append(UInt8(ascii: "\""))
            if let key = tombstone.key { text.append(key) }
        }
        text.append(#","elen":"#, event.count)
        let covered = 0..<text.count
        let crc = SharedRecordText.checksum(
            head: text.bytes, covered, event: event, state: state)
        text.append(literal: #","crc":""#)
        text.append(hexadecimal: UInt64(crc), digits: 8)
        text.append(literal: "\"}\n")
        text.append(event)
        text.append(UInt8(ascii: "\n"))
        text.append(state)
        text.append(UInt8(ascii: "\n"))
        return text.finish()
    }
}

extension ByteWriter {
    fileprivate mutating func append(_ name: StaticString, _ number: Int) {
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
        append(literal: #","dig":""#)
        append(hexadecimal: key.digest, digits: 16)
        append(UInt8(ascii: "\""))
    }
}
