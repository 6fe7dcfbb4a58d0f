internal import Bytes

/// Reads one response as a client does, wherever its bytes are split.
///
///     phase      ends at                              then
///     head       an empty line                        head       after an interim response (1xx)
///                                                     length, chunks or untilEnd
///     length     as many bytes as `Content-Length`    finished
///     chunks     the chunk of size 0                  trailers
///     trailers   an empty line                        finished
///     untilEnd   the end of the connection            finished
///
/// The body is handed over in parts, so that a stream can be read as well; a caller that collects
/// it has to set a limit. The head and the trailers have limits here. Bytes after the end of the
/// response are ignored.
public struct ResponseParser: Sendable {
    private enum Phase: Equatable, Sendable {
        case head, length(left: Int), chunks, trailers, untilEnd, finished
    }

    /// The head, once it is complete.
    public private(set) var head: ResponseHead?
    private var phase = Phase.head
    /// The part of the head or of a trailer line that has arrived.
    private var unread: [UInt8] = []
    private var chunks = ChunkedBody()
    private var interimCount = 0
    private var trailerBytes = 0
    private var body: [UInt8] = []

    /// A head has at most this many bytes, as in requests; trailers as well.
    private static let headBytesMax = ParserLimits().headBytesMax
    /// Servers send one or two: 100 Continue and 103 Early Hints.
    private static let interimMax = 8

    public init() {}

    /// Whether the end of the response has been read.
    public var isFinished: Bool { phase == .finished }

    /// Reads the bytes that follow.
    ///
    /// - Returns: the part of the body that is in them.
    public mutating func feed(
        _ bytes: ArraySlice<UInt8>
    ) throws(MalformedResponseError) -> [UInt8] {
        body = []
        var rest = bytes
        while !rest.isEmpty, phase != .finished {
            switch phase {
            case .head: try readHead(&rest)
            case .length(let left):
                let count = min(left, rest.count)
                body += rest.prefix(count)
                rest = rest.dropFirst(count)
                phase = count == left ? .finished : .length(left: left - count)
            case .chunks: try readChunks(&rest)
            case .trailers: try readTrailers(&rest)
            case .untilEnd:
                body += rest
                rest = []
            case .finished: break
            }
        }
        return body
    }

    /// The connection has ended: nothing follows.
    public mutating func finish() throws(MalformedResponseError) {
        guard phase == .untilEnd || phase == .finished else { throw .incomplete }
        phase = .finished
    }

    // MARK: - Head

    private mutating func readHead(
        _ rest: inout ArraySlice<UInt8>
    ) throws(MalformedResponseError) {
        while let byte = rest.popFirst() {
            // A text that is not HTTP need not be waited for.
            if unread.count < Self.start.count, byte != Self.start[unread.count] {
                throw .statusLine
            }
            unread.append(byte)
            if byte == ASCII.lineFeed, unread.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                return try endHead()
            }
            guard unread.count <= Self.headBytesMax else { throw .headTooLarge }
        }
    }

    /// How every response begins.
    private static let start = Array("HTTP/1.".utf8)

    private mutating func endHead() throws(MalformedResponseError) {
        let head = try ResponseHead(unread.dropLast(4))
        unread = []
        let framing = try head.framing()
        if (100..<200).contains(head.statusCode) {
            // A protocol that was not asked for cannot be switched to.
            interimCount += 1
            guard head.statusCode != 101, interimCount <= Self.interimMax else { throw .tooLong }
            return
        }
        self.head = head
        phase =
            switch framing {
            case .length(let count): count == 0 ? .finished : .length(left: count)
            case .chunked: .chunks
            case .untilEnd: .untilEnd
            }
    }

    // MARK: - Chunks

    private mutating func readChunks(
        _ rest: inout ArraySlice<UInt8>
    ) throws(MalformedResponseError) {
        var position = rest.startIndex
        do {
            // The caller limits the body. Only what is decoded at once counts here.
            var limits = ParserLimits()
            limits.bodyBytesMax = .max
            if try chunks.advance(rest, from: &position, limits: limits) { phase = .trailers }
        } catch {
            throw .chunk
        }
        body += chunks.takeDecoded()
        rest = rest[position...]
    }

    /// Skips the fields after the last chunk.
    private mutating func readTrailers(
        _ rest: inout ArraySlice<UInt8>
    ) throws(MalformedResponseError) {
        while let byte = rest.popFirst() {
            trailerBytes += 1
            guard trailerBytes <= Self.headBytesMax else { throw .tooLong }
            guard byte == ASCII.lineFeed else {
                unread.append(byte)
                continue
            }
            guard unread.last == ASCII.carriageReturn else { throw .chunk }
            if unread.count == 1 {
                phase = .finished
                return
            }
            unread = []
        }
    }
}
