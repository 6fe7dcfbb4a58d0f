/// An operation that a server sends.
public enum Frame: Sendable {
    /// Information about the server. It is sent when a client connects, again after `CONNECT`, and
    /// whenever it changes.
    case info(ServerInfo)
    /// `MSG` or `HMSG`: a message for a subscription.
    case message(Message)
    case ping
    case pong
    /// `+OK`, which is sent only if `CONNECT` asks for it.
    case ok
    /// `-ERR`, with the server's description. After most errors the server closes the connection.
    case error(String)
}

/// The protocol operations that a server sends.
public enum FrameVerb: String, CaseIterable, Sendable {
    case info = "INFO"
    case message = "MSG"
    case messageWithHeaders = "HMSG"
    case ping = "PING"
    case pong = "PONG"
    case ok = "+OK"
    case error = "-ERR"
}

/// Why the input violates the client protocol. The link is closed after any of these errors,
/// because the start of the next operation is uncertain. Sizes are in bytes.
public enum FrameError: Error, Equatable, Sendable {
    /// The line does not begin with a server operation. The peer may speak TLS or HTTP.
    case unknownVerb
    case lineTooLong(bytesMax: Int)
    /// A line feed is not preceded by a carriage return.
    case lineEnd
    /// There are too few or too many arguments, or one that must be a number is not.
    case arguments(FrameVerb)
    case messageTooLarge(bytes: Int, bytesMax: Int)
    case headersTooLarge(bytes: Int, bytesMax: Int)
    /// The header block would be longer than the whole message, or shorter than any header block.
    case headerSize(Int)
    /// The payload is not followed by CR LF.
    case payloadEnd
    case info(BodyError)
    /// The text of `-ERR` is not UTF-8 or contains control characters.
    case errorText
}

/// The ID that a client gives to a subscription (`sid`). Messages are matched to subscriptions by
/// it and not by subject, because a message from a stream has the subject under which it was
/// published.
public struct SubscriptionID: Hashable, Sendable {
    /// The number, 1 or greater.
    public let number: Int

    public init(_ number: Int) { self.number = number }
}

/// A message as received. It shares the buffer of the parser. Its subject and headers are validated
/// only when they are accessed, so that a malformed message that someone stored in a stream does
/// not end the link.
public struct Message: Sendable {
    /// The buffer to which the ranges refer.
    public let bytes: [UInt8]
    /// The subscription that received the message.
    public let subscription: SubscriptionID
    /// The range of the payload, without the headers.
    public let payload: Range<Int>
    private let subjectRange: Range<Int>
    private let replyRange: Range<Int>?
    private let headerRange: Range<Int>?

    init(_ head: MessageLine, _ bytes: [UInt8], from start: Int) {
        let body = start + head.lineBytes
        self.bytes = bytes
        subscription = head.subscription
        subjectRange = head.subject.moved(by: start)
        replyRange = head.reply?.moved(by: start)
        headerRange = head.headerBytes.map { body..<body + $0 }
        payload = body + (head.headerBytes ?? 0)..<body + head.bodyBytes
    }

    /// The bytes of the payload.
    public var content: ArraySlice<UInt8> { bytes[payload] }

    /// The subject of the message.
    public func subject() throws(SubjectError) -> Subject { try Subject(bytes[subjectRange]) }

    /// The bytes of the reply subject, if the message has one. In a message from a consumer it
    /// contains the metadata of the delivery (see `Delivery`).
    public var reply: ArraySlice<UInt8>? { replyRange.map { bytes[$0] } }

    public var subjectBytes: ArraySlice<UInt8> { bytes[subjectRange] }

    /// The headers, if the message has any.
    public func headers() throws(HeaderError) -> Headers? {
        guard let headerRange else { return nil }
        return try Headers(bytes, headerRange)
    }
}

extension Range where Bound == Int {
    func moved(by distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}
