internal import Bytes
package import Navigation

/// The name of a display, which the client of a stream chooses. Two streams may have the same.
package struct WatcherName: Name {
    /// The text of the name.
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// An open stream of a session. It is not stored.
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

/// The screens of the displays of a name.
package struct DisplayReport: Hashable, Sendable {
    /// The watched session.
    package var id: SessionID
    /// The name of the streams that show it.
    package var name: WatcherName
    /// The revision that they show.
    package var revision: Int

    package init(id: SessionID, name: WatcherName, revision: Int) {
        self.id = id
        self.name = name
        self.revision = revision
    }
}
