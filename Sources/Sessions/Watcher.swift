internal import Bytes
public import Navigation

/// The name of a display, which the client of a stream chooses. Two streams may have the same.
public struct WatcherName: Name {
    /// The text of the name.
    public let rawValue: String
    public init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// An open stream of a session. It is not stored.
public struct Watcher: Equatable, Sendable {
    /// The name that the stream was opened with.
    public var name: WatcherName?
    /// When the stream was opened.
    public var since: Milliseconds
    /// The revision that the display has reported to show.
    public var shown: Int?

    public init(name: WatcherName? = nil, since: Milliseconds, shown: Int? = nil) {
        self.name = name
        self.since = since
        self.shown = shown
    }

    /// Whether a read need not wait for the watcher: it has no name, or shows the revision or a
    /// later one.
    public func hasShown(_ revision: Int) -> Bool {
        name == nil || shown.map { $0 >= revision } ?? false
    }
}

/// The screens of the displays of a name.
public struct DisplayReport: Hashable, Sendable {
    /// The watched session.
    public var id: SessionID
    /// The name of the streams that show it.
    public var name: WatcherName
    /// The revision that they show.
    public var revision: Int

    public init(id: SessionID, name: WatcherName, revision: Int) {
        self.id = id
        self.name = name
        self.revision = revision
    }
}
