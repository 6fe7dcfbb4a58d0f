public import Foundation

/// Carries requests to the server and responses back. Give a client one of your own to test without
/// a server; the standard one uses `URLSession`.
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
    /// Sends a request and returns as soon as the head of the response has arrived. The request
    /// ends when the body of the response is released or the task is cancelled.
    func open(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// An HTTP request.
public struct HTTPRequest: Sendable, Hashable {
    /// `GET`, `POST` and so on.
    public var method: String
    /// The URL of the request, with its query.
    public var url: URL
    /// The header fields. `Authorization` has the token, which `description` leaves out.
    public var fields: [String: String]
    /// The body; nil for none.
    public var body: Data?
    /// The response counts as lost if nothing arrives for this long.
    public var silenceLimit: Duration

    /// A request with these parts.
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

// The token stays out of logs and of what a debugger shows.
extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the URL.
    public var description: String { "\(method) \(url.absoluteString)" }

    /// The parts of the request without the value of `Authorization`.
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

/// An HTTP response, whose body arrives in parts.
public struct HTTPResponse: Sendable {
    /// The status, such as 200.
    public var status: Int
    /// The header fields. Their names are in lower case.
    public var fields: [String: String]
    /// The parts of the body as they arrive.
    public var body: AsyncThrowingStream<Data, any Error>

    /// A response whose body is still arriving.
    public init(
        status: Int, fields: [String: String], body: AsyncThrowingStream<Data, any Error>
    ) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A response whose body has arrived.
    public init(status: Int, fields: [String: String], data: Data) {
        let (body, parts) = AsyncThrowingStream<Data, any Error>.makeStream()
        parts.yield(data)
        parts.finish()
        self.init(status: status, fields: fields, body: body)
    }

    /// Whether the body is of this type.
    func isType(_ type: String) -> Bool {
        fields["content-type"]?.lowercased().hasPrefix(type) ?? false
    }
}
