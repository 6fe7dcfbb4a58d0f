/// The head of a request, byte by byte, from its first line to the empty line.
///
/// It can stop behind any byte and go on there, so its cost is linear in the input however that
/// is cut, and a bad byte is refused when it is seen and not when the line or the head is whole.
/// All positions count from the first byte of the message.
///
///     phase        ends at                      then
///     emptyLines   the first byte not CR LF     method
///     method       SP                           target
///     target       SP                           version
///     version      CR LF behind HTTP/d.d        lineStart     the request line is judged
///     lineStart    CR                           endOfHead
///                  a token byte                 fieldName
///     fieldName    the colon                    fieldValue
///     fieldValue   CR                           lineFeed
///     lineFeed     LF                           lineStart     the field is judged
///     endOfHead    LF                           finished
///
/// The trailers of a chunked body are read by the same machine, from `lineStart`; their names are
/// then looked up by nobody.
struct HeadParser: Sendable {
    enum Phase: UInt8, Sendable {
        case emptyLines, method, target, version
        case lineStart, fieldName, fieldValue, lineFeed, endOfHead, finished
    }

    var phase = Phase.emptyLines
    /// The next byte to look at.
    var position = 0
    /// Where the current line begins.
    var start = 0
    /// Where the method ends, later the field's name.
    private(set) var firstEnd = 0
    /// Where the target ends, later the field's value.
    private(set) var secondEnd = 0
    private(set) var majorVersion: UInt8 = 1
    var fieldCount = 0
    /// Where the section of field lines begins: that of the head, later that of the trailers.
    var sectionStart = 0
    var isTrailer = false
    var facts = FramingFacts()
    var head = RequestHead()

    /// Reads on; true when the empty line is behind it, false when the input ends before.
    mutating func advance(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(Malformation) -> Bool {
        while true {
            let goesOn =
                switch phase {
                case .emptyLines: try readEmptyLines(message, limits)
                case .method: try readMethod(message, limits)
                case .target: try readTarget(message, limits)
                case .version: try readVersion(message)
                case .lineStart: try readLineStart(message, limits)
                case .fieldName: try readFieldName(message, limits)
                case .fieldValue: try readFieldValue(message, limits)
                case .lineFeed: try readLineFeed(message)
                case .endOfHead: try readEndOfHead(message)
                case .finished: false
                }
            if !goesOn { return phase == .finished }
        }
    }

    /// Moves over bytes that belong and gives the first that does not; nil where the input ends.
    @inline(__always)
    private mutating func pass(
        _ message: Span<UInt8>, while belongs: (UInt8) -> Bool
    ) -> UInt8? {
        var index = position
        while index < message.count {
            let byte = message[index]
            guard belongs(byte) else {
                position = index
                return byte
            }
            index &+= 1
        }
        position = index
        return nil
    }

    private mutating func readEmptyLines(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(Malformation) -> Bool {
        while position < message.count {
            let byte = message[position]
            let expectsLineFeed = (position - start) % 2 == 1
            if expectsLineFeed, byte != ASCII.lineFeed { throw .bareCarriageReturn }
            if !expectsLineFeed, byte != ASCII.carriageReturn {
                guard byte != ASCII.lineFeed else { throw .bareLineFeed }
                (start, phase) = (position, .method)
                return true
            }
            position += 1
            guard position - start <= 2 * limits.emptyLinesMax else { throw .tooManyEmptyLines }
        }
        return false
    }
}

// MARK: - The request line

extension HeadParser {
    private mutating func readMethod(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(Malformation) -> Bool {
        let byte = pass(message, while: ASCII.isToken)
        guard position <= start + limits.requestLineBytesMax else {
            throw .requestLineTooLong(bytesMax: limits.requestLineBytesMax)
        }
        guard let byte else { return false }
        guard byte == ASCII.space, position > start else { throw .requestLine }
        firstEnd = position
        position += 1
        phase = .target
        return true
    }

    private mutating func readTarget(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(Malformation) -> Bool {
        let byte = pass(message, while: ASCII.isTarget)
        // The bound that is met first, however the input is cut.
        let lineEnd = start + limits.requestLineBytesMax
        let targetEnd = firstEnd + 1 + limits.targetBytesMax
        guard position <= min(lineEnd, targetEnd) else {
            throw targetEnd < lineEnd
                ? .targetTooLong(bytesMax: limits.targetBytesMax)
                : .requestLineTooLong(bytesMax: limits.requestLineBytesMax)
        }
        guard let byte else { return false }
        guard byte == ASCII.space, position > firstEnd + 1 else { throw Self.refusal(target: byte) }
        secondEnd = position
        position += 1
        phase = .version
        return true
    }

    private static func refusal(target byte: UInt8) -> Malformation {
        switch byte {
        case ASCII.space, ASCII.tab, ASCII.carriageReturn: .requestLine
        case ASCII.lineFeed: .bareLineFeed
        case 0...0x1F, 0x7F: .controlByte(byte)
        default: .target
        }
    }

    /// `HTTP/d.d` CR LF, each byte in its place.
    private mutating func readVersion(_ message: Span<UInt8>) throws(Malformation) -> Bool {
        while position < message.count {
            let byte = message[position]
            try checkVersion(byte, at: position - secondEnd - 1)
            position += 1
            guard position - secondEnd == 11 else { continue }
            try judgeRequestLine(message)
            (phase, sectionStart) = (.lineStart, position)
            head.fieldsStart = position
            return true
        }
        return false
    }

    private mutating func checkVersion(_ byte: UInt8, at place: Int) throws(Malformation) {
        let fits =
            switch place {
            case 0: byte == 0x48
            case 1, 2: byte == 0x54
            case 3: byte == 0x50
            case 4: byte == ASCII.slash
            case 6: byte == ASCII.dot
            case 5, 7: ASCII.isDigit(byte)
            case 8: byte == ASCII.carriageReturn
            default: byte == ASCII.lineFeed
            }
        guard fits else { throw Self.refusal(version: byte, at: place) }
        if place == 5 { majorVersion = byte - ASCII.zero }
        if place == 7 { head.minorVersion = min(byte - ASCII.zero, 1) }
    }

    private static func refusal(version byte: UInt8, at place: Int) -> Malformation {
        if place == 9 { return .bareCarriageReturn }
        return place == 8 && byte == ASCII.lineFeed ? .bareLineFeed : .requestLine
    }

    private mutating func judgeRequestLine(_ message: Span<UInt8>) throws(Malformation) {
        guard majorVersion == 1 else { throw .version }
        guard let method = Method(message, start..<firstEnd) else { throw .method }
        head.method = method
        try head.takeTarget(message, firstEnd + 1..<secondEnd)
    }
}

// MARK: - Field lines

extension HeadParser {
    private mutating func readLineStart(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(Malformation) -> Bool {
        guard position < message.count else { return false }
        let byte = message[position]
        start = position
        guard byte != ASCII.carriageReturn else {
            position += 1
            phase = .endOfHead
            return true
        }
        guard !ASCII.isBlank(byte) else { throw .foldedField }
        fieldCount += 1
        guard fieldCount <= limits.fieldsMax else { throw .tooManyFields(max: limits.fieldsMax) }
        phase = .fieldName
        return true
    }

    private mutating func readFieldName(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(Malformation) -> Bool {
        let byte = pass(message, while: ASCII.isToken)
        try Self.checkFieldLine(position, from: start, in: sectionStart, limits)
        guard let byte else { return false }
        guard byte == ASCII.colon, position > start else { throw Self.refusal(name: byte) }
        firstEnd = position
        position += 1
        phase = .fieldValue
        return true
    }

    private mutating func readFieldValue(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(Malformation) -> Bool {
        let byte = pass(message, while: ASCII.isFieldValue)
        try Self.checkFieldLine(position, from: start, in: sectionStart, limits)
        guard let byte else { return false }
        guard byte == ASCII.carriageReturn else {
            throw byte == ASCII.lineFeed ? .bareLineFeed : .controlByte(byte)
        }
        secondEnd = position
        position += 1
        phase = .lineFeed
        return true
    }

    private mutating func readLineFeed(_ message: Span<UInt8>) throws(Malformation) -> Bool {
        guard position < message.count else { return false }
        guard message[position] == ASCII.lineFeed else { throw .bareCarriageReturn }
        position += 1
        phase = .lineStart
        if !isTrailer { try judgeField(message) }
        return true
    }

    private mutating func readEndOfHead(_ message: Span<UInt8>) throws(Malformation) -> Bool {
        guard position < message.count else { return false }
        guard message[position] == ASCII.lineFeed else { throw .bareCarriageReturn }
        position += 1
        phase = .finished
        return false
    }

    private static func checkFieldLine(
        _ position: Int, from start: Int, in sectionStart: Int, _ limits: ParserLimits
    ) throws(Malformation) {
        let lineEnd = start + limits.fieldLineBytesMax
        let sectionEnd = sectionStart + limits.headBytesMax
        guard position > min(lineEnd, sectionEnd) else { return }
        throw lineEnd < sectionEnd
            ? .fieldLineTooLong(bytesMax: limits.fieldLineBytesMax)
            : .headTooLarge(bytesMax: limits.headBytesMax)
    }

    private static func refusal(name byte: UInt8) -> Malformation {
        switch byte {
        case ASCII.lineFeed: .bareLineFeed
        case 0...0x08, 0x0B, 0x0C, 0x0E...0x1F, 0x7F: .controlByte(byte)
        default: .fieldName
        }
    }

    private mutating func judgeField(_ message: Span<UInt8>) throws(Malformation) {
        guard let field = Field(message, start..<firstEnd) else { return }
        var (low, high) = (firstEnd + 1, secondEnd)
        while low < high, ASCII.isBlank(message[low]) { low += 1 }
        while high > low, ASCII.isBlank(message[high - 1]) { high -= 1 }
        try head.keep(field, low..<high)
        try facts.take(field, message, low..<high)
    }
}

extension RequestHead {
    /// Keeps the first line of a field, or refuses the second of one that must be alone.
    fileprivate mutating func keep(_ field: Field, _ range: Range<Int>) throws(Malformation) {
        guard has(field) else {
            present |= Self.bit(field)
            fields[Int(field.rawValue)] = PackedRange(range)
            return
        }
        switch field.repetition {
        case .refused: throw .repeatedField(field)
        case .list: repeated |= Self.bit(field)
        case .ignored: break
        }
    }
}
