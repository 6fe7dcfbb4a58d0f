/// A session: its navigation state, and what the service keeps about it.
package struct Session: Equatable, Sendable {
    package var id: SessionID
    /// The number of changes, from 1.
    package var revision: Int
    package var app: AppID?
    package var settings: SessionSettings
    /// A whole second, as it is written and read back.
    package var createdAt: Milliseconds
    package var updatedAt: Milliseconds
    package var state: NavigationState
    /// The number of the next new entry or sheet.
    package var nextEntry: Int
    package var undoing = UndoStacks()

    package init(
        id: SessionID, app: AppID?, settings: SessionSettings, at: Milliseconds,
        state: NavigationState,
        nextEntry: Int = 1
    ) {
        self.id = id
        revision = 1
        self.app = app
        self.settings = settings
        createdAt = at - at % 1000
        updatedAt = at
        self.state = state
        self.nextEntry = nextEntry
    }

    /// When it leaves by itself; nil: never.
    package var expiresAt: Milliseconds? {
        settings.ttlSeconds.map { updatedAt + Milliseconds($0) * 1000 }
    }
}

/// What a client may set besides the navigation.
package struct SessionSettings: Equatable, Sendable {
    /// In the order in which they were given.
    package var labels: [Label]
    /// Seconds from the last change to the end; nil: never.
    package var ttlSeconds: Int?

    package init(labels: [Label] = [], ttlSeconds: Int? = nil) {
        self.labels = labels
        self.ttlSeconds = ttlSeconds
    }
}
