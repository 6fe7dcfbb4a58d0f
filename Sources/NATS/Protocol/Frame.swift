/// What a server sends: one operation of the client protocol.
package enum Frame: Sendable {
    /// About the server. It comes first, again after `CONNECT` and whenever it changes.
    case info(ServerInfo)
    /// `MSG` or `HMSG`: a message for a subscription.
    case message(Message)
    case ping
    case pong
    /// An answer that comes only if `CONNECT` asked for it.
    case ok
    /// `-ERR`: what the server did not like. Most of these are followed by the end of the link.
    case error(String)
}

/// The operations of the protocol that a server sends.
package enum Verb: String, CaseIterable, Sendable {
    case info = "INFO"
    case message = "MSG"
    case messageWithHeaders = "HMSG"
    case ping = "PING"
    case pong = "PONG"
    case ok = "+OK"
    case error = "-ERR"
}

/// Why bytes are not the client protocol. The link is closed after each of these errors, because
/// the start of the next operation is not certain.
package enum FrameError: Error, Equatable, Sendable {
    /// The line begins with no operation of a server: perhaps the peer speaks TLS or HTTP.
    case unknownVerb
    case lineTooLong(bytesMax: Int)
    /// A line feed without a carriage return before it.
    case lineEnd
    /// Too few or too many words, or a word that is not a number where one must be.
    case arguments(Verb)
    case messageTooLarge(bytes: Int, bytesMax: Int)
    case headersTooLarge(bytes: Int, bytesMax: Int)
    /// The header block would be longer than the message, or shorter than any header block.
    case headerSize(Int)
    /// CR LF does not follow the payload.
    case payloadEnd
    case info(BodyError)
    /// The text of an error is not UTF-8 or has control characters.
    case errorText
}

/// The number that a client gives a subscription (`sid`), from which it knows whose a message is:
/// the subject of a message from a stream is the one under which it was stored.
package struct SubscriptionID: Hashable, Sendable {
    /// From 1 on.
    package let number: Int

    package init(_ number: Int) { self.number = number }
}

/// A message as it came. It shares the buffer of the parser, and what is in it was not checked, so
/// that what a stranger stored in a stream does not end the link: a subject or headers that are
/// wrong are an error where they are asked for.
package struct Message: Sendable {
    /// The bytes in which the ranges are.
    package let bytes: [UInt8]
    /// For which subscription it is.
    package let subscription: SubscriptionID
    /// The range of the content, without the headers.
    package let payload: Range<Int>
    private let subjectRange: Range<Int>
    private let replyRange: Range<Int>?
    private let headerRange: Range<Int>?

    init(_ head: MessageHead, _ bytes: [UInt8], from start: Int) {
        let body = start + head.lineBytes
        self.bytes = bytes
        subscription = head.subscription
        subjectRange = head.subject.moved(by: start)
        replyRange = head.reply?.moved(by: start)
        headerRange = head.headerBytes.map { body..<body + $0 }
        payload = body + (head.headerBytes ?? 0)..<body + head.bodyBytes
    }

    /// The content.
    package var content: ArraySlice<UInt8> { bytes[payload] }

    /// The subject under which the message was published.
    package func subject() throws(SubjectError) -> Subject { try Subject(bytes[subjectRange]) }

    /// The bytes of the subject to which an answer is expected, or nil. The server puts there where
    /// a message from a stream comes from.
    package var reply: ArraySlice<UInt8>? { replyRange.map { bytes[$0] } }

    /// The bytes of the subject.
    package var subjectBytes: ArraySlice<UInt8> { bytes[subjectRange] }

    /// The headers, or nil if the message has none.
    package func headers() throws(HeaderError) -> Headers? {
        guard let headerRange else { return nil }
        return try Headers(bytes, headerRange)
    }
}

extension Range where Bound == Int {
    func moved(by distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}
