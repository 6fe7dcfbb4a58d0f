/// One message on its way: the head, then the body.
struct MessageParser: Sendable {
    private var head = HeadParser()
    private var framing: BodyFraming?
    private var chunks = ChunkedBody()
    private var hasAskedForContinue = false
    private var sawBody = false

    @inline(__always)
    init() {}

    var judgedBytes: Int { head.position }
    /// Whether `HEAD` was read, the rest of the head or not.
    var isHead: Bool { head.method == .head }

    /// Bytes of memory of this value and of what is decoded so far.
    var heldBytes: Int { MemoryLayout<Self>.stride + chunks.decoded.capacity }

    /// The request as far as its head tells of it; nil while the head is not whole.
    func headAlone(_ buffer: [UInt8], _ start: Int) -> Request? {
        guard let framing else { return nil }
        var facts = head.head
        facts.messageLength = facts.headEnd
        facts.bodyIsInline = true
        if case .length(let length) = framing { facts.announcesContent = length > 0 }
        return Request(bytes: buffer, bodyBytes: [], bodyRange: 0..<0, base: start, head: facts)
    }

    mutating func step(
        _ buffer: [UInt8], _ start: Int, _ end: Int, _ limits: ParserLimits
    ) -> ParserStep {
        do throws(MalformedMessageError) {
            guard let consumed = try advance(buffer, start, end, limits) else {
                return .needsMore(need())
            }
            return .request(request(buffer, start), consumed: consumed)
        } catch {
            return .refused(error)
        }
    }

    /// Reads on; the length of the message when it is whole, nil when the input ends before.
    private mutating func advance(
        _ buffer: [UInt8], _ start: Int, _ end: Int, _ limits: ParserLimits
    ) throws(MalformedMessageError) -> Int? {
        let message = buffer.span.extracting(start..<end)
        if framing == nil {
            guard try head.advance(message, limits) else { return nil }
            framing = try head.judgeHead(limits)
        }
        sawBody = end - start > head.head.headEnd
        switch framing {
        case nil: return nil
        case .length(let length):
            guard length <= message.count - head.head.headEnd else { return nil }
            head.head.messageLength = head.head.headEnd + length
        case .chunked:
            guard try advanceChunks(buffer, start, end, limits) else { return nil }
            head.head.bodyIsInline = false
            head.head.messageLength = head.position
        }
        return head.head.messageLength
    }

    private mutating func advanceChunks(
        _ buffer: [UInt8], _ start: Int, _ end: Int, _ limits: ParserLimits
    ) throws(MalformedMessageError) -> Bool {
        if !head.isTrailer {
            var position = start + head.position
            let isAtTrailers = try chunks.advance(buffer[start..<end], &position, limits)
            head.position = position - start
            guard isAtTrailers else { return false }
            head.beginTrailers()
        }
        var trailerLimits = limits
        trailerLimits.headBytesMax = min(limits.headBytesMax, chunks.overheadLeft(limits))
        return try head.advance(buffer.span.extracting(start..<end), trailerLimits)
    }

    /// What is missing, and whether to ask for it. A client whose body is already coming does not
    /// wait for a `100 Continue`.
    private mutating func need() -> ParseStatus {
        guard framing != nil else { return .head }
        let asks = head.head.expectsContinue && !sawBody && !hasAskedForContinue
        hasAskedForContinue = true
        return .body(sendsContinue: asks)
    }

    private func request(_ buffer: [UInt8], _ start: Int) -> Request {
        let facts = head.head
        guard facts.bodyIsInline else {
            return Request(
                bytes: buffer, bodyBytes: chunks.decoded, bodyRange: 0..<chunks.decoded.count,
                base: start, head: facts)
        }
        let range = start + facts.headEnd..<start + facts.messageLength
        return Request(
            bytes: buffer, bodyBytes: range.isEmpty ? [] : buffer,
            bodyRange: range.isEmpty ? 0..<0 : range, base: start, head: facts)
    }
}

extension HeadParser {
    /// Makes ready for the field lines behind the last chunk.
    mutating func beginTrailers() {
        isTrailer = true
        phase = .lineStart
        sectionStart = position
        fieldCount = 0
    }
}
