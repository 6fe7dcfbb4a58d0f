/// What a response depends on: a few facts about its request, which can be kept without it.
package struct Exchange: Equatable, Sendable {
    /// Whether the method is `HEAD`.
    package var isHead: Bool
    /// The minor version of HTTP/1, 0 or 1.
    package var minorVersion: Int
    /// Whether the client wants to send another request on the connection.
    package var keepsAlive: Bool

    package init(isHead: Bool, minorVersion: Int, keepsAlive: Bool) {
        self.isHead = isHead
        self.minorVersion = minorVersion
        self.keepsAlive = keepsAlive
    }

    /// For the response to a malformed request.
    package static func refusal(isHead: Bool) -> Exchange {
        Exchange(isHead: isHead, minorVersion: 1, keepsAlive: false)
    }

    /// Whether the connection stays open after a response.
    package func persists(after response: Response) -> Bool { keepsAlive && !response.closes }
}
