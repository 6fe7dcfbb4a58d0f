import Foundation

// How a stream is followed across connections:
//
//   connect --200--> read --data--> items          every byte received resets the attempts
//      |               |
//      | no answer,    | closed, silent, unread parts dropped
//      | 429, 5xx,     |
//      | no stream     |
//      +-------> wait (back-off, the server's `retry`) --> connect with Last-Event-ID
//
//   Any other problem from the server ends the stream with an error. A response from a proxy or a
//   captive portal does not, because the server may be reachable later. If a session no longer
//   exists when the stream is continued, it has ended, as if it had been deleted.

/// The sessions that a stream follows, and the event after which it begins.
struct StreamTarget: Sendable {
    var path: String
    var query: [(String, String?)] = []
    /// The sessions that are followed by their ids. The stream ends when the last of them does.
    var sessions: Set<String> = []
    /// Whether the query lists the sessions.
    var namesSessions = false
    /// Whether to wait for the session if it does not exist yet.
    var waitsForSession = false
    /// The id of the last event that was seen.
    var after: String?

    var call: Call {
        var call = Call(path: path, query: query)
        if namesSessions {
            call.query += sessions.sorted().map { ("session", $0) }
        }
        call.fields["Accept"] = "text/event-stream"
        if let after { call.fields["Last-Event-ID"] = after }
        return call
    }
}

/// An event of a stream, or a change in the state of its connection.
enum StreamItem: Sendable, Hashable {
    case event(SessionEvent)
    /// A connection was made.
    case live
    /// Something other than an event has arrived, such as a heartbeat.
    case alive
    /// The connection was lost and will be reopened after a while. The error is nil if the server
    /// closed the connection.
    case waiting(NavstateError?)
}

/// The items of a stream, across all its connections.
struct StreamItems: AsyncSequence, Sendable {
    typealias Element = StreamItem
    var requester: Requester
    var target: StreamTarget

    func makeAsyncIterator() -> Follower { Follower(requester: requester, target: target) }
}

/// Follows a stream. It works only while a caller waits for the next item.
struct Follower: AsyncIteratorProtocol {
    private let requester: Requester
    private var target: StreamTarget
    private var parts: AsyncThrowingStream<Data, any Error>.Iterator?
    private var parser = EventStreamParser()
    private var items: [StreamItem] = []
    private var seen: [String: (revision: Int, etag: String)] = [:]
    private var attempt = 0
    private var error: NavstateError?
    private var wasLive = false
    private var isOver = false

    init(requester: Requester, target: StreamTarget) {
        self.requester = requester
        self.target = target
        isOver = target.namesSessions && target.sessions.isEmpty
    }

    mutating func next() async throws(NavstateError) -> StreamItem? {
        while true {
            if !items.isEmpty { return items.removeFirst() }
            if isOver { return nil }
            do throws(NavstateError) {
                if parts == nil { try await connect() } else { try await read() }
            } catch {
                isOver = true
                parts = nil
                // The cancelled task does not need an error.
                guard Task.isCancelled || error == .cancelled else { throw error }
                return nil
            }
        }
    }

    private mutating func connect() async throws(NavstateError) {
        if attempt > 0 { try await waitForAttempt() }
        do throws(NavstateError) {
            let silence = requester.configuration.silenceLimit
            let response = try await requester.open(target.call, silenceLimit: silence)
            guard response.isType("text/event-stream") else {
                return lose(.unexpected("The response is not an event stream."))
            }
            parts = response.body.makeAsyncIterator()
            parser = EventStreamParser()
            wasLive = true
            items.append(.live)
        } catch {
            guard error.isSessionGone else {
                guard !error.isFinal else { throw error }
                return lose(error)
            }
            if wasLive { return try await endMissingSessions(error) }
            guard target.waitsForSession else { throw error }
            lose(error)
        }
    }

    /// Handles a stream that the server refused because one of its sessions no longer exists.
    /// Reports the sessions that are gone as ended; the next attempt follows the others.
    private mutating func endMissingSessions(_ gone: NavstateError) async throws(NavstateError) {
        var missing = target.sessions
        if target.sessions.count > 1 {
            for id in target.sessions.sorted() {
                do throws(NavstateError) {
                    _ = try await requester.send(
                        Call(path: "/v1/sessions/\(id.percentEncoded)"))
                    missing.remove(id)
                } catch {
                    if error.isSessionGone { continue }
                    guard !error.isFinal else { throw error }
                    return lose(error)
                }
            }
        }
        for id in missing.sorted() { end(id, .gone) }
        if !isOver { lose(gone) }
    }

    private mutating func end(_ session: String, _ ending: Ending) {
        seen[session] = nil
        if target.sessions.remove(session) != nil, target.sessions.isEmpty { isOver = true }
        items.append(.event(.ended(session: session, ending)))
    }

    private mutating func waitForAttempt() async throws(NavstateError) {
        if let milliseconds = parser.retryMilliseconds {
            let limited = min(milliseconds, requester.configuration.backoff.maxMilliseconds)
            do {
                let pause = Duration.milliseconds(limited)
                try await requester.configuration.sleepBetweenAttempts(pause)
            } catch {
                throw .cancelled
            }
        }
        try await requester.pause(attempt: attempt, after: error)
    }

    private mutating func read() async throws(NavstateError) {
        var data: Data?
        do {
            data = try await parts?.next()
        } catch {
            let error = NavstateError(error)
            guard error.isTransient else { throw error }
            return lose(error)
        }
        guard !Task.isCancelled else { throw .cancelled }
        guard let data else { return lose(nil) }
        attempt = 0
        for event in try parser.push(data) { try receive(event) }
        if items.isEmpty { items.append(.alive) }
    }

    /// Handles the loss of the connection.
    private mutating func lose(_ error: NavstateError?) {
        parts = nil
        attempt += 1
        self.error = error
        items.append(.waiting(error))
    }

    private mutating func receive(_ frame: ServerSentEvent) throws(NavstateError) {
        if !frame.id.isEmpty { target.after = frame.id }
        guard let event = try SessionEvent(frame) else { return }
        switch event {
        case .snapshot(let change):
            // If the state is still the same, nothing was missed.
            guard seen[change.session.id]?.etag != change.etag else { return }
            note(change)
        case .change(let change):
            guard change.revision > seen[change.session.id]?.revision ?? 0 else { return }
            note(change)
        case .ended(let session, let ending): return end(session, ending)
        case .hello, .watchers, .signal: break
        }
        items.append(.event(event))
    }

    private mutating func note(_ change: Nav.Change) {
        // Only sessions that are followed by their ids are noted, and there are few of those. A
        // stream of all sessions continues after its last event, so it repeats nothing either.
        guard target.sessions.contains(change.session.id) else { return }
        seen[change.session.id] = (change.revision, change.etag)
    }
}

extension SessionEvent {
    /// Decodes an event. Returns nil if this version does not know the event.
    fileprivate init?(_ frame: ServerSentEvent) throws(NavstateError) {
        do {
            let decoder = JSONDecoder()
            let data = Data(frame.data.utf8)
            switch frame.name {
            case "hello":
                let hello = try decoder.decode(JSONValue.self, from: data)
                self = .hello(hasGap: hello["gap"]?.bool ?? false)
            case "snapshot": self = .snapshot(try decoder.decode(Nav.Change.self, from: data))
            case "change": self = .change(try decoder.decode(Nav.Change.self, from: data))
            case "watchers":
                self = .watchers(try decoder.decode(Watchers.self, from: data).watchers)
            case "signal":
                let signal = try decoder.decode(Signal.self, from: data)
                self = .signal(session: signal.members["session"]?.string ?? "", signal)
            case "deleted", "expired":
                let end = try decoder.decode(JSONValue.self, from: data)
                let ending: Ending = frame.name == "deleted" ? .deleted : .expired
                self = .ended(session: end["id"]?.string ?? "", ending)
            default: return nil
            }
        } catch {
            throw .unexpected("The event \(frame.name) cannot be read: \(error)")
        }
    }
}
