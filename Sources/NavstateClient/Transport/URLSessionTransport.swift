import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// `URLSession.bytes(for:)` does not exist on Linux. Instead, each task has a delegate that passes
// the parts of the body into a stream. The stream holds a limited number of parts. A reader that is
// too slow loses the connection and continues after the last event on a new one; the server treats
// clients that do not read in the same way.

/// The standard transport, which uses `URLSession`.
struct URLSessionTransport: Transport {
    /// The parts are at most 16 KiB each, and 16 MiB is enough for several events of the largest
    /// sessions.
    private static let unreadPartsMax = 1024

    /// The transport that all clients share. A `URLSession` lives until it is invalidated, so there
    /// is only one.
    static let shared = URLSessionTransport()

    let session: URLSession

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        // Each stream occupies a connection. The default of 6 is meant for browsers.
        configuration.httpMaximumConnectionsPerHost = 1000
        session = URLSession(
            configuration: configuration, delegate: SessionDelegate(), delegateQueue: nil)
    }

    func open(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (heads, head) = AsyncStream<HTTPURLResponse>.makeStream()
        let (body, parts) = AsyncThrowingStream<Data, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.unreadPartsMax))
        let task = session.dataTask(with: Self.urlRequest(request))
        parts.onTermination = { _ in task.cancel() }
        task.delegate = TaskDelegate(head: head, parts: parts)
        task.resume()
        for await head in heads {
            return HTTPResponse(
                status: head.statusCode, fields: Self.fields(of: head), body: body)
        }
        try Task.checkCancellation()
        // There was no head, so reading the body throws the error.
        for try await _ in body {}
        throw URLError(.badServerResponse)
    }

    private static func urlRequest(_ request: HTTPRequest) -> URLRequest {
        var own = URLRequest(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData)
        // Linux ignores the timeout passed to the initializer, and cuts off fractions of a second.
        own.timeoutInterval = (request.silenceLimit / .seconds(1)).rounded(.up)
        own.httpMethod = request.method
        own.httpBody = request.body
        for (name, value) in request.fields { own.setValue(value, forHTTPHeaderField: name) }
        return own
    }

    private static func fields(of head: HTTPURLResponse) -> [String: String] {
        var fields: [String: String] = [:]
        for (name, value) in head.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            fields[name.lowercased()] = value
        }
        return fields
    }
}

/// Forwards the response of one task. The continuations can be used from any thread.
private final class TaskDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let head: AsyncStream<HTTPURLResponse>.Continuation
    private let parts: AsyncThrowingStream<Data, any Error>.Continuation

    init(
        head: AsyncStream<HTTPURLResponse>.Continuation,
        parts: AsyncThrowingStream<Data, any Error>.Continuation
    ) {
        self.head = head
        self.parts = parts
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { head.yield(response) }
        head.finish()
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard case .dropped = parts.yield(data) else { return }
        parts.finish(throwing: URLError(.dataLengthExceedsMaximum))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        parts.finish(throwing: error)
        head.finish()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The token must not be sent to any other server.
        completionHandler(nil)
    }

    /// Ends the body, all of which has arrived.
    func finish() { parts.finish() }
}

/// Forwards every call to the delegate of the task. On Apple platforms the task's delegate is
/// called instead of this one; on Linux only this one is called.
private final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let delegate = dataTask.delegate as? TaskDelegate else {
            return completionHandler(.cancel)
        }
        delegate.urlSession(
            session, dataTask: dataTask, didReceive: response,
            completionHandler: completionHandler)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        (dataTask.delegate as? TaskDelegate)?.urlSession(
            session, dataTask: dataTask, didReceive: data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        (task.delegate as? TaskDelegate)?.urlSession(
            session, task: task, didCompleteWithError: error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    #if canImport(FoundationNetworking)
        /// Does not ask for a password. On other platforms the default handling then returns the
        /// response. On Linux, where the whole response has arrived by now, it never ends without a
        /// password, and a rejection only cancels the task.
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (Disposition, URLCredential?) -> Void
        ) {
            guard challenge.proposedCredential == nil, let delegate = task.delegate as? TaskDelegate
            else { return completionHandler(.performDefaultHandling, nil) }
            delegate.finish()
            completionHandler(.rejectProtectionSpace, nil)
        }

        typealias Disposition = URLSession.AuthChallengeDisposition
    #endif
}
