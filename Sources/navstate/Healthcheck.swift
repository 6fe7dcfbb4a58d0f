internal import Bytes
internal import POSIX
internal import Server

/// The verb `healthcheck`: asks a server on this machine whether it is ready.
package enum Healthcheck {
    /// The time limit for connecting, and for the response.
    private static let timeoutMilliseconds: Int64 = 3_000

    /// Asks the server at the first `--listen` address and prints `ok` if it is ready.
    ///
    /// - Throws: an `unhealthy` error if it is not ready or does not respond within 3 s.
    package static func run(
        _ configuration: Configuration, output: Output
    ) throws(ExitError) {
        let address = (configuration.listen.first ?? Configuration().listen[0]).reachable
        guard address.port != 0 || address.path != nil else {
            throw ExitError(
                .usage, "--listen \(address) has no fixed port; set one for the health check")
        }
        let response: String
        do {
            response = try ask(address)
        } catch {
            throw ExitError(.unhealthy, "\(address) does not respond: \(error.text)")
        }
        guard response.hasPrefix("HTTP/1.1 200 ") else {
            let line = String(response.unicodeScalars.prefix { $0 != "\r" })
            throw ExitError(.unhealthy, "\(address) is not ready: \(line)")
        }
        output.print("ok\n")
    }

    /// Returns the response to `GET /readyz`.
    private static func ask(_ address: ListenAddress) throws(SystemError) -> String {
        let end = Clock.monotonicMilliseconds + timeoutMilliseconds
        let socket =
            if let path = address.path {
                try Socket.connect(path: path, waitingAtMost: timeoutMilliseconds)
            } else {
                try Socket.connect(
                    address: address.host, port: address.port,
                    waitingAtMost: timeoutMilliseconds)
            }
        let request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        try socket.writeAll(Array(request.utf8))
        let epoll = try Epoll()
        try epoll.add(socket, [.readable], token: 0)
        var events: [Epoll.Event] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var response: [UInt8] = []
        while response.count < 1 << 16 {
            let rest = end - Clock.monotonicMilliseconds
            guard rest > 0 else { throw SystemError("read", number: SystemError.timedOut) }
            try epoll.wait(into: &events, timeoutMilliseconds: Int(rest))
            guard !events.isEmpty else { continue }
            guard let count = try socket.read(into: &buffer, 0..<buffer.count), count > 0 else {
                break
            }
            response += buffer[..<count]
        }
        return String(decoding: response, as: UTF8.self)
    }
}
