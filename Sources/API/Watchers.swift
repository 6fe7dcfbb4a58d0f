internal import Bytes
internal import JSON
internal import Navigation
public import Sessions

// Who is watching a session, as values. The server has the streams; the service reads the list
// through its environment, and returns what is to be recorded as an outcome. None of it is stored.

/// A report of a display, and the reply to the request that makes it.
public struct ShownReport: Sendable {
    /// The report.
    public var display: DisplayReport
    /// The reply to send.
    public var reply: Reply
}

extension [Watcher] {
    /// The list as JSON, in its order: `{"watchers":[{"as":"lobby","since":"…","shown":12}]}`.
    public var json: [UInt8] {
        var text = ByteWriter(capacity: 64 + 96 * count)
        text.append(literal: #"{"watchers":["#)
        for watcher in self {
            text.element()
            if let name = watcher.name {
                text.object("as")
                text.append(quoting: name.rawValue)
                text.member("since", time: watcher.since)
            } else {
                text.object("since")
                text.append(time: watcher.since)
            }
            if let shown = watcher.shown { text.member("shown", shown) }
            text.append(literal: "}")
        }
        text.append(literal: "]}")
        return text.finish()
    }
}
