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
    /// The whole URL with its query.
    public var url: URL
    /// The header fields.
    public var fields: [String: String]
    /// The body; nil for none.
    public var body: Data?
    /// The response counts as lost if nothing arrives for this many seconds.
    public var silenceSeconds: Double

    public init(
        method: String, url: URL, fields: [String: String], body: Data?, silenceSeconds: Double
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.silenceSeconds = silenceSeconds
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
