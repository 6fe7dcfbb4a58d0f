internal import Bytes
internal import JSON
internal import Navigation
internal import Sessions

// How records are written. This is a put, which is a single line in the log:
//
//     {"n":184320,"d":184319,"op":"put","id":"kiosk-1","rev":29,"at":1795225000412,
//      "exp":1797817000412,"prev":184100,"born":170000,"undos":3,"next":12,"app":"chat",
//      "labels":{"room":"lobby"},"due":{"idle":60,"sheet":1795225030000},
//      "undo":[[24,25,183011],[28,28,184100]],"redo":[[27,26,184002]],
//      "key":"9f1c","dig":"00c0ffee00c0ffee","elen":64,"event":{…},"s":{…},"crc":"59be0d0c"}
//
// The members always have this order. `exp`, `prev`, `app`, `labels`, `due`, `undo`, `redo`, and
// `key` with `dig` are left out if they have no value. `elen` is the length of the event in bytes;
// the state begins after the event and ends before `crc`, so that a reader finds it without parsing
// either of them. `prev` is the `n` of the session's record before this one, and `born` that of
// its first record. `due` says when something happens to the session by itself: its idle command,
// after so many seconds without a change (0 if it was carried out; without `idle` the app decides),
// and the end of the first sheet whose time is limited.
//
// `undos` counts the steps that can be undone. They are the revisions right before this one,
// unless `undo` names others. Nothing can be redone unless there is `redo`. Both are lists of runs
// of revisions, from the bottom of the stack to its top; a run has its first revision, its last
// one, and the `n` of the record with the highest revision among them. Version 0.1.0 wrote `cur`,
// `tip` and `reach` instead; such a record offers nothing to undo or redo.
//
// These are the other kinds of records; `TokenTable` describes `tokens`:
//
//     {"n":184321,"d":184319,"op":"delete","id":"old","rev":4,"at":…,"prev":…,"born":…,
//      "why":"expired","crc":"a23cb380"}
//     {"n":184322,"d":184321,"op":"app","id":"chat","at":…,"doc":{…},"crc":"…"}
//     {"n":184323,"d":184322,"op":"app-delete","id":"chat","at":…,"crc":"…"}
//     {"n":184324,"d":184323,"op":"mark","at":1795225000913,"crc":"1060b26b"}
//     {"n":184325,"d":184324,"op":"seal","at":1795225100000,"lines":5,"crc":"1a8791a8"}

extension ByteWriter {
    /// Appends `{"n":…,"d":…,"op":"…"`, with which every record begins.
    mutating func append(record operation: String, _ sequence: UInt64, durable: UInt64) {
        object("n")
        append(UInt(sequence))
        member("d", durable)
        member("op", plain: operation)
    }

    /// Appends a seal up to its checksum. `lines` counts the header and the seal as well.
    mutating func append(seal sequence: UInt64, durable: UInt64, at: Milliseconds, lines: UInt64) {
        append(record: "seal", sequence, durable: durable)
        member("at", at)
        member("lines", lines)
    }

    /// Appends a mark up to its checksum.
    mutating func append(mark sequence: UInt64, durable: UInt64, at: Milliseconds) {
        append(record: "mark", sequence, durable: durable)
        member("at", at)
    }

    /// Appends the part of a put between its beginning and its state.
    mutating func append(
        _ record: SessionRecord, previous: UInt64, born: UInt64, runs: UndoRuns
    ) {
        member("id", plain: record.id.rawValue)
        member("rev", record.revision)
        member("at", record.at)
        if let time = record.expiresAt { member("exp", time) }
        if previous > 0 { member("prev", previous) }
        member("born", born)
        member("undos", record.undoing.undo.count)
        member("next", record.nextEntry)
        if let app = record.app { member("app", plain: app.rawValue) }
        if !record.labels.isEmpty { member("labels", record.labels) }
        if !record.due.isEmpty { member("due", record.due) }
        if let undo = runs.undo { member("undo", undo) }
        if let redo = runs.redo { member("redo", redo) }
        if let key = record.key { append(key: key) }
        member("elen", record.event.count)
        member("event", json: record.event)
        member("s")
    }

    private mutating func member(_ name: StaticString, _ runs: [UndoRun]) {
        member(name)
        append(literal: "[")
        for run in runs {
            element()
            append(literal: "[")
            append(run.revisions.bottom)
            append(literal: ",")
            append(run.revisions.top)
            append(literal: ",")
            append(UInt(run.sequence))
            append(literal: "]")
        }
        append(literal: "]")
    }

    /// Appends `,"key":"…","dig":"…"`.
    mutating func append(key: IdempotencyKey) {
        member("key", string: key.key)
        member("dig", hexadecimal: key.digest)
    }

    /// Appends the part of a deletion between its beginning and its checksum.
    mutating func append(_ deletion: Deletion, previous: UInt64, born: UInt64) {
        member("id", plain: deletion.id.rawValue)
        member("rev", deletion.revision)
        member("at", deletion.at)
        member("prev", previous)
        member("born", born)
        member("why", plain: deletion.why.rawValue)
        if let key = deletion.key { append(key: key) }
    }

    /// Appends an app's id and the time of its change.
    mutating func append(_ app: AppID, at: Milliseconds) {
        member("id", plain: app.rawValue)
        member("at", at)
    }

    /// Appends the part of a record of tokens between its beginning and its checksum.
    mutating func append(
        _ tokens: [SessionToken], of id: SessionID, born: UInt64, at: Milliseconds
    ) {
        member("id", plain: id.rawValue)
        member("at", at)
        member("born", born)
        member("tokens")
        append(literal: "[")
        for token in tokens {
            element()
            object("id")
            append(quoting: token.id)
            member("scope", plain: token.scope.rawValue)
            member("sha256", plain: token.digest.hexadecimal)
            if let time = token.expiresAt { member("exp", time) }
            if let time = token.createdAt { member("at", time) }
            if let name = token.name { member("name", plain: name.rawValue) }
            if let commands = token.limits?.commands {
                member("commands", names: commands.map(\.name))
            }
            if let routes = token.limits?.routes { member("routes", names: routes.map(\.text)) }
            append(literal: "}")
        }
        append(literal: "]")
    }
}

extension RecordHeader.Piece {
    /// The bytes as text.
    func text(_ bytes: [UInt8]) -> String { bytes.string(range) }
}

extension RecordHeader {
    /// The idempotency key, if there is one.
    func keptKey(_ bytes: [UInt8]) -> IdempotencyKey? {
        key.text.map { text in
            IdempotencyKey(key: RecordJSON.unescaped(bytes, text.range), digest: key.digest)
        }
    }

    /// When something is due in the session of a put.
    func dueTimes(_ bytes: [UInt8]) -> DueTimes {
        session.due.map { RecordJSON.dueTimes(bytes, $0.range) } ?? .none
    }

    /// The whole record of a put.
    func record(_ bytes: [UInt8]) -> SessionRecord {
        var record = SessionRecord(
            id: SessionID(trusted: id.text(bytes)), revision: Int(session.revision), at: at,
            expiresAt: session.expiresAt == SessionEntry.never ? nil : session.expiresAt,
            app: session.app.map { AppID(trusted: $0.text(bytes)) },
            labels: session.labels.map { RecordJSON.labels(bytes, $0.range) } ?? [],
            undoing: undoing(bytes), nextEntry: Int(session.nextEntry), key: keptKey(bytes),
            event: Array(bytes[body.event.range]), state: Array(bytes[body.state.range]))
        record.due = dueTimes(bytes)
        return record
    }

    /// The deletion of a deletion's record.
    func deletion(_ bytes: [UInt8]) -> Deletion {
        Deletion(
            id: SessionID(trusted: id.text(bytes)), sequence: sequence,
            revision: Int(session.revision), at: at, why: end.reason, key: keptKey(bytes))
    }
}

/// Reads the strings, labels and numbers within a record.
enum RecordJSON {
    /// Returns the value of the JSON string in the quotes around the range. Only a line that
    /// another program wrote can have a string that is not valid JSON; its bytes are returned as
    /// they are.
    static func unescaped(_ bytes: [UInt8], _ range: Range<Int>) -> String {
        let quoted = range.lowerBound - 1..<range.upperBound + 1
        if bytes[range].contains(UInt8(ascii: "\\")),
            case .string(let text)? = try? JSON(parsing: bytes, in: quoted)
        {
            return text
        }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    /// Reads an object of strings, up to the first member that is something else.
    static func labels(_ bytes: [UInt8], _ range: Range<Int>) -> [Label] {
        var reader = LineReader(
            bytes, range.lowerBound + 1..<range.upperBound - 1 + Line.endCount)
        var (labels, key, value) = ([Label](), 0..<0, 0..<0)
        while reader.text(&key), reader.take(0x3A), reader.text(&value) {
            labels.append(Label(key: unescaped(bytes, key), value: unescaped(bytes, value)))
            _ = reader.take(0x2C)
        }
        return labels
    }

    /// Reads when something is due, up to the first member that is something else.
    static func dueTimes(_ bytes: [UInt8], _ range: Range<Int>) -> DueTimes {
        var reader = LineReader(
            bytes, range.lowerBound + 1..<range.upperBound - 1 + Line.endCount)
        var (times, number) = (DueTimes.none, Int64(0))
        while let name = reader.key(), reader.read(&number) {
            switch name {
            case idleKey: times.idleSeconds = Int(number)
            case sheetKey: times.sheetsExpireAt = number
            default: break
            }
            _ = reader.take(0x2C)
        }
        return times
    }

    /// `idle`, as `LineReader.key` gives it.
    private static let idleKey: UInt64 = 0x6964_6C65
    /// `sheet`
    private static let sheetKey: UInt64 = 0x73_6865_6574

    /// Reads an array of arrays of three numbers, at most `triplesMax` of them and up to the first
    /// item that is something else.
    static func triples(
        _ bytes: [UInt8], _ range: Range<Int>
    ) -> [(first: Int64, second: Int64, number: UInt64)] {
        var reader = LineReader(
            bytes, range.lowerBound + 1..<range.upperBound - 1 + Line.endCount)
        var items: [(first: Int64, second: Int64, number: UInt64)] = []
        var item: (first: Int64, second: Int64, number: UInt64) = (0, 0, 0)
        while items.count < triplesMax, reader.take(0x5B), reader.read(&item.first),
            reader.take(0x2C), reader.read(&item.second), reader.take(0x2C),
            reader.read(&item.number), reader.take(0x5D)
        {
            items.append(item)
            _ = reader.take(0x2C)
        }
        return items
    }

    /// More than the number of runs of any stack.
    private static let triplesMax = 72
}
