internal import Bytes
internal import Server

/// The command `healthcheck`: asks a server on this machine whether it is ready.
enum Healthcheck {
    /// The time limit for connecting and for the response.
    private static let timeoutMilliseconds: Int64 = 3_000

    /// Asks the server at the first `--listen` address and prints `ok` if it is ready.
    ///
    /// - Throws: an `unhealthy` error if it is not ready or does not respond within 3 s.
    static func run(_ context: CommandContext) throws(ExitError) {
        let listen = try context.configuration().listen
        let address = (listen.first ?? Configuration().listen[0]).reachable
        guard address.port != 0 || address.path != nil else {
            throw ExitError(
                .usage, "--listen \(address) has no fixed port; set one for the health check")
        }
        let response: String
        do {
            response = try self.response(of: ServerURL(address))
        } catch {
            let why = error == .timedOut ? "no response within 3 s" : error.text
            throw ExitError(.unhealthy, "\(address) does not respond: \(why)")
        }
        guard response.hasPrefix("HTTP/1.1 200 ") else {
            let line = String(response.unicodeScalars.prefix { $0 != "\r" })
            throw ExitError(.unhealthy, "\(address) is not ready: \(line)")
        }
        context.output.print("ok\n")
    }

    /// Returns the response to `GET /readyz`, whatever it is.
    private static func response(of server: ServerURL) throws(TransportError) -> String {
        let connection = try HTTPConnection(
            to: server, timeoutMilliseconds: timeoutMilliseconds, isTotal: true)
        try connection.send(ClientRequest("GET", "/readyz").message(to: server, token: nil))
        var response: [UInt8] = []
        while response.count < 1 << 16 {
            let bytes = try connection.receive()
            guard !bytes.isEmpty else { break }
            response += bytes
        }
        return String(decoding: response, as: UTF8.self)
    }
}
