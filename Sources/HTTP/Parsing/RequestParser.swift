/// The result of a call to the parser.
public enum ParserStep: Sendable {
    /// The message is incomplete; call again when more bytes follow these.
    case needsMore(ParseStatus)
    /// A complete request; the next message begins `consumed` bytes after `start`.
    case request(Request, consumed: Int)
    /// Send a response that says this, then close. The parser must not be used again.
    case refused(MalformedMessageError)
}

/// The part of a message that the parser waits for.
public enum ParseStatus: Equatable, Sendable {
    /// No byte of a message has come yet.
    case message
    /// The head is incomplete.
    case head
    /// The head is complete and valid, the body is incomplete. If `sendsContinue`, the client waits
    /// for `100 Continue`, which must be sent now; it is true once per message (RFC 9110 §10.1.1).
    case body(sendsContinue: Bool)
}

/// Reads requests from a buffer that belongs to the caller.
///
/// One parser is used for all requests of a connection. It allocates memory only for a message that
/// arrives in several pieces: one small block.
public struct RequestParser: Sendable {
    /// The limits that every message is held to.
    public let limits: ParserLimits
    /// The message that is incomplete or was refused: none or one.
    private var unfinished: [MessageParser] = []
    /// The numbers of the field lines that came last.
    private var known = InlineArray<2, UInt64>(repeating: 0)
    /// The number of heads whose field lines were others than those before.
    private var changes: UInt8 = 0

    /// The field lines of a connection that sends others each time are no longer kept.
    private static let changesMax: UInt8 = 16

    /// A parser for a new connection.
    public init(limits: ParserLimits = ParserLimits()) { self.limits = limits }

    /// Whether the message that is incomplete or was refused has the method `HEAD`, so that no
    /// response to it may have content (RFC 9110 §9.3.2).
    public var isHead: Bool { unfinished.first?.isHead ?? false }

    /// The number of bytes of the incomplete message that were checked and are not read again.
    public var judgedBytes: Int { unfinished.first?.judgedBytes ?? 0 }

    /// Bytes of memory that the parser holds for an incomplete message, not counting the buffer.
    public var heldBytes: Int { unfinished.first?.heldBytes ?? 0 }

    /// The incomplete message as a request without its content, or nil while its head is
    /// incomplete. The head of a message that was refused is valid if its body was too large. The
    /// buffer must be the one of the last call of `parse`.
    public func head(_ buffer: [UInt8], from start: Int) -> Request? {
        unfinished.first?.headAlone(buffer, start)
    }

    /// Parses the message that begins at `start`, up to `end`.
    ///
    /// After `.needsMore` call again with the same message, longer than before, at any position in
    /// any buffer. After `.request` the next call is for the next message.
    ///
    /// - Parameter heads: the field lines of earlier requests, and those of this one from now on.
    /// - Precondition: `start <= end <= buffer.count`, and a message does not get shorter.
    public mutating func parse(
        _ buffer: [UInt8], from start: Int, to end: Int, _ heads: KnownHeads? = nil
    ) -> ParserStep {
        guard !unfinished.isEmpty else {
            guard start < end else { return .needsMore(.message) }
            if let heads, let step = parseKnown(buffer, start..<end, among: heads) { return step }
            var message = MessageParser()
            let step = message.step(buffer, start..<end, limits: limits)
            if case .request(let request, _) = step {
                if let heads { remember(request, heads) }
                return step
            }
            unfinished.append(message)
            return step
        }
        // In place, so that a message that arrives byte by byte is not copied for each of them.
        let step = unfinished[0].step(buffer, start..<end, limits: limits)
        if case .request = step { unfinished = [] }
        return step
    }

    /// Parses a complete request whose field lines have come before on this connection. Returns nil
    /// for any other message.
    private func parseKnown(
        _ buffer: [UInt8], _ range: Range<Int>, among heads: KnownHeads
    ) -> ParserStep? {
        let message = buffer.span.extracting(range)
        guard known[0] != 0, let line = PlainRequestLine(message, limits) else { return nil }
        for index in known.indices {
            guard let entry = heads[known[index]], let head = entry.head(message, after: line)
            else { continue }
            let length = head.body.messageLength &- head.body.start
            guard length <= limits.bodyBytesMax, head.body.messageLength <= message.count else {
                return nil
            }
            let request = Request(inline: buffer, base: range.lowerBound, head: head)
            return .request(request, consumed: head.body.messageLength)
        }
        return nil
    }

    private mutating func remember(_ request: Request, _ heads: KnownHeads) {
        let bytes = request.bytes
        guard changes < Self.changesMax,
            PlainRequestLine(bytes.span.extracting(request.base...), limits) != nil
        else { return }
        let number = heads.remember(request)
        guard number != 0, number != known[0], number != known[1] else { return }
        changes += 1
        known[1] = known[0]
        known[0] = number
    }
}

/// The limits of one request. Each is a number of bytes unless its name says otherwise.
public struct ParserLimits: Sendable, Equatable {
    /// The request line without its line end: a little more than the longest target needs, so that
    /// the limit for targets is reached first.
    public var requestLineBytesMax = 8_192 + 256
    /// A target. RFC 9112 §3 asks for request lines of at least 8,000 bytes; browsers and proxies
    /// send 8 KiB.
    public var targetBytesMax = 8_192
    /// One field line without its line end: room for a large token or a cookie.
    public var fieldLineBytesMax = 16 * 1_024
    /// All field lines together with their line ends, without the request line.
    public var headBytesMax = 32 * 1_024
    /// The number of field lines of a head; trailers are counted separately.
    public var fieldsMax = 100
    /// A decoded body.
    public var bodyBytesMax = 1_024 * 1_024
    /// The maximum number of bytes that chunked coding adds to a body: size lines, extensions, line
    /// ends and trailers. A body of 1 MiB in chunks of 128 bytes stays below this limit.
    public var chunkOverheadBytesMax = 64 * 1_024
    /// The number of empty lines before a request line, which some old clients send after a body
    /// (RFC 9112 §2.2).
    public var emptyLinesMax = 4

    public init() {}
}
