internal import Bytes
internal import JSON
internal import Navigation
internal import Sessions

/// Why a message on a session's subject is not a valid record.
package enum SharedRecordError: Error, Equatable, Sendable {
    /// The message does not consist of three lines, or a length is wrong.
    case form
    /// The checksum does not match: the message is damaged.
    case checksum
    /// A member is missing or has an invalid value.
    case member(String)
    /// The store is described in this newer format.
    case newerFormat(Int)
}

extension SharedRecord {
    /// Parses a message.
    package init(_ message: ArraySlice<UInt8>) throws(SharedRecordError) {
        self = try SharedRecordText(message).record()
    }
}

/// A message of the store, split into its parts: the members of its first line, and two texts.
struct SharedRecordText {
    private let members: JSONObject
    /// The second line.
    let event: [UInt8]
    /// The third line.
    let state: [UInt8]

    /// A head has about twenty members. Most of its values are in labels and stacks.
    private static let limits = JSONLimits(nestingMax: 4, valuesMax: 1_000)
    /// The number of bytes in `,"crc":"xxxxxxxx"}`.
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
        guard crc.utf8.elementsEqual(expected.finish()) else { throw .checksum }
    }

    /// Completes a message whose first line has been written up to its last members.
    static func seal(
        _ head: consuming ByteWriter, event: [UInt8] = [], state: [UInt8]
    ) -> [UInt8] {
        head.append(literal: #","elen":"#)
        head.append(event.count)
        var text = head.finish()
        let crc = checksum(head: text, text.indices, event: event, state: state)
        var rest = ByteWriter(capacity: event.count + state.count + 24)
        rest.append(literal: #","crc":""#)
        rest.append(hexadecimal: UInt64(crc), digits: 8)
        rest.append(literal: "\"}\n")
        rest.append(event)
        rest.append(UInt8(ascii: "\n"))
        rest.append(state)
        rest.append(UInt8(ascii: "\n"))
        text.append(rest)
        return text
    }

    /// The checksum over the first line up to `,"crc"`, the event and the state.
    private static func checksum(
        head: [UInt8], _ covered: Range<Int>, event: [UInt8], state: [UInt8]
    ) -> UInt32 {
        var value = CRC32C.update(CRC32C.start, over: head, covered)
        for part in [event, state] {
            value = CRC32C.update(value, over: part, part.indices)
        }
        return ~value
    }

    /// The number of the message that this one follows, and whose write it is.
    func link() throws(SharedRecordError) -> SharedLink {
        guard let writer = WriteID(try text("by").utf8) else { throw .member("by") }
        return SharedLink(previous: try number("prev"), writer: writer)
    }

    /// Sixty-four bits as sixteen hexadecimal digits.
    func word(_ name: String) throws(SharedRecordError) -> UInt64 {
        guard let word = Self.number(try text(name), digits: 16) else { throw .member(name) }
        return word
    }

    func record() throws(SharedRecordError) -> SharedRecord {
        guard let id = SessionID(try text("id")) else { throw .member("id") }
        let revision = try number("rev", in: 1...Self.numberMax)
        let (born, link) = (try word("born"), try link())
        let content: SharedRecord.Content
        switch try text("op") {
        case "put": content = .revision(try put(id, revision))
        case "delete":
            guard let why = DeletionReason(named: try text("why")) else { throw .member("why") }
            var tombstone = SharedRecord.Tombstone(
                id: id, revision: revision, at: Milliseconds(try number("at")), why: why,
                key: try key(), author: try author())
            tombstone.standsFor = try created()
            content = .end(tombstone)
        default: throw .member("op")
        }
        return SharedRecord(content, previous: link.previous, born: born, writer: link.writer)
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
        let (key, first) = (try text("key"), try word("dig"))
        guard has("jdig") else { return IdempotencyKey(key: key, digest: first) }
        return IdempotencyKey(key: key, digest: try word("jdig"), bytesDigest: first)
    }

    private func author() throws(SharedRecordError) -> TokenName? {
        guard members.contains("author") else { return nil }
        guard let author = TokenName(try text("author")) else { throw .member("author") }
        return author
    }

    private func created() throws(SharedRecordError) -> SessionID? {
        guard has("for") else { return nil }
        guard let id = SessionID(try text("for")) else { throw .member("for") }
        return id
    }

    /// Whether there is a member of that name.
    func has(_ name: String) -> Bool { members.contains(name) }

    /// A member that is text.
    func text(_ name: String) throws(SharedRecordError) -> String {
        guard case .string(let text)? = members[name] else { throw .member(name) }
        return text
    }

    /// A member that is a number within a range.
    func number(
        _ name: String, in range: ClosedRange<Int> = 0...numberMax
    ) throws(SharedRecordError) -> Int {
        guard case .integer(let number)? = members[name], range.contains(Int(number))
        else { throw .member(name) }
        return Int(number)
    }

    /// Numbers are below 2^53, so that any JSON parser can represent them.
    static let numberMax = 1 << 53 - 1

    private static func number(_ text: String, digits: Int) -> UInt64? {
        guard text.utf8.count == digits else { return nil }
        return Hexadecimal.number(text.utf8)
    }
}
