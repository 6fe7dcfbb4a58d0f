internal import Bytes

// Field lines (RFC 9112 §5): a token, a colon directly after it, a value, CR LF; then an empty
// line.
extension HeadParser {
    mutating func readLineStart(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(MalformedMessageError) -> Bool {
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

    mutating func readFieldName(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(MalformedMessageError) -> Bool {
        let byte = skip(message, while: ASCII.isToken)
        try Self.checkFieldLine(position, from: start, in: sectionStart, limits)
        guard let byte else { return false }
        guard byte == ASCII.colon, position > start else { throw Self.refusal(name: byte) }
        firstEnd = position
        position += 1
        phase = .fieldValue
        return true
    }

    mutating func readFieldValue(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(MalformedMessageError) -> Bool {
        while position &+ 8 <= message.count {
            let passed = EightBytes(message, at: position).textCount
            position &+= passed
            if passed < 8 { break }
        }
        let byte = skip(message, while: ASCII.isFieldValue)
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

    mutating func readLineFeed(_ message: Span<UInt8>) throws(MalformedMessageError) -> Bool {
        guard position < message.count else { return false }
        guard message[position] == ASCII.lineFeed else { throw .bareCarriageReturn }
        position += 1
        phase = .lineStart
        if !isTrailer { try judgeField(message) }
        return true
    }

    mutating func readEndOfHead(_ message: Span<UInt8>) throws(MalformedMessageError) -> Bool {
        guard position < message.count else { return false }
        guard message[position] == ASCII.lineFeed else { throw .bareCarriageReturn }
        position += 1
        phase = .finished
        return false
    }

    private static func checkFieldLine(
        _ position: Int, from start: Int, in sectionStart: Int, _ limits: ParserLimits
    ) throws(MalformedMessageError) {
        let lineEnd = start + limits.fieldLineBytesMax
        let sectionEnd = sectionStart + limits.headBytesMax
        guard position > min(lineEnd, sectionEnd) else { return }
        throw lineEnd < sectionEnd
            ? .fieldLineTooLong(bytesMax: limits.fieldLineBytesMax)
            : .headTooLarge(bytesMax: limits.headBytesMax)
    }

    private static func refusal(name byte: UInt8) -> MalformedMessageError {
        switch byte {
        case ASCII.lineFeed: .bareLineFeed
        case 0...0x08, 0x0B, 0x0C, 0x0E...0x1F, 0x7F: .controlByte(byte)
        default: .fieldName
        }
    }

    private mutating func judgeField(_ message: Span<UInt8>) throws(MalformedMessageError) {
        guard let field = Field(message, start..<firstEnd) else { return }
        let value = message.trimmingBlanks(firstEnd + 1..<secondEnd)
        let start = head.fieldsStart
        try head.fields.keep(field, value.lowerBound - start..<value.upperBound - start)
        try facts.take(field, message, value: value)
    }
}
