public import Foundation

/// Sends requests and returns the responses. The standard transport uses `URLSession`. Write your
/// own to test without a server.
///
/// ```swift
/// struct Offline: Transport {
///     func open(_ request: HTTPRequest) async throws -> HTTPResponse {
///         throw URLError(.notConnectedToInternet)
///     }
/// }
/// var configuration = Navstate.Configuration()
/// configuration.transport = Offline()
/// ```
public protocol Transport: Sendable {
    /// Sends a request and returns as soon as the head of the response has arrived. The request is
    /// cancelled when the response's body is released or the task is cancelled.
    func open(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// An HTTP request.
public struct HTTPRequest: Sendable, Hashable {
    /// The method, such as `GET` or `POST`.
    public var method: String
    public var url: URL
    /// The header fields. `Authorization` contains the token, which `description` leaves out.
    public var fields: [String: String]
    public var body: Data?
    /// How long the server may be silent before the response counts as lost.
    public var silenceLimit: Duration

    /// Creates a request from its parts.
    public init(
        method: String, url: URL, fields: [String: String], body: Data?, silenceLimit: Duration
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.silenceLimit = silenceLimit
    }
}

// Keeps the token out of logs and debuggers.
extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the URL.
    public var description: String { "\(method) \(url.absoluteString)" }

    /// The parts of the request, without the value of `Authorization`.
    public var customMirror: Mirror {
        var shown = fields
        for name in fields.keys where name.lowercased() == "authorization" {
            shown[name] = "hidden"
        }
        let children: KeyValuePairs<String, Any> = [
            "method": method, "url": url, "fields": shown, "body": body as Any,
            "silenceLimit": silenceLimit,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

/// An HTTP response whose body arrives in parts.
public struct HTTPResponse: Sendable {
    public var status: Int
    /// The header fields, with names in lower case.
    public var fields: [String: String]
    /// The parts of the body as they arrive.
    public var body: AsyncThrowingStream<Data, any Error>

    /// Creates a response whose body is still arriving.
    public init(
        status: Int, fields: [String: String], body: AsyncThrowingStream<Data, any Error>
    ) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Creates a response whose body has arrived.
    public init(status: Int, fields: [String: String], data: Data) {
        let (body, parts) = AsyncThrowingStream<Data, any Error>.makeStream()
        parts.yield(data)
        parts.finish()
        self.init(status: status, fields: fields, body: body)
    }

    /// Whether the body has this media type.
    func isType(_ type: String) -> Bool {
        fields["content-type"]?.lowercased().hasPrefix(type) ?? false
    }
}
