internal import Bytes

/// The control line of `MSG` or `HMSG`. Ranges are relative to the start of the line.
struct MessageLine: Sendable {
    /// The length of the line, including CR LF.
    var lineBytes: Int
    var subject: Range<Int>
    var subscription: SubscriptionID
    var reply: Range<Int>?
    var headerBytes: Int?
    /// The size of headers and payload together.
    var bodyBytes: Int
}

/// A line, split into its verb and its arguments.
struct ControlLine {
    let verb: FrameVerb
    private let buffer: [UInt8]
    private let line: Range<Int>
    private let arguments: Range<Int>

    init(_ buffer: [UInt8], _ line: Range<Int>) throws(FrameError) {
        self.buffer = buffer
        self.line = line
        let end = line.first { ASCII.isBlank(buffer[$0]) } ?? line.upperBound
        guard
            let verb = FrameVerb.allCases.first(where: { $0.isSame(buffer[line.lowerBound..<end]) })
        else { throw .unknownVerb }
        self.verb = verb
        arguments = end..<line.upperBound
    }

    /// Parses an operation without a payload.
    func frame() throws(FrameError) -> Frame {
        switch verb {
        case .info:
            do throws(BodyError) {
                return .info(try ServerInfo(try JSONBody.object(buffer, arguments)))
            } catch {
                throw .info(error)
            }
        case .error: return .error(try errorText())
        case .ping: return try alone(.ping)
        case .pong: return try alone(.pong)
        case .ok: return try alone(.ok)
        case .message, .messageWithHeaders: throw .arguments(verb)
        }
    }

    /// Parses the control line of an operation with a payload.
    func messageHead(_ limits: ProtocolLimits) throws(FrameError) -> MessageLine {
        let (words, count) = try words()
        let numbers = verb == .messageWithHeaders ? 2 : 1
        let named = count - numbers
        guard named == 2 || named == 3 else { throw .arguments(verb) }
        let bodyBytes = try number(words[count - 1])
        let headerBytes = numbers == 2 ? try number(words[named]) : nil
        let id = SubscriptionID(try number(words[1]))
        guard bodyBytes <= limits.messageBytesMax else {
            throw .messageTooLarge(bytes: bodyBytes, bytesMax: limits.messageBytesMax)
        }
        if let headerBytes {
            guard headerBytes <= limits.headerBytesMax else {
                throw .headersTooLarge(bytes: headerBytes, bytesMax: limits.headerBytesMax)
            }
            guard headerBytes >= Headers.bytesMin, headerBytes <= bodyBytes else {
                throw .headerSize(headerBytes)
            }
        }
        let start = line.lowerBound
        return MessageLine(
            lineBytes: line.count + 2, subject: words[0].moved(by: -start), subscription: id,
            reply: named == 3 ? words[2].moved(by: -start) : nil, headerBytes: headerBytes,
            bodyBytes: bodyBytes)
    }

    private func alone(_ frame: Frame) throws(FrameError) -> Frame {
        guard arguments.allSatisfy({ ASCII.isBlank(buffer[$0]) }) else { throw .arguments(verb) }
        return frame
    }

    /// The ranges of the arguments, and how many there are: at most five.
    private func words() throws(FrameError) -> (InlineArray<5, Range<Int>>, count: Int) {
        var words = InlineArray<5, Range<Int>>(repeating: 0..<0)
        var count = 0
        let bytes = buffer.span
        var index = arguments.lowerBound
        while index < arguments.upperBound {
            let start = index
            index = blank(in: bytes, from: start)
            if index > start {
                guard count < words.count else { throw .arguments(verb) }
                words[count] = start..<index
                count += 1
            }
            index += 1
        }
        return (words, count)
    }

    /// The position of the next blank, or the end of the line.
    private func blank(in bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        // Bytes up to the space are rare in arguments, so eight bytes are looked at together.
        while arguments.upperBound - index >= 8 {
            let marks = EightBytes(bytes, at: index).marks(below: UInt64(ASCII.space) + 1)
            let count = EightBytes.count(before: marks)
            index += count
            guard count < 8 else { continue }
            if ASCII.isBlank(bytes[index]) { return index }
            index += 1
        }
        while index < arguments.upperBound, !ASCII.isBlank(bytes[index]) { index += 1 }
        return index
    }

    private func number(_ word: Range<Int>) throws(FrameError) -> Int {
        guard let number = Decimal.saturated(buffer.span.extracting(word)) else {
            throw .arguments(verb)
        }
        return number
    }

    /// The text of an error, without the apostrophes around it.
    private func errorText() throws(FrameError) -> String {
        var bytes = buffer[arguments]
        while let first = bytes.first, ASCII.isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, ASCII.isBlank(last) { bytes.removeLast() }
        let apostrophe = UInt8(ascii: "'")
        if bytes.count >= 2, bytes.first == apostrophe, bytes.last == apostrophe {
            bytes = bytes.dropFirst().dropLast()
        }
        guard bytes.allSatisfy({ $0 >= ASCII.space && $0 != 0x7F || $0 == ASCII.tab }),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw .errorText }
        return text
    }
}

extension FrameVerb {
    fileprivate func isSame(_ word: ArraySlice<UInt8>) -> Bool {
        rawValue.utf8.count == word.count
            && rawValue.utf8.elementsEqual(word) {
                ASCII.lowercased($0) == ASCII.lowercased($1)
            }
    }
}
