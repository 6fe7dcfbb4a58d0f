import POSIX
import TestSupport
import Testing

/// A server that gives one response for each connection, in their order, and remembers the
/// requests. After the last response it closes its listener.
final class ScriptedServer: Sendable {
    /// The port that it listens on.
    let port: UInt16
    private let seen = Lock([String]())
    private let thread: Thread

    /// - Parameter responses: what is sent after each request was read up to its empty line; an
    ///   empty text closes the connection without a response.
    init(_ responses: [String], at listener: FileDescriptor? = nil) throws {
        let listener = try listener ?? Socket.listen(address: "127.0.0.1", port: 0)
        port = (try? Socket.port(of: listener)) ?? 0
        let seen = seen
        thread = try Thread(named: "responses") {
            for response in responses {
                guard let request = try? Self.respond(at: listener, Array(response.utf8)) else {
                    return
                }
                seen.withLock { $0.append(request) }
            }
        }
    }

    convenience init(_ response: String, at listener: FileDescriptor? = nil) throws {
        try self.init([response], at: listener)
    }

    /// Waits for the last connection.
    ///
    /// - Returns: the requests.
    @discardableResult
    func join() -> [String] {
        thread.join()
        return seen.withLock { $0 }
    }

    /// A response with a length, and JSON as its body.
    static func json(_ body: String, _ status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static func respond(
        at listener: FileDescriptor, _ response: [UInt8]
    ) throws -> String? {
        let epoll = try Epoll()
        var events: [Epoll.Event] = []
        try epoll.add(listener, .readable, token: 0)
        try epoll.wait(into: &events, timeoutMilliseconds: waitMilliseconds)
        guard let socket = try Socket.accept(listener)?.descriptor else { return nil }
        try epoll.remove(listener)
        try epoll.add(socket, .readable, token: 1)
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !isComplete(request) {
            try epoll.wait(into: &events, timeoutMilliseconds: waitMilliseconds)
            guard !events.isEmpty else { return nil }
            guard let count = try socket.read(into: &buffer, 0..<buffer.count) else { continue }
            guard count > 0 else { return nil }
            request += buffer[..<count]
        }
        if !response.isEmpty { try socket.writeAll(response) }
        return String(decoding: request, as: UTF8.self)
    }

    /// Whether the head and as much of a body as it announces are there.
    private static func isComplete(_ request: [UInt8]) -> Bool {
        let text = String(decoding: request, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return false }
        let field = text.firstRange(of: "Content-Length: ")
        let length = field.flatMap { Int(text[$0.upperBound...].prefix(while: \.isNumber)) } ?? 0
        return text[end.upperBound...].utf8.count >= length
    }
}
