internal import Bytes
internal import HTTP
internal import POSIX

/// Sends requests to the server of a client command.
struct ServerClient {
    let address: ServerURL
    /// The token that every request has, or nil for a server without tokens.
    let token: String?
    /// The longest wait for a connection, and for the next bytes of a response.
    var timeoutMilliseconds: Int64

    init(address: ServerURL, token: String?, timeoutMilliseconds: Int64) {
        self.address = address
        self.token = token
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// The server that the options name.
    ///
    /// - Throws: a `usage` error if the token cannot be sent.
    init(_ resolution: Resolution, _ world: Resolution.World) throws(ExitError) {
        let client = resolution.configuration.client
        self.init(
            address: client.server, token: try ClientToken.text(resolution, world),
            timeoutMilliseconds: client.timeoutMilliseconds)
    }

    /// A complete response.
    struct Response {
        var head: ResponseHead
        var body: [UInt8]
    }

    /// Sends a request and reads the response.
    ///
    /// If the connection is lost after it was made, the request is sent once more. A change has an
    /// `Idempotency-Key`, by which the server recognizes it and makes it only once.
    ///
    /// - Throws: an `unavailable` error if there is no response.
    func response(to request: ClientRequest) throws(ExitError) -> Response {
        var request = request
        if request.method != "GET" { request.add("Idempotency-Key", Self.randomKey()) }
        do {
            return try exchangeTwice(request)
        } catch {
            throw unavailable(error, isChange: request.method != "GET")
        }
    }

    private func exchangeTwice(_ request: ClientRequest) throws(TransportError) -> Response {
        let first: TransportError
        do {
            return try exchange(request)
        } catch {
            guard case .lost = error else { throw error }
            first = error
        }
        do {
            return try exchange(request)
        } catch {
            // The server may have stopped after it had made the change.
            if case .unreachable = error { throw first }
            throw error
        }
    }

    private static func randomKey() -> String {
        String(Random.word(), radix: 16) + String(Random.word(), radix: 16)
    }

    private func exchange(_ request: ClientRequest) throws(TransportError) -> Response {
        let connection = try HTTPConnection(
            to: address, timeoutMilliseconds: timeoutMilliseconds)
        try connection.send(request.message(to: address, token: token))
        var parser = ResponseParser()
        var body: [UInt8] = []
        while !parser.isFinished {
            body += try Self.read(connection, &parser)
            guard body.count <= Self.bodyBytesMax else { throw .tooLarge }
        }
        guard let head = parser.head else { throw .malformed(.incomplete) }
        return Response(head: head, body: body)
    }

    /// Twice the size of a list of 1,000 sessions with the largest params of a server's defaults.
    private static let bodyBytesMax = 128 << 20

    /// Reads the next bytes of a response.
    ///
    /// - Returns: the part of the body that is in them.
    static func read(
        _ connection: HTTPConnection, _ parser: inout ResponseParser
    ) throws(TransportError) -> [UInt8] {
        let bytes = try connection.receive()
        do throws(MalformedResponseError) {
            guard bytes.isEmpty else { return try parser.feed(bytes[...]) }
            try parser.finish()
            return []
        } catch {
            throw error == .incomplete ? .lost("it ended without a response") : .malformed(error)
        }
    }

    /// The error for a request that has no response.
    ///
    /// - Parameter isChange: whether the server may have made a change although it did not say so.
    func unavailable(_ error: TransportError, isChange: Bool = false) -> ExitError {
        switch error {
        case .unreachable, .outputClosed:
            let hint = "; use --server to name another server"
            return ExitError(.unavailable, "\(address) cannot be reached: \(error.text)\(hint)")
        case .lost, .timedOut, .malformed, .tooLarge:
            let hint = isChange ? "; the change may have been made nevertheless" : ""
            return ExitError(.unavailable, "\(address): \(error.text)\(hint)")
        }
    }
}

/// Finds the token of client commands.
enum ClientToken {
    /// The token of the option `--token-file` if it is on the command line, otherwise that of
    /// `NAVSTATE_TOKEN`, otherwise that of the file of `NAVSTATE_TOKENS_FILE`. Nil without any.
    ///
    /// - Throws: a `usage` error if the file has no token, or if the token cannot be sent.
    static func text(
        _ resolution: Resolution, _ world: Resolution.World
    ) throws(ExitError) -> String? {
        let access = resolution.configuration.access
        let isNamed = resolution.origins["token-file"] == .commandLine
        if let token = access.token, !isNamed {
            return try checked(token, from: "NAVSTATE_TOKEN")
        }
        guard let path = access.tokenFile else { return nil }
        let text = try world.read(path)
        // A file of the server has a scope and a name after each token.
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            guard let word = line.split(whereSeparator: \.isWhitespace).first else { continue }
            return try checked(String(word), from: path)
        }
        throw ExitError(.usage, "\(path): there is no token in the file")
    }

    private static func checked(_ token: String, from source: String) throws(ExitError) -> String {
        guard !token.isEmpty, ClientRequest.isVisible(token) else {
            throw ExitError(.usage, "\(source): a token consists of visible ASCII characters")
        }
        return token
    }
}
