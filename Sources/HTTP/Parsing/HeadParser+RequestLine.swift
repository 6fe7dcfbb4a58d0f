internal import Bytes

// The request line (RFC 9112 §3): `METHOD SP TARGET SP HTTP/d.d` and nothing else. A few empty
// lines may come before it (§2.2).
extension HeadParser {
    mutating func readEmptyLines(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(MalformedMessageError) -> Bool {
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

    mutating func readMethod(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(MalformedMessageError) -> Bool {
        let byte = skip(message, while: ASCII.isToken)
        // Longer than any method (RFC 9112 §3).
        guard position <= start + limits.requestLineBytesMax else { throw .method }
        guard let byte else { return false }
        guard byte == ASCII.space, position > start else { throw .requestLine }
        firstEnd = position
        method = Method(message, start..<firstEnd)
        position += 1
        phase = .target
        return true
    }

    mutating func readTarget(
        _ message: Span<UInt8>, _ limits: ParserLimits
    ) throws(MalformedMessageError) -> Bool {
        while position &+ 8 <= message.count {
            let passed = EightBytes(message, at: position).targetCount
            position &+= passed
            if passed < 8 { break }
        }
        let byte = skip(message, while: ASCII.isTarget)
        // The limit that is reached first, however the input is split.
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

    private static func refusal(target byte: UInt8) -> MalformedMessageError {
        switch byte {
        case ASCII.space, ASCII.tab, ASCII.carriageReturn: .requestLine
        case ASCII.lineFeed: .bareLineFeed
        case 0...0x1F, 0x7F: .controlByte(byte)
        default: .target
        }
    }

    /// `HTTP/d.d` CR LF, each byte in its position.
    mutating func readVersion(_ message: Span<UInt8>) throws(MalformedMessageError) -> Bool {
        skipUsualVersion(message)
        while position - secondEnd < 11 {
            guard position < message.count else { return false }
            try checkVersion(message[position], at: position - secondEnd - 1)
            position += 1
        }
        try judgeRequestLine(message)
        (phase, sectionStart) = (.lineStart, position)
        head.fieldsStart = position
        return true
    }

    /// Skips a complete `HTTP/1.1` at once; the version is 1.1 unless other digits are read.
    private mutating func skipUsualVersion(_ message: Span<UInt8>) {
        guard position == secondEnd + 1, position + 8 <= message.count,
            EightBytes(message, at: position).word == Self.usualVersion
        else { return }
        position += 8
    }

    /// `HTTP/1.1`, the first byte in the lowest bits.
    static let usualVersion: UInt64 = 0x312E_312F_5054_5448

    private mutating func checkVersion(_ byte: UInt8, at index: Int) throws(MalformedMessageError) {
        let fits =
            switch index {
            case 0: byte == 0x48
            case 1, 2: byte == 0x54
            case 3: byte == 0x50
            case 4: byte == ASCII.slash
            case 6: byte == ASCII.dot
            case 5, 7: ASCII.isDigit(byte)
            case 8: byte == ASCII.carriageReturn
            default: byte == ASCII.lineFeed
            }
        guard fits else { throw Self.refusal(version: byte, at: index) }
        if index == 5 { majorVersion = byte - ASCII.zero }
        if index == 7 { head.minorVersion = min(byte - ASCII.zero, 1) }
    }

    private static func refusal(version byte: UInt8, at index: Int) -> MalformedMessageError {
        if index == 9 { return .bareCarriageReturn }
        return index == 8 && byte == ASCII.lineFeed ? .bareLineFeed : .requestLine
    }

    private mutating func judgeRequestLine(_ message: Span<UInt8>) throws(MalformedMessageError) {
        guard majorVersion == 1 else { throw .version }
        guard let method else { throw .method }
        head.method = method
        try head.readTarget(message, firstEnd + 1..<secondEnd)
    }
}
