internal import Bytes
internal import JSON
package import Navigation

/// A client's message to the streams of sessions that changes nothing. It is sent once and not
/// stored.
package struct Signal: Sendable {
    /// The sessions whose streams receive it.
    package var sessions: [SessionID]
    /// The name and the data.
    package var content: SignalContent
    /// When it was sent.
    package var at: Milliseconds
    /// The name of the token that it came with, if the token has one.
    package var author: TokenName?

    package init(
        to sessions: [SessionID], _ content: SignalContent, at: Milliseconds, by author: TokenName?
    ) {
        (self.sessions, self.content) = (sessions, content)
        (self.at, self.author) = (at, author)
    }

    /// The data of the event for the streams of one session, as JSON.
    package func data(for session: SessionID) -> [UInt8] {
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
    package static func == (a: Signal, b: Signal) -> Bool {
        a.sessions == b.sessions && a.content == b.content && a.author == b.author
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(sessions)
        hasher.combine(content)
        hasher.combine(author)
    }
}
