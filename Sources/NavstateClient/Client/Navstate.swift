public import Foundation

// The client in one page:
//
//     let navstate = Navstate(url: URL(string: "http://127.0.0.1:8080")!, token: token)
//     let session = try await navstate.create(NewSession(id: "kiosk-1", app: "chat"))
//     try await session.navigate(to: "contactList")
//     for try await change in session.changes() { print(change.session.visible.route) }
//
// 1. `Navstate` is a server, `RemoteSession` is one of its sessions. Both are values that hold no
//    state: what they return are values too, as the server sent them.
// 2. Every function sends one request. It throws a `NavstateError`; a refusal of the server has its
//    problem.
// 3. A request that received no response, or a 429, 502, 503 or 504, is sent again a few times.
//    That is safe for changes, because all attempts have the same idempotency key.
// 4. `changes()` delivers every revision once and in order. If the connection is lost, it connects
//    again and goes on after the last event. If that was too long ago, the next change has a gap.
// 5. `Router` is built on top: it shows a session in SwiftUI and changes it.
//
// Members that this version does not know are kept in `members`, so that a program can use what a
// newer server sends.

/// A navstate server.
///
/// ```swift
/// guard let url = URL(string: "http://127.0.0.1:8080") else { return }
/// let navstate = Navstate(url: url, token: token)
/// try await navstate.session("kiosk-1").navigate(to: "settings")
/// ```
public struct Navstate: Sendable {
    /// The server's base URL. The API's paths are appended to it.
    public var url: URL { requester.url }

    let requester: Requester

    /// A server with this URL. The token is sent with each request.
    public init(
        url: URL, token: String? = nil, configuration: Configuration = Configuration()
    ) {
        requester = Requester(url: url, token: token, configuration: configuration)
    }

    /// A session of this server, whether it exists or not.
    public func session(_ id: String) -> RemoteSession {
        RemoteSession(navstate: self, id: id)
    }
}

extension Navstate {
    /// How a client behaves where the network is slow or fails.
    public struct Configuration: Sendable {
        /// How often a request is sent again.
        public var retries = 3
        /// How long each attempt of a request may take. Where the server is asked to wait, that
        /// time is added.
        public var timeout = Duration.seconds(30)
        /// A stream counts as dead if nothing arrives for this long. The server sends something at
        /// least every 15 seconds.
        public var silenceLimit = Duration.seconds(35)
        /// What carries the requests.
        public var transport: any Transport
        var backoff = Backoff()
        /// Sleeps before another attempt. Tests look at the times, and do not wait that long.
        var sleepBetweenAttempts: Sleep = { try await Task.sleep(for: $0) }
        /// Sleeps until the time limit of an attempt. Tests wait for something else.
        var sleepUntilLimit: Sleep = { try await Task.sleep(for: $0) }

        typealias Sleep = @Sendable (Duration) async throws -> Void

        /// Three retries, 30 seconds for a request, and `URLSession`.
        public init() { transport = URLSessionTransport.shared }
    }
}
