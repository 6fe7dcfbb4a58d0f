/// The parser's knowledge of a head. It is small enough to be copied and owns no memory.
struct RequestHead: Sendable {
    var method = Method.get
    /// 0 or 1.
    var minorVersion: UInt8 = 1
    var keepsAlive = true
    var expectsContinue = false
    var target = PackedTarget()
    /// The host of the target if it has one, otherwise of `Host`. It is nil only in HTTP/1.0.
    var authority: PackedAuthority?
    /// Where in the message the field lines begin.
    var fieldsStart = 0
    /// The number of the field lines in `KnownHeads`, or 0 if they were parsed for this message.
    var fieldLines: UInt64 = 0
    /// Relative to `fieldsStart`.
    var fields = FieldTable()
    var body = BodyExtent()

    init() {}
}

/// Where the parts of a request target are in the message.
struct PackedTarget: Sendable {
    var path = PackedRange()
    /// The part after the question mark, if there is one.
    var query: PackedRange?
    /// Whether the target is `*`.
    var isAsterisk = false
}

/// The authority that a request is for.
struct PackedAuthority: Sendable {
    var host: PackedRange
    var port: UInt16?
}

/// Where the body of a message is.
struct BodyExtent: Sendable {
    /// The length of the head, including the empty line that ends it.
    var start = 0
    /// The length of the head and the body as they were sent.
    var messageLength = 0
    /// Whether the body is part of the message's bytes: it was not sent in chunks.
    var isInline = true
    /// Whether content was announced that has not come. Only in a head without its body.
    var isAnnounced = false
}

/// Where in the field lines the values of the known fields are.
struct FieldTable: Sendable {
    private var ranges = InlineArray<24, PackedRange>(repeating: PackedRange())
    /// The fields that were sent, one bit each.
    private var present: UInt32 = 0
    /// The list fields that were sent on several lines, one bit each.
    private var repeated: UInt32 = 0

    init() {}

    /// The value of the first line of the field.
    subscript(field: Field) -> PackedRange? {
        present & Self.bit(field) != 0 ? ranges[Int(field.rawValue)] : nil
    }

    /// Whether there may be an id of the request.
    var haveID: Bool { present & (Self.bit(.xRequestID) | Self.bit(.traceparent)) != 0 }

    /// Whether a list field was sent on several lines.
    func isRepeated(_ field: Field) -> Bool { repeated & Self.bit(field) != 0 }

    /// Stores the value of a field's first line, or refuses the second line of a field that must
    /// have only one.
    mutating func keep(_ field: Field, _ range: Range<Int>) throws(MalformedMessageError) {
        let bit = Self.bit(field)
        guard present & bit != 0 else {
            present |= bit
            ranges[Int(field.rawValue)] = PackedRange(range)
            return
        }
        switch field.repetition {
        case .refused: throw .repeatedField(field)
        case .list: repeated |= bit
        case .ignored: break
        }
    }

    private static func bit(_ field: Field) -> UInt32 { 1 &<< UInt32(field.rawValue) }
}
