/// Parses one message: first the head, then the body.
struct MessageParser: Sendable {
    private var head = HeadParser()
    private var framing: BodyFraming?
    private var chunks = ChunkedBody()
    private var hasAskedForContinue = false
    private var sawBody = false

    init() {}

    var judgedBytes: Int { head.position }
    /// Whether the method `HEAD` was read, even if the rest of the head is missing.
    var isHead: Bool { head.method == .head }

    /// Bytes of memory of this value and of the body decoded so far.
    var heldBytes: Int { MemoryLayout<Self>.stride + chunks.decoded.capacity }

    /// The request as far as its head describes it, or nil while the head is incomplete. If the
    /// message was refused for its head, the head may be invalid.
    func headAlone(_ buffer: [UInt8], _ start: Int) -> Request? {
        guard head.head.body.start > 0 else { return nil }
        var facts = head.head
        facts.body.messageLength = facts.body.start
        facts.body.isInline = true
        if case .length(let length)? = framing { facts.body.isAnnounced = length > 0 }
        return Request(bytes: buffer, bodyBytes: [], bodyRange: 0..<0, base: start, head: facts)
    }

    /// Continues with a message that is at this range of the buffer now.
    mutating func step(_ buffer: [UInt8], _ range: Range<Int>, limits: ParserLimits) -> ParserStep {
        do throws(MalformedMessageError) {
            guard let consumed = try advance(buffer, range, limits: limits) else {
                return .needsMore(need())
            }
            return .request(request(buffer, range.lowerBound), consumed: consumed)
        } catch {
            return .refused(error)
        }
    }

    /// Reads to the end of the input; returns the length of the message if it is complete.
    private mutating func advance(
        _ buffer: [UInt8], _ range: Range<Int>, limits: ParserLimits
    ) throws(MalformedMessageError) -> Int? {
        let message = buffer.span.extracting(range)
        if framing == nil {
            guard try head.advance(message, limits) else { return nil }
            framing = try head.judgeHead(limits)
        }
        let bodyStart = head.head.body.start
        sawBody = range.count > bodyStart
        switch framing {
        case nil: return nil
        case .length(let length):
            guard length <= message.count - bodyStart else { return nil }
            head.head.body.messageLength = bodyStart + length
        case .chunked:
            guard try advanceChunks(buffer, range, limits: limits) else { return nil }
            head.head.body.isInline = false
            head.head.body.messageLength = head.position
        }
        return head.head.body.messageLength
    }

    private mutating func advanceChunks(
        _ buffer: [UInt8], _ range: Range<Int>, limits: ParserLimits
    ) throws(MalformedMessageError) -> Bool {
        if !head.isTrailer {
            var position = range.lowerBound + head.position
            let isAtTrailers = try chunks.advance(buffer[range], from: &position, limits: limits)
            head.position = position - range.lowerBound
            guard isAtTrailers else { return false }
            head.beginTrailers()
        }
        var trailerLimits = limits
        trailerLimits.headBytesMax = min(limits.headBytesMax, chunks.overheadLeft(limits))
        return try head.advance(buffer.span.extracting(range), trailerLimits)
    }

    /// The part that is missing, and whether to ask the client for it. A client that has begun to
    /// send the body is not waiting for `100 Continue`.
    private mutating func need() -> ParseStatus {
        guard framing != nil else { return .head }
        let asks = head.head.expectsContinue && !sawBody && !hasAskedForContinue
        hasAskedForContinue = true
        return .body(sendsContinue: asks)
    }

    private func request(_ buffer: [UInt8], _ start: Int) -> Request {
        let facts = head.head
        guard facts.body.isInline else {
            return Request(
                bytes: buffer, bodyBytes: chunks.decoded, bodyRange: 0..<chunks.decoded.count,
                base: start, head: facts)
        }
        return Request(inline: buffer, base: start, head: facts)
    }
}

extension HeadParser {
    /// Prepares for the trailer fields after the last chunk.
    mutating func beginTrailers() {
        isTrailer = true
        phase = .lineStart
        sectionStart = position
        fieldCount = 0
    }
}
