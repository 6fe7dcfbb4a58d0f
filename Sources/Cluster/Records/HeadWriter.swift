internal import Bytes
internal import JSON
internal import Navigation
internal import Sessions

/// Writes the first line of a message, member by member.
struct HeadWriter: ~Copyable {
    private var line: ByteWriter

    /// Begins a line.
    ///
    /// - Parameters:
    ///   - operation: what the message says.
    ///   - capacity: the size of the line that is likely, in bytes.
    init(_ operation: StaticString, capacity: Int = 512) {
        line = ByteWriter(capacity: capacity)
        line.append(literal: #"{"op":""#)
        line.append(literal: operation)
        line.append(ASCII.quote)
    }

    private mutating func begin(_ name: StaticString) {
        line.append(literal: ",\"")
        line.append(literal: name)
        line.append(literal: "\":")
    }

    mutating func append(_ name: StaticString, _ number: Int) {
        begin(name)
        line.append(number)
    }

    /// Appends text without any character that JSON escapes.
    mutating func append(_ name: StaticString, plain text: String) {
        begin(name)
        line.append(ASCII.quote)
        line.append(text)
        line.append(ASCII.quote)
    }

    mutating func append(_ name: StaticString, text: String) {
        begin(name)
        line.append(string: text)
    }

    /// Appends sixteen hexadecimal digits.
    mutating func append(_ name: StaticString, word: UInt64) {
        begin(name)
        line.append(ASCII.quote)
        line.append(hexadecimal: word, digits: 16)
        line.append(ASCII.quote)
    }

    mutating func append(_ name: StaticString, _ labels: [Label]) {
        begin(name)
        line.append(labels)
    }

    mutating func append(_ name: StaticString, _ due: DueTimes) {
        begin(name)
        var members = JSONObject()
        if let seconds = due.idleSeconds { members.append("idle", .integer(Int64(seconds))) }
        if let time = due.sheetsExpireAt { members.append("sheet", .integer(time)) }
        JSON.object(members).write(to: &line)
    }

    mutating func append(_ name: StaticString, _ stack: RevisionStack) {
        begin(name)
        for (index, run) in stack.runs.enumerated() {
            line.append(index > 0 ? ",[" : "[[")
            line.append(run.bottom)
            line.append(UInt8(ascii: ","))
            line.append(run.top)
            line.append(UInt8(ascii: "]"))
        }
        line.append(UInt8(ascii: "]"))
    }

    mutating func append(_ link: SharedLink) {
        append("prev", link.previous)
        append("by", plain: link.writer.text)
    }

    mutating func append(_ key: IdempotencyKey) {
        append("key", text: key.key)
        // Servers of version 0.2 compare `dig` with the digest of the bytes.
        append("dig", word: key.bytesDigest ?? key.digest)
        if key.bytesDigest != nil { append("jdig", word: key.digest) }
    }

    /// The message with this line.
    consuming func seal(event: [UInt8] = [], state: [UInt8]) -> [UInt8] {
        SharedRecordText.seal(line, event: event, state: state)
    }
}
