internal import Bytes
internal import JSON
internal import Navigation
internal import Sessions

/// Why a message of a session's subject is not a record.
package enum SharedRecordError: Error, Equatable, Sendable {
    /// It does not consist of three lines, or a length is wrong.
    case form
    /// The checksum is that of something else: the message was damaged.
    case checksum
    /// A member is missing or has an invalid value.
    case member(String)
}

extension SharedRecord {
    /// Reads a message.
    package init(_ message: ArraySlice<UInt8>) throws(SharedRecordError) {
        self = try SharedRecordText(message).record()
    }
}

/// A message of a session's subject while it is read.
struct SharedRecordText {
    private let members: JSONObject
    private let event: [UInt8]
    private let state: [UInt8]

    /// A head has some twenty members; labels and stacks have the most values.
    private static let limits = JSONLimits(nestingMax: 4, valuesMax: 1_000)
    /// Bytes of `,"crc":"xxxxxxxx"}`.
    private static let endCount = 18

    init(_ message: ArraySlice<UInt8>) throws(SharedRecordError) {
        guard let newline = message.firstIndex(of: ASCII.lineFeed),
            newline - message.startIndex > Self.endCount, message.last == ASCII.lineFeed
        else { throw .form }
        let head = Array(message[..<newline])
        guard case .object(let members)? = try? JSON(parsing: head, limits: Self.limits),
            members.members.last?.key == "crc", case .string(let crc)? = members["crc"]
        else { throw .form }
        self.members = members
        let body = message[(newline + 1)...].dropLast()
        guard case .integer(let count)? = members["elen"], count >= 0, count < body.count,
            body[body.startIndex + Int(count)] == ASCII.lineFeed
        else { throw .form }
        event = Array(body.prefix(Int(count)))
        state = Array(body.dropFirst(Int(count) + 1))
        let covered = 0..<head.count - Self.endCount
        var expected = ByteWriter(capacity: 8)
        expected.append(
            hexadecimal: UInt64(Self.checksum(head: head, covered, event: event, state: state)),
            digits: 8)
        guard crc.utf8.elementsEqual(expected.text) else { throw .checksum }
    }

    /// The checksum over the first line up to `,"crc"`, the event and the state.
    static func checksum(
        head: [UInt8], _ covered: Range<Int>, event: [UInt8], state: [UInt8]
    ) -> UInt32 {
        var value = CRC32C.update(CRC32C.start, over: head, covered)
        for part in [event, state] {
            value = CRC32C.update(value, over: part, part.indices)
        }
        return ~value
    }

    func record() throws(SharedRecordError) -> SharedRecord {
        guard let id = SessionID(try text("id")) else { throw .member("id") }
        let revision = try number("rev", in: 1...Self.numberMax)
        guard let born = Self.number(try text("born"), digits: 16) else { throw .member("born") }
        guard let writer = WriteID(try text("by").utf8) else { throw .member("by") }
        let content: SharedRecord.Content
        switch try text("op") {
        case "put": content = .revision(try put(id, revision))
        case "delete":
            guard let why = DeletionReason(rawValue: try text("why")) else { throw .member("why") }
            content = .end(
                SharedRecord.Tombstone(
                    id: id, revision: revision, at: Milliseconds(try number("at")), why: why,
                    key: try key()))
        default: throw .member("op")
        }
        return SharedRecord(
            content, previous: try number("prev"), born: born, writer: writer)
    }

    private func put(_ id: SessionID, _ revision: Int) throws(SharedRecordError) -> SessionRecord {
        var undoing = UndoStacks(steps: try number("undos"), before: revision)
        if members.contains("undo") { undoing.undo = try stack("undo", before: revision) }
        if members.contains("redo") { undoing.redo = try stack("redo", before: revision) }
        var record = SessionRecord(
            id: id, revision: revision, at: Milliseconds(try number("at")), undoing: undoing,
            nextEntry: try number("next"), key: try key(), event: event,
            state: state)
        if members.contains("exp") { record.expiresAt = Milliseconds(try number("exp")) }
        if members.contains("app") {
            guard let app = AppID(try text("app")) else { throw .member("app") }
            record.app = app
        }
        if members.contains("appv") { record.appSequence = UInt64(try number("appv")) }
        record.labels = try labels()
        return record
    }

    private func labels() throws(SharedRecordError) -> [Label] {
        guard let value = members["labels"] else { return [] }
        guard case .object(let object) = value else { throw .member("labels") }
        var labels: [Label] = []
        for member in object.members {
            guard case .string(let text) = member.value else { throw .member("labels") }
            labels.append(Label(key: member.key, value: text))
        }
        return labels
    }

    private func stack(
        _ name: String, before revision: Int
    ) throws(SharedRecordError) -> RevisionStack {
        guard case .array(let items)? = members[name] else { throw .member(name) }
        var runs: [RevisionStack.Run] = []
        for item in items {
            guard case .array(let ends) = item, ends.count == 2,
                case .integer(let bottom) = ends[0], case .integer(let top) = ends[1],
                (1...Int64(Self.numberMax)).contains(bottom),
                (1...Int64(Self.numberMax)).contains(top)
            else { throw .member(name) }
            runs.append(RevisionStack.Run(bottom: Int(bottom), top: Int(top)))
        }
        guard RevisionStack.isStack(runs, before: revision) else { throw .member(name) }
        return RevisionStack(runs)
    }

    private func key() throws(SharedRecordError) -> IdempotencyKey? {
        guard members.contains("key") else { return nil }
        guard let digest = Self.number(try text("dig"), digits: 16) else { throw .member("dig") }
        return IdempotencyKey(key: try text("key"), digest: digest)
    }

    private func text(_ name: String) throws(SharedRecordError) -> String {
        guard case .string(let text)? = members[name] else { throw .member(name) }
        return text
    }

    private func number(
        _ name: String, in range: ClosedRange<Int> = 0...numberMax
    ) throws(SharedRecordError) -> Int {
        guard case .integer(let number)? = members[name], range.contains(Int(number))
        else { throw .member(name) }
        return Int(number)
    }

    /// Every number is below 2^53, as everywhere in JSON.
    private static let numberMax = 1 << 53 - 1

    private static func number(_ text: String, digits: Int) -> UInt64? {
        guard text.utf8.count == digits else { return nil }
        return Hexadecimal.number(text.utf8)
    }
}
