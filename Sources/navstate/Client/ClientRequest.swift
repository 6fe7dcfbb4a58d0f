internal import Bytes

/// A request of a client command.
package struct ClientRequest: Equatable, Sendable {
    /// `GET`, `POST` or `PUT`.
    package var method: String
    /// The path and the query, percent-encoded.
    package var target: String
    /// JSON, or nil for a request without a body.
    package var body: [UInt8]?
    /// Further header fields. The values are visible ASCII.
    private(set) var fields: [Field] = []

    /// A header field.
    struct Field: Equatable, Sendable {
        var name: String
        var value: String
    }

    package init(_ method: String, _ target: String, body: [UInt8]? = nil) {
        self.method = method
        self.target = target
        self.body = body
    }

    /// Adds a header field. A value that is empty, long, or not visible ASCII is left out: such a
    /// value can only come from a server, and is not one that it gave in good faith.
    mutating func add(_ name: String, _ value: String) {
        guard (1...255).contains(value.utf8.count), Self.isVisible(value) else { return }
        fields.append(Field(name: name, value: value))
    }

    /// Whether a text can be the value of a field as it is.
    static func isVisible(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The message.
    ///
    /// - Parameter token: sent as `Authorization: Bearer`.
    func message(to address: ServerURL, token: String?) -> [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: \(address.hostField)"]
        lines += ["User-Agent: navstate/\(Version.text)", "Connection: close"]
        if let token { lines.append("Authorization: Bearer \(token)") }
        lines += fields.map { "\($0.name): \($0.value)" }
        if let body {
            lines += ["Content-Type: application/json", "Content-Length: \(body.count)"]
        } else if method != "GET" {
            lines.append("Content-Length: 0")
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
    }
}
