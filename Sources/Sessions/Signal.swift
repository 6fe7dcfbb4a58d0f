internal import Bytes
internal import JSON
public import Navigation

/// A client's message to the streams of sessions that changes nothing. It is sent once and not
/// stored.
public struct Signal: Sendable {
    /// The sessions whose streams receive it.
    public var sessions: [SessionID]
    /// The name and the data.
    public var content: SignalContent
    /// When it was sent.
    public var at: Milliseconds
    /// The name of the token that it came with, if the token has one.
    public var author: TokenName?

    public init(
        to sessions: [SessionID], _ content: SignalContent, at: Milliseconds, by author: TokenName?
    ) {
        (self.sessions, self.content) = (sessions, content)
        (self.at, self.author) = (at, author)
    }

    /// The data of the event for the streams of one session, as JSON.
    public func data(for session: SessionID) -> [UInt8] {
        var text = ByteWriter(capacity: ByteWriter.smallAllocationCapacity)
        text.object("session")
        text.append(quoting: session.rawValue)
        text.member("name", plain: content.name.rawValue)
        if let data = content.data { text.member("data", json: data) }
        text.member("at", time: at)
        if let author { text.member("by", plain: author.rawValue) }
        text.append(UInt8(ascii: "}"))
        return text.finish()
    }
}

extension Signal: Hashable {
    /// A request that is processed again has another time, but it sends the same signal.
    public static func == (a: Signal, b: Signal) -> Bool {
        a.sessions == b.sessions && a.content == b.content && a.author == b.author
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(sessions)
        hasher.combine(content)
        hasher.combine(author)
    }
}
