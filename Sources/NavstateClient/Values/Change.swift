public import Foundation

extension Nav {
    /// A state of a session together with the change that led to it, as delivered by a stream.
    public struct Change: Document, CommandEffects {
        public var revision = 0
        /// The entity tag of the state, for `ChangeOptions.ifMatch`.
        public var etag = ""
        /// The session at this revision.
        public var session = Nav.Session()
        /// The command that made the change. It is nil at the start of a stream and after a gap.
        public var command: Nav.Command?
        /// The ids of new entries and sheets, from bottom to top.
        public var added: [String] = []
        /// The ids of removed entries and sheets, from bottom to top.
        public var removed: [String] = []
        /// Whether revisions were missed between the previous change and this one.
        public var hasGap = false
        public var members: [String: JSONValue] = [:]

        static let known: [Member<Nav.Change>] = [
            .required("revision", \.revision), .defaulted("etag", \.etag),
            .required("session", \.session), .optional("command", \.command),
            .optional("added", \.added), .optional("removed", \.removed),
            .optional("gap", \.hasGap),
        ]

        /// The name of the token that made the change, if it had one.
        public var by: String? { members["by"]?.string }
        /// The steps from the previous revision to this one, if the stream was opened with
        /// `includesSteps`.
        public var steps: [Step]? { members.value("steps") }
    }
}

/// An event of a stream.
public enum SessionEvent: Sendable, Hashable {
    /// A stream of all sessions has begun. If it has a gap, read the list of sessions again.
    case hello(hasGap: Bool)
    /// The state at the beginning of a stream, or after a gap.
    case snapshot(Nav.Change)
    /// The next revision.
    case change(Nav.Change)
    /// The list of watchers has changed to this one.
    case watchers([Watcher])
    /// Somebody has sent a signal to those who watch a session.
    case signal(session: String, Signal)
    /// The session has ended.
    case ended(session: String, Ending)
}

/// Why a session ended.
public enum Ending: String, Sendable, Hashable {
    /// It was deleted.
    case deleted
    /// It was not changed within its time to live.
    case expired
    /// It no longer existed when the stream was continued, so it is not known which of the two
    /// happened.
    case gone
}

/// A message to the streams of a session. It is sent once and changes nothing.
public struct Signal: Document {
    public var name = ""
    /// The value that was sent with it, if any.
    public var data: JSONValue?
    public var members: [String: JSONValue] = [:]

    static let known: [Member<Signal>] = [.required("name", \.name), .optional("data", \.data)]

    /// When the signal was sent, in whole seconds.
    public var at: Date? { members.date("at") }
    /// The name of the token that sent the signal, if it had one.
    public var by: String? { members["by"]?.string }
}

/// One animation on the way from one revision to another.
public struct Step: Document {
    /// The kind of the step: `tabs`, `dismiss`, `select`, `pop`, `push`, `present`, `params` or
    /// `badge`.
    public var name = ""
    public var members: [String: JSONValue] = [:]

    static let known: [Member<Step>] = [.required("step", \.name)]

    /// The entry that is pushed or changed, if any. A root that is changed has the id of its tab.
    public var entry: Nav.Entry? { members.value("entry") }
    /// The tab or sheet whose path changes.
    public var container: String? { members["in"]?.string }
}

/// An open stream of a session.
public struct Watcher: Document {
    public var members: [String: JSONValue] = [:]

    static let known: [Member<Watcher>] = []

    /// The name of the stream, if it was opened with one.
    public var name: String? { members["as"]?.string }
    /// When the stream was opened, in whole seconds.
    public var since: Date? { members.date("since") }
    /// The revision that the display last reported to be showing, if it has reported any.
    public var shown: Int? { members["shown"]?.integer }
}

/// The steps from one revision to another, one animation each.
public struct Steps: Document {
    /// The revision at which the steps begin.
    public var from = 0
    /// The revision at which they end.
    public var to = 0
    public var steps: [Step] = []
    public var members: [String: JSONValue] = [:]

    static let known: [Member<Steps>] = [
        .required("from", \.from), .required("to", \.to), .required("steps", \.steps),
    ]
}
