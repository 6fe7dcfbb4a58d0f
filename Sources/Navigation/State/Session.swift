internal import Bytes

/// A session: the navigation state and its settings, times and undo history.
public struct Session: Equatable, Sendable {
    /// The id of the session.
    public var id: SessionID
    /// The number of the revision, from 1; each change raises it by one.
    public var revision: Int
    /// The app that the session is bound to, or nil for a free-form session.
    public var app: AppID?
    /// The labels and the time to live.
    public var settings: SessionSettings
    /// The time of creation in whole seconds, which is how it is written.
    public var createdAt: Milliseconds
    /// The time of the last change.
    public var updatedAt: Milliseconds
    /// The navigation state.
    public var state: NavigationState
    /// The facts that the app declares. Undo leaves them as they are.
    public var facts: Facts
    /// The command that a guard holds back, if any. Undo does not bring it back.
    public var pending: PendingCommand?
    /// The number of the next new entry or sheet.
    public var nextEntry: Int
    /// The revisions that undo and redo lead to.
    public var undoing: UndoStacks
}

extension Session {
    // It delegates to the memberwise initializer, since one that sets the members copies them all.
    public init(
        id: SessionID, app: AppID?, settings: SessionSettings, at: Milliseconds,
        state: NavigationState,
        nextEntry: Int = 1
    ) {
        self.init(
            id: id, revision: 1, app: app, settings: settings, createdAt: at - at % 1000,
            updatedAt: at, state: state, facts: .none, pending: nil, nextEntry: nextEntry,
            undoing: UndoStacks())
    }

    /// No session, in place of one that was taken.
    static var none: Session {
        Session(
            id: SessionID(trusted: ""), app: nil, settings: SessionSettings(), at: 0,
            state: NavigationState(tabs: []))
    }

    /// The time at which the session expires, or nil for never.
    public var expiresAt: Milliseconds? {
        settings.ttlSeconds.map { updatedAt + Milliseconds($0) * 1000 }
    }
}

/// The members of a session that clients set besides the navigation.
public struct SessionSettings: Equatable, Sendable {
    /// The labels in the order in which they were given.
    public var labels: [Label]
    /// How many seconds after its last change the session expires, or nil for never.
    public var ttlSeconds: Int?
    /// The effect of `back` on the root of a tab, in a free-form session. An app declares its own.
    public var tabBack = TabBack.stay
    /// The idle command, in place of the one that the app declares.
    public var idle: IdleCommand?

    public init(
        labels: [Label] = [], ttlSeconds: Int? = nil, tabBack: TabBack = .stay,
        idle: IdleCommand? = nil
    ) {
        self.labels = labels
        self.ttlSeconds = ttlSeconds
        self.tabBack = tabBack
        self.idle = idle
    }
}

/// A label of a session. Lists and streams of sessions can be filtered by labels.
public struct Label: Hashable, Sendable {
    /// The name of the label: 1–64 letters, digits and `. _ ~ -`.
    public var key: String
    /// The value, which may be empty.
    public var value: String

    public init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    /// Compares byte by byte: canonically equivalent labels are different.
    public static func == (a: Label, b: Label) -> Bool {
        a.key == b.key && a.value == b.value
    }

    /// Hashes the bytes, as `==` compares them.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactString(key))
        hasher.combine(ExactString(value))
    }
}

/// The effect of `back` on the root of a tab when no sheet is presented.
public enum TabBack: String, CaseIterable, Sendable {
    /// Nothing.
    case stay = "none"
    /// Selects the first tab.
    case first
    /// Selects the tab that was selected before.
    case history
}
