internal import Bytes
public import HTTP
internal import JSON
public import Navigation
public import Sessions

// Streams as values: the events that a client subscribes to, and how a stream begins. The server
// keeps the clients and writes to them.

/// The events that a client wants, and their form.
public struct Subscription: Sendable {
    /// The sessions of a subscription.
    public enum Scope: Sendable {
        case sessions(Set<SessionID>)
        /// All sessions that the filter selects.
        case all(SessionFilter)
    }

    /// The sessions of which the client wants to be told.
    public var scope: Scope
    /// `.eventStream` or `.ndjson`.
    public var format: ContentType
    /// The stream ends after this number of events. Nil for no limit.
    public var eventsMax: Int?
    /// Whether the stream ends with its only session.
    public var endsWithSession: Bool
    /// Only changes after this position are told; the client knows the others.
    public var after: FeedPosition
    /// Whether the ids of the events are positions. If not, they are the numbers of the changes.
    public var sendsPositions = false
    /// The credentials that the stream was admitted with; they are checked again before each event.
    public var credentials: Credentials
    /// The name that the client gives itself in the list of watchers.
    public var name: WatcherName?
    /// Whether the client is to be told who else is watching.
    public var sendsWatchers = false
    /// Whether the client receives signals.
    public var wantsSignals = false
    /// Whether the client is to be told the steps of each change.
    public var wantsSteps = false

    /// Whether the client is to be told of the change.
    public func takes(_ event: StreamEvent) -> Bool {
        guard !after.covers(event.sequence), let subject = event.subject else { return false }
        return switch scope {
        case .sessions(let ids): ids.contains(subject.id)
        case .all(let filter):
            filter.matches(app: subject.app, labels: subject.labels)
        }
    }
}

/// The beginning of a stream.
public struct StreamOpening {
    /// The head of the stream.
    public var response: Response
    /// The events that the client wants after the first ones.
    public var subscription: Subscription
    /// The first events.
    public var events: [StreamEvent]
    /// The stream may begin once these changes are kept.
    public var visibleAfter: Tickets
    /// The index of the requested endpoint in `Endpoint.all`.
    public var endpoint: Int?
}

/// A read that waits for something to happen to a session.
public struct LongPoll: Sendable {
    /// The condition that ends a wait.
    public enum Goal: Equatable, Sendable {
        /// The next change of the session.
        case change
        /// Every named watcher has shown this revision or a later one, or is gone.
        case shown(Int)
    }

    /// The maximum duration of a wait.
    static let secondsMax = 60

    /// The session that the client asks about.
    public var id: SessionID
    /// The maximum duration of the wait, from 1 to 60. A request that waits several times waits no
    /// longer.
    public var seconds: Int
    /// The condition that ends the wait earlier.
    public var goal = Goal.change
}

/// Writes the entity tags of states as members of JSON objects: `,"etag":"\"1a20-184320\""`. The
/// value is what a client sends in `If-Match`.
struct EntityTagMember {
    private let start: [UInt8]

    /// - Parameter lineage: letters and digits.
    init(lineage: String) { start = Array(#","etag":"\"\#(lineage)-"#.utf8) }

    /// Appends the member for this version.
    func append(_ version: EntityVersion, to text: inout ByteWriter) {
        text.append(start)
        if version.first > 0 {
            text.append(UInt(version.first))
            text.append(UInt8(ascii: "-"))
        }
        text.append(UInt(version.second))
        text.append(literal: #"\"""#)
    }
}
