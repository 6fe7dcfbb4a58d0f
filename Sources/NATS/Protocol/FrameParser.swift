internal import Bytes

/// The result of one call to the parser.
public enum FrameStep: Sendable {
    /// The operation is incomplete; call again when more bytes have arrived. `bytes` is the minimum
    /// length of the whole operation, as far as it is known.
    case needsMore(bytes: Int)
    /// A complete operation. The next one begins `consumed` bytes after `start`.
    case frame(Frame, consumed: Int)
    /// The input violates the protocol. Close the link, and do not use the parser again.
    case refused(FrameError)
}

/// Parses the operations that a server sends, from a buffer that belongs to the caller.
///
/// An operation is valid if and only if it has one of the following forms. A blank is a space or a
/// tab, and verbs are case-insensitive. A line ends in CR LF and has at most 4096 bytes before that
/// (`INFO`: 65,536):
///
///     INFO 1*blank object
///     MSG  1*blank subject 1*blank sid [1*blank reply] 1*blank size CRLF payload CRLF
///     HMSG 1*blank subject 1*blank sid [1*blank reply] 1*blank headers 1*blank size CRLF
///          headers payload CRLF
///     PING | PONG | +OK
///     -ERR 1*blank text
///
/// The work is linear in the number of bytes, wherever the network splits them: the parser
/// remembers how far it has searched for a line end, and keeps a control line once it is parsed.
public struct FrameParser: Sendable {
    public let limits: ProtocolLimits
    /// How many bytes of the current line have been searched for its end.
    private var searchedBytes = 0
    /// The control line of a message whose payload is still incomplete.
    private var head: MessageLine?

    /// Creates a parser for a new link.
    public init(limits: ProtocolLimits = ProtocolLimits()) { self.limits = limits }

    /// Parses the operation that begins at `start`, looking at the bytes before `end`.
    ///
    /// After `.needsMore`, call again with the same operation and more bytes, at any position in
    /// any buffer. After `.frame`, call with the next operation.
    ///
    /// - Precondition: `start <= end <= buffer.count`, and an operation never gets shorter.
    public mutating func parse(_ buffer: [UInt8], from start: Int, to end: Int) -> FrameStep {
        do throws(FrameError) {
            if let head { return try finish(head, buffer, in: start..<end) }
            guard start < end else { return .needsMore(bytes: 1) }
            guard let line = try findLine(buffer, start..<end) else {
                return .needsMore(bytes: end - start + 1)
            }
            let reader = try ControlLine(buffer, line)
            switch reader.verb {
            case .message, .messageWithHeaders:
                let head = try reader.messageHead(limits)
                self.head = head
                return try finish(head, buffer, in: start..<end)
            case .info, .ping, .pong, .ok, .error:
                searchedBytes = 0
                return .frame(try reader.frame(), consumed: line.count + 2)
            }
        } catch {
            return .refused(error)
        }
    }

    /// The range of the line without its line end. Returns nil if the line end has not arrived yet.
    private mutating func findLine(
        _ buffer: [UInt8], _ range: Range<Int>
    ) throws(FrameError) -> Range<Int>? {
        let start = range.lowerBound
        let first = ASCII.lowercased(buffer[start])
        guard "imhp+-".utf8.contains(first) else { throw .unknownVerb }
        let isInfo = first == UInt8(ascii: "i")
        let bytesMax =
            isInfo ? ProtocolLimits.infoBytesMax : ProtocolLimits.controlLineBytesMax
        let end = min(range.upperBound, start + bytesMax + 2)
        let found = ByteSearch.first(
            ASCII.lineFeed, in: buffer, min(start + searchedBytes, end)..<end)
        guard let found else {
            guard range.count < bytesMax + 2 else { throw .lineTooLong(bytesMax: bytesMax) }
            searchedBytes = range.count
            return nil
        }
        guard found > start, buffer[found - 1] == ASCII.carriageReturn else { throw .lineEnd }
        return start..<found - 1
    }

    private mutating func finish(
        _ head: MessageLine, _ buffer: [UInt8], in range: Range<Int>
    ) throws(FrameError) -> FrameStep {
        let needed = head.lineBytes + head.bodyBytes + 2
        guard range.count >= needed else { return .needsMore(bytes: needed) }
        let end = range.lowerBound + needed
        guard buffer[end - 2] == ASCII.carriageReturn, buffer[end - 1] == ASCII.lineFeed else {
            throw .payloadEnd
        }
        self.head = nil
        searchedBytes = 0
        return .frame(
            .message(Message(head, buffer, from: range.lowerBound)), consumed: needed)
    }
}

/// Limits on the size of what servers send and of what the client sends, in bytes.
public struct ProtocolLimits: Equatable, Sendable {
    /// The client's own max payload: headers and payload of a published message together. A server
    /// may allow less. Records are far smaller.
    public let payloadBytesMax: Int
    /// The maximum size of a header block, which is also the server's limit.
    public let headerBytesMax: Int

    /// The longest control line except for `INFO`; servers have the same limit for clients.
    public static let controlLineBytesMax = 4096
    /// The longest `INFO`, which lists every server of the cluster.
    public static let infoBytesMax = 64 << 10
    /// The longest subject. With a reply subject and two numbers it fits into a control line.
    public static let subjectBytesMax = 1024

    public init(payloadBytesMax: Int = 2 << 20, headerBytesMax: Int = 64 << 10) {
        self.payloadBytesMax = payloadBytesMax
        self.headerBytesMax = headerBytesMax
    }

    /// The largest message accepted from a server. A response to `STREAM.MSG.GET` contains a stored
    /// message and its headers in base64, and servers do not apply `max_payload` to their own
    /// responses.
    public var messageBytesMax: Int { (payloadBytesMax + headerBytesMax) / 3 * 4 + (4 << 10) }
}
