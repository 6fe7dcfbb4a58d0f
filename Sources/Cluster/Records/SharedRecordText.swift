internal import Bytes
internal import JSON
internal import Navigation
internal import Sessions

/// Why a message on a session's subject is not a valid record.
enum SharedRecordError: Error, Equatable, Sendable {
    /// The message does not consist of three lines, or a length is wrong.
    case form
    /// The checksum does not match: the message is damaged.
    case checksum
    /// A member is missing or has an invalid value.
    case member(String)
    /// The store is described in this newer format.
    case newerFormat(Int)
}

/// A message of the store, split into its parts: the members of its first line, and two texts.
struct SharedRecordText {
    /// A member of the first line: where its name and its value are.
    private struct Member {
        let name: Range<Int>
        let value: Range<Int>
    }

    private let head: [UInt8]
    private let members: [Member]
    let event: [UInt8]
    let state: [UInt8]

    /// A head has at most twenty members in this version.
    private static let membersMax = 64
    /// Most of its values are in labels and stacks.
    private static let limits = JSONLimits(nestingMax: 4, valuesMax: 1_000)
    /// The number of bytes in `,"crc":"xxxxxxxx"}`.
    private static let endCount = 18

    init(_ message: ArraySlice<UInt8>) throws(SharedRecordError) {
        guard let newline = message.firstIndex(of: ASCII.lineFeed),
            newline - message.startIndex > Self.endCount, message.last == ASCII.lineFeed
        else { throw .form }
        head = Array(message[..<newline])
        members = try Self.members(of: head)
        let (head, body) = (head, message[(newline + 1)...].dropLast())
        guard let last = members.last, head.span.isSame(as: "crc", in: last.name),
            let elen = Self.find("elen", in: head, members),
            let count = Decimal.number(head[elen], digitsMax: 16), count < body.count,
            body[body.startIndex + count] == ASCII.lineFeed
        else { throw .form }
        event = Array(body.prefix(count))
        state = Array(body.dropFirst(count + 1))
        let covered = 0..<head.count - Self.endCount
        let checksum = Self.checksum(
            CRC32C.update(CRC32C.start, over: head, covered), event: event, state: state)
        guard let digits = Self.plain(last.value, in: head), digits.count == 8 else { throw .form }
        guard Hexadecimal.number(digits) == UInt64(checksum) else { throw .checksum }
    }

    private static func members(of head: [UInt8]) throws(SharedRecordError) -> [Member] {
        var members: [Member] = []
        members.reserveCapacity(24)
        var reader = JSONReader(head, limits: limits)
        do {
            try reader.beginObject()
            while let name = try reader.nextKeyRange() {
                guard members.count < membersMax else { throw SharedRecordError.form }
                let isNew = members.allSatisfy { !head.span.isSame(in: $0.name, as: name) }
                guard isNew else { throw SharedRecordError.form }
                members.append(Member(name: name, value: try reader.skipValue()))
            }
            try reader.expectEnd()
        } catch {
            throw .form
        }
        return members
    }

    private static func find(
        _ name: String, in head: [UInt8], _ members: [Member]
    ) -> Range<Int>? {
        name.withBytes { name in
            members.first { head.span.extracting($0.name).isSame(as: name) }?.value
        }
    }

    /// The bytes of a value that is text without escapes. Nil for another value.
    private static func plain(_ value: Range<Int>, in head: [UInt8]) -> ArraySlice<UInt8>? {
        guard head[value.lowerBound] == ASCII.quote else { return nil }
        let text = head[value.dropFirst().dropLast()]
        return text.contains(ASCII.backslash) ? nil : text
    }

    /// The place of a member's value.
    private func place(of name: String) -> Range<Int>? { Self.find(name, in: head, members) }

    /// The value of a member.
    private func value(_ name: String) -> JSON? {
        place(of: name).flatMap { try? JSON(parsing: head, in: $0, limits: Self.limits) }
    }

    /// Completes a message whose first line has been written up to its last members.
    static func seal(
        _ head: consuming ByteWriter, event: [UInt8] = [], state: [UInt8]
    ) -> [UInt8] {
        close(&head, event: event, state: state)
        head.append(UInt8(ascii: "\n"))
        head.append(event)
        head.append(UInt8(ascii: "\n"))
        head.append(state)
        head.append(UInt8(ascii: "\n"))
        return head.finish()
    }

    /// Writes the last members of the first line.
    static func close(_ head: inout ByteWriter, event: [UInt8] = [], state: [UInt8] = []) {
        head.member("elen", event.count)
        let crc = checksum(CRC32C.update(CRC32C.start, over: head), event: event, state: state)
        head.append(literal: #","crc":""#)
        head.append(hexadecimal: UInt64(crc), digits: 8)
        head.append(literal: "\"}")
    }

    /// The checksum over the first line up to `,"crc"`, the event and the state.
    ///
    /// - Parameter head: the raw value after the first line.
    private static func checksum(_ head: UInt32, event: [UInt8], state: [UInt8]) -> UInt32 {
        let value = CRC32C.update(head, over: event, event.indices)
        return ~CRC32C.update(value, over: state, state.indices)
    }

    /// The number of the message that this one follows, and whose write it is.
    func link() throws(SharedRecordError) -> SharedLink {
        SharedLink(
            previous: try number("prev"), writer: try digits("by") { WriteID($0) })
    }

    /// Sixty-four bits as sixteen hexadecimal digits.
    func word(_ name: String) throws(SharedRecordError) -> UInt64 {
        try digits(name) { $0.count == 16 ? Hexadecimal.number($0) : nil }
    }

    /// A member that is text without escapes.
    private func digits<Value>(
        _ name: String, _ read: (ArraySlice<UInt8>) -> Value?
    ) throws(SharedRecordError) -> Value {
        guard let place = place(of: name), let text = Self.plain(place, in: head),
            let value = read(text)
        else { throw .member(name) }
        return value
    }

    /// The labels of a session.
    func labels() throws(SharedRecordError) -> [Label] {
        guard has("labels") else { return [] }
        guard case .object(let object)? = value("labels") else { throw .member("labels") }
        var labels: [Label] = []
        for member in object.members {
            guard case .string(let text) = member.value else { throw .member("labels") }
            labels.append(Label(key: member.key, value: text))
        }
        return labels
    }

    /// When something is due in a session.
    func dueTimes() throws(SharedRecordError) -> DueTimes {
        guard has("due") else { return .none }
        guard case .object(let object)? = value("due") else { throw .member("due") }
        var times = DueTimes.none
        if case .integer(let seconds)? = object["idle"] { times.idleSeconds = Int(seconds) }
        if case .integer(let time)? = object["sheet"] { times.sheetsExpireAt = time }
        return times
    }

    /// Revisions that can be returned to.
    func stack(
        _ name: String, before revision: Int
    ) throws(SharedRecordError) -> RevisionStack {
        guard case .array(let items)? = value(name) else { throw .member(name) }
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

    /// The idempotency key of a request.
    func key() throws(SharedRecordError) -> IdempotencyKey? {
        guard has("key") else { return nil }
        let (key, first) = (try text("key"), try word("dig"))
        guard has("jdig") else { return IdempotencyKey(key: key, digest: first) }
        return IdempotencyKey(key: key, digest: try word("jdig"), bytesDigest: first)
    }

    /// A member whose text means something.
    func required<Value>(
        _ name: String, _ read: (String) -> Value?
    ) throws(SharedRecordError) -> Value {
        guard let value = read(try text(name)) else { throw .member(name) }
        return value
    }

    /// A member whose text means something. Nil if it is missing.
    func optional<Value>(
        _ name: String, _ read: (String) -> Value?
    ) throws(SharedRecordError) -> Value? {
        has(name) ? try required(name, read) : nil
    }

    /// Whether there is a member of that name.
    func has(_ name: String) -> Bool { place(of: name) != nil }

    /// A member that is text.
    func text(_ name: String) throws(SharedRecordError) -> String {
        guard case .string(let text)? = value(name) else { throw .member(name) }
        return text
    }

    /// A member that is a number within a range.
    func number(
        _ name: String, in range: ClosedRange<Int> = 0...numberMax
    ) throws(SharedRecordError) -> Int {
        guard let place = place(of: name),
            let number = Decimal.number(head[place], digitsMax: 16), range.contains(number)
        else { throw .member(name) }
        return number
    }

    /// Numbers are below 2^53, so that any JSON parser can represent them.
    static let numberMax = 1 << 53 - 1
}

// The first line is written member by member.
extension ByteWriter {
    /// Begins the first line of a message.
    ///
    /// - Parameters:
    ///   - operation: what the message says.
    ///   - capacity: the size of the line that is likely, in bytes.
    init(operation: StaticString, capacity: Int = 512) {
        self.init(capacity: capacity)
        append(literal: #"{"op":""#)
        append(literal: operation)
        append(ASCII.quote)
    }

    mutating func member(_ name: StaticString, _ stack: RevisionStack) {
        member(name)
        append(literal: "[")
        for run in stack.runs {
            element()
            append(literal: "[")
            append(run.bottom)
            append(literal: ",")
            append(run.top)
            append(literal: "]")
        }
        append(literal: "]")
    }

    mutating func append(_ link: SharedLink) {
        member("prev", link.previous)
        member("by", link.writer)
    }

    mutating func append(_ key: IdempotencyKey) {
        member("key", string: key.key)
        // Servers of version 0.2 compare `dig` with the digest of the bytes.
        member("dig", hexadecimal: key.bytesDigest ?? key.digest)
        if key.bytesDigest != nil { member("jdig", hexadecimal: key.digest) }
    }
}
