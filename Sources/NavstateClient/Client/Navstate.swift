public import Foundation

// The client in one page:
//
//     let navstate = Navstate(url: URL(string: "http://127.0.0.1:8080")!, token: token)
//     let session = try await navstate.create(NewSession(id: "kiosk-1", app: "chat"))
//     try await session.navigate(to: "contactList")
//     for try await change in session.changes() { print(change.session.visible.route) }
//
// 1. `Navstate` is a server, and `RemoteSession` is one of its sessions. Both are values without
//    any state of their own, and they return values that are exactly what the server sent.
// 2. Every function sends one request and throws a `NavstateError`. If the server refused the
//    request, the error contains the server's problem.
// 3. A request that gets no response, or a 429, 502, 503 or 504, is retried a few times. That is
//    safe for changes, because all attempts carry the same idempotency key.
// 4. `changes()` delivers every revision once and in order. If the connection is lost, it
//    reconnects and continues after the last event. If the server no longer has all the events
//    since then, the next change is marked as having a gap.
// 5. `Router` is built on top of this. It shows a session in SwiftUI and changes it.
//
// Members that this version does not know are kept in `members`, so a program can still use what a
// newer server sends.

/// A navstate server.
///
/// ```swift
/// guard let url = URL(string: "http://127.0.0.1:8080") else { return }
/// let navstate = Navstate(url: url, token: token)
/// try await navstate.session("kiosk-1").navigate(to: "settings")
/// ```
public struct Navstate: Sendable {
    /// The base URL of the server. The paths of the API are appended to it.
    public var url: URL { requester.url }

    let requester: Requester

    /// Creates a client for the server with this URL. It sends the token with every request.
    public init(
        url: URL, token: String? = nil, configuration: Configuration = Configuration()
    ) {
        requester = Requester(url: url, token: token, configuration: configuration)
    }

    /// Returns a session on this server. This sends no request, so the session need not exist.
    public func session(_ id: String) -> RemoteSession {
        RemoteSession(navstate: self, id: id)
    }
}

extension Navstate {
    /// How a client deals with a slow or failing network.
    public struct Configuration: Sendable {
        /// How many times a failed request is retried.
        public var retries = 3
        /// How long each attempt may take. If a call asks the server to wait, that time is added.
        public var timeout = Duration.seconds(30)
        /// How long a stream may be silent before it counts as dead. The server sends something at
        /// least every 15 seconds.
        public var silenceLimit = Duration.seconds(35)
        /// The transport that sends the requests.
        public var transport: any Transport
        var backoff = Backoff()
        /// Sleeps before a retry. Tests replace it to look at the delays without waiting for them.
        package var sleepBetweenAttempts: Sleep = { try await Task.sleep(for: $0) }
        /// Sleeps until an attempt times out. Tests replace it to decide when that happens.
        package var sleepUntilLimit: Sleep = { try await Task.sleep(for: $0) }
        /// Sleeps between two steps of a router.
        package var sleep: Sleep = { try await Task.sleep(for: $0) }

        /// Waits for so long.
        package typealias Sleep = @Sendable (Duration) async throws -> Void

        /// Creates the standard configuration: three retries, a timeout of 30 seconds, and
        /// `URLSession`.
        public init() { transport = URLSessionTransport.shared }
    }
}
