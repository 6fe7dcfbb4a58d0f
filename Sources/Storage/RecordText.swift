internal import Navigation

// The words of the lines.
//
//     {"n":184320,"d":184319,"op":"put","id":"kiosk-1","rev":29,"at":1795225000412,
//      "exp":1797817000412,"prev":184100,"born":170000,"cur":29,"tip":29,"undos":28,"next":12,
//      "app":"chat","labels":{"room":"lobby"},"reach":[[28,28,184100]],"key":"9f1c",
//      "dig":"00c0ffee00c0ffee","elen":64,"event":{…},"s":{…},"crc":"59be0d0c"}
//
// (in one line). Keys stand in this order; `exp`, `prev`, `app`, `labels`, `reach`, `key` with
// `dig` are left out when there is nothing to say. `elen` is the length of the event's text, so
// that the state, which runs to the end, is found without parsing either. `born` is the `n` of
// the session's first record, `prev` that of the one before, and `reach` names the records that
// undo and redo can go to where that is not simply the last 32: revision, its cursor, its `n`.
//
//     {"n":184321,"d":184319,"op":"delete","id":"old","rev":4,"at":…,"prev":…,"born":…,
//      "why":"expired","crc":"a23cb380"}
//     {"n":184322,"d":184321,"op":"app","id":"chat","at":…,"doc":{…},"crc":"…"}
//     {"n":184323,"d":184322,"op":"app-delete","id":"chat","at":…,"crc":"…"}
//     {"n":184323,…,"op":"tokens",…}: a session's tokens, see TokenTable.swift
//     {"n":184324,"d":184323,"op":"mark","at":1795225000913,"crc":"1060b26b"}
//     {"n":184325,"d":184324,"op":"seal","at":1795225100000,"lines":5,"crc":"1a8791a8"}

/// A record that undo or redo can go to.
struct Reach: Equatable, Sendable {
    var revision: Int64
    /// The revision whose navigation it shows.
    var cursor: Int64
    var sequence: UInt64
}

extension [UInt8] {
    /// `{"n":…,"d":…,"op":"…"`, which all records begin with.
    mutating func append(record operation: String, _ sequence: UInt64, durable: UInt64) {
        append(text: "{\"n\":")
        append(decimal: sequence)
        append(text: ",\"d\":")
        append(decimal: durable)
        append(text: ",\"op\":\"")
        append(text: operation)
        append(0x22)
    }

    /// A seal up to its checksum; `lines` counts header and seal as well.
    mutating func append(seal sequence: UInt64, durable: UInt64, at: Milliseconds, lines: UInt64) {
        append(record: "seal", sequence, durable: durable)
        append(key: ",\"at\":", at)
        append(key: ",\"lines\":", lines)
    }

    mutating func append(key: String, _ number: Int64) {
        append(text: key)
        append(decimal: number)
    }

    mutating func append(key: String, _ number: UInt64) {
        append(text: key)
        append(decimal: number)
    }

    /// All of a put between its beginning and its checksum.
    mutating func append(
        _ record: SessionRecord, previous: UInt64, born: UInt64, reach: [Reach]
    ) -> (event: Range<Int>, state: Range<Int>) {
        append(text: ",\"id\":\"")
        append(text: record.id.rawValue)
        append(key: "\",\"rev\":", Int64(record.revision))
        append(key: ",\"at\":", record.at)
        if let time = record.expiresAt { append(key: ",\"exp\":", time) }
        if previous > 0 { append(key: ",\"prev\":", previous) }
        append(key: ",\"born\":", born)
        append(key: ",\"cur\":", Int64(record.cursor))
        append(key: ",\"tip\":", Int64(record.tip))
        append(key: ",\"undos\":", Int64(record.undos))
        append(key: ",\"next\":", Int64(record.nextEntry))
        if let app = record.app { append(app: app) }
        if !record.labels.isEmpty { append(labels: record.labels) }
        if !reach.isEmpty { append(reach: reach) }
        if let key = record.key { append(key: key) }
        append(key: ",\"elen\":", UInt64(record.event.count))
        append(text: ",\"event\":")
        let eventStart = count
        append(contentsOf: record.event)
        append(text: ",\"s\":")
        let stateStart = count
        append(contentsOf: record.state)
        return (eventStart..<eventStart + record.event.count, stateStart..<count)
    }

    private mutating func append(app: AppID) {
        append(text: ",\"app\":\"")
        append(text: app.rawValue)
        append(0x22)
    }

    private mutating func append(labels: [Label]) {
        append(text: ",\"labels\":{")
        for (index, label) in labels.enumerated() {
            if index > 0 { append(0x2C) }
            append(json: label.key)
            append(0x3A)
            append(json: label.value)
        }
        append(0x7D)
    }

    private mutating func append(reach: [Reach]) {
        append(text: ",\"reach\":[")
        for (index, item) in reach.enumerated() {
            append(key: index > 0 ? ",[" : "[", item.revision)
            append(key: ",", item.cursor)
            append(key: ",", item.sequence)
            append(0x5D)
        }
        append(0x5D)
    }

    /// `,"key":"…","dig":"…"`.
    mutating func append(key: KeptKey) {
        append(text: ",\"key\":")
        append(json: key.key)
        append(text: ",\"dig\":\"")
        append(hexadecimal: key.digest, digits: 16)
        append(0x22)
    }

    /// All of a deletion between its beginning and its checksum.
    mutating func append(_ deletion: Deletion, previous: UInt64, born: UInt64) {
        append(text: ",\"id\":\"")
        append(text: deletion.id.rawValue)
        append(key: "\",\"rev\":", Int64(deletion.revision))
        append(key: ",\"at\":", deletion.at)
        append(key: ",\"prev\":", previous)
        append(key: ",\"born\":", born)
        append(text: ",\"why\":\"")
        append(text: deletion.why.rawValue)
        append(0x22)
        if let key = deletion.key { append(key: key) }
    }
}

extension Envelope {
    func text(_ range: Range<Int>, _ bytes: [UInt8]) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    func keptKey(_ bytes: [UInt8]) -> KeptKey? {
        key.map { KeptKey(key: EnvelopeText.unescaped(bytes, $0), digest: digest) }
    }

    /// The whole record of a put.
    func record(_ bytes: [UInt8]) -> SessionRecord {
        SessionRecord(
            id: SessionID(trusted: text(id, bytes)), revision: Int(revision), at: at,
            expiresAt: expiresAt, app: app.map { AppID(trusted: text($0, bytes)) },
            labels: labels.map { EnvelopeText.labels(bytes, $0) } ?? [], cursor: Int(cursor),
            tip: Int(tip), undos: Int(undos), nextEntry: Int(nextEntry), key: keptKey(bytes),
            event: Array(bytes[event]), state: Array(bytes[state]))
    }

    func deletion(_ bytes: [UInt8]) -> Deletion {
        Deletion(
            id: SessionID(trusted: text(id, bytes)), sequence: sequence, revision: Int(revision),
            at: at, why: why, key: keptKey(bytes))
    }

    func reached(_ bytes: [UInt8]) -> [Reach] {
        reach.map { EnvelopeText.reach(bytes, $0) } ?? []
    }
}

/// The little JSON that the store itself writes and reads: strings, labels, triples.
enum EnvelopeText {
    /// Undoes what `append(json:)` did.
    static func unescaped(_ bytes: [UInt8], _ range: Range<Int>) -> String {
        guard bytes[range].contains(0x5C) else {
            return String(decoding: bytes[range], as: UTF8.self)
        }
        var (text, at) = ([UInt8](), range.lowerBound)
        while at < range.upperBound {
            guard bytes[at] == 0x5C, at + 1 < range.upperBound else {
                text.append(bytes[at])
                at += 1
                continue
            }
            if bytes[at + 1] == 0x75, at + 6 <= range.upperBound {
                let digits = String(decoding: bytes[at + 2..<at + 6], as: UTF8.self)
                text.append(UInt8(digits, radix: 16) ?? 0x3F)
                at += 6
            } else {
                text.append(bytes[at + 1])
                at += 2
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func labels(_ bytes: [UInt8], _ range: Range<Int>) -> [Label] {
        var reader = EnvelopeReader(
            bytes, range.lowerBound + 1..<range.upperBound - 1 + Line.endCount)
        var (labels, key, value) = ([Label](), 0..<0, 0..<0)
        while reader.text(&key), reader.take(0x3A), reader.text(&value) {
            labels.append(Label(key: unescaped(bytes, key), value: unescaped(bytes, value)))
            _ = reader.take(0x2C)
        }
        return labels
    }

    static func reach(_ bytes: [UInt8], _ range: Range<Int>) -> [Reach] {
        var reader = EnvelopeReader(
            bytes, range.lowerBound + 1..<range.upperBound - 1 + Line.endCount)
        var (items, item) = ([Reach](), Reach(revision: 0, cursor: 0, sequence: 0))
        while reader.take(0x5B), reader.read(&item.revision), reader.take(0x2C),
            reader.read(&item.cursor), reader.take(0x2C), reader.read(&item.sequence),
            reader.take(0x5D)
        {
            items.append(item)
            _ = reader.take(0x2C)
        }
        return items
    }
}
