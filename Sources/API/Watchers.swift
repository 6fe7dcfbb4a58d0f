internal import Bytes
internal import JSON
package import Navigation

// Who is watching a session, as values. The server has the streams; the service reads the list
// through its environment, and returns what is to be recorded as an outcome. None of it is stored.

/// The name of a display, which the client of a stream chooses. Two streams may have the same.
package struct WatcherName: Name {
    /// The text of the name.
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// An open stream of a session.
package struct Watcher: Equatable, Sendable {
    /// The name that the stream was opened with.
    package var name: WatcherName?
    /// When the stream was opened.
    package var since: Milliseconds
    /// The revision that the display has reported to show.
    package var shown: Int?

    package init(name: WatcherName? = nil, since: Milliseconds, shown: Int? = nil) {
        self.name = name
        self.since = since
        self.shown = shown
    }

    /// Whether a read need not wait for the watcher: it has no name, or shows the revision or a
    /// later one.
    package func hasShown(_ revision: Int) -> Bool {
        name == nil || shown.map { $0 >= revision } ?? false
    }
}

/// What a display shows, and the reply to the request that reports it.
package struct ShownReport: Sendable {
    /// The watched session.
    package var id: SessionID
    /// The name of the streams that show it.
    package var name: WatcherName
    /// The revision that they show.
    package var revision: Int
    /// The reply to send.
    package var reply: Reply
}

extension [Watcher] {
    /// The list as JSON, in its order: `{"watchers":[{"as":"lobby","since":"…","shown":12}]}`.
    package var json: [UInt8] {
        var text = ByteWriter(capacity: 64 + 96 * count)
        text.append(literal: #"{"watchers":["#)
        for (index, watcher) in enumerated() {
            text.append(literal: index > 0 ? ",{" : "{")
            if let name = watcher.name {
                text.append(literal: #""as":""#)
                text.append(name.rawValue)
                text.append(literal: #"","#)
            }
            text.append(literal: #""since":"#)
            text.append(time: watcher.since)
            if let shown = watcher.shown {
                text.append(literal: #","shown":"#)
                text.append(shown)
            }
            text.append(literal: "}")
        }
        text.append(literal: "]}")
        return text.finish()
    }
}

extension StreamEvent {
    /// The list of a session's watchers. It has no number, since it is no change.
    package static func watchers(_ list: [Watcher]) -> StreamEvent {
        StreamEvent(name: .watchers, sequence: 0, data: list.json)
    }
}
