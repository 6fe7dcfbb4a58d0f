internal import Bytes
internal import JSON

/// An operation that a client sends. Its parts were validated when they were created, so encoding
/// cannot fail, and no text can inject a line end.
package enum Command: Equatable, Sendable {
    case connect(ConnectOptions)
    case subscribe(SubjectFilter, SubscriptionID)
    /// Ends a subscription: at once, or after it has received this many messages in total.
    case unsubscribe(SubscriptionID, after: Int?)
    case publish(Publication)
    case ping
    case pong

    /// Appends the encoded operation.
    package func encode(into out: inout [UInt8]) {
        switch self {
        case .connect(let options):
            out.append("CONNECT ")
            out.append(contentsOf: options.json.bytes)
        case .subscribe(let filter, let id): out.append("SUB \(filter.text) \(id.number)")
        case .unsubscribe(let id, let count):
            out.append("UNSUB \(id.number)")
            if let count { out.append(" \(max(count, 1))") }
        case .publish(let publication): publication.encode(into: &out)
        case .ping: out.append("PING")
        case .pong: out.append("PONG")
        }
        out.append("\r\n")
    }
}

/// The options that a client sends in `CONNECT`.
package struct ConnectOptions: Equatable, Sendable {
    /// How the client authenticates.
    package enum Credentials: Equatable, Sendable {
        case none
        case user(String, password: String)
        case token(String)
    }

    /// How the client authenticates.
    package let credentials: Credentials
    /// The name of this client, shown to the operator of the server.
    package let name: String
    /// The version of this client.
    package let version: String
    /// Whether the client receives its own messages if it subscribes to their subject.
    package let echo: Bool

    package init(credentials: Credentials, name: String, version: String, echo: Bool = true) {
        self.credentials = credentials
        self.name = name
        self.version = version
        self.echo = echo
    }

    /// The JSON of `CONNECT`. It turns off `+OK` for each operation (`verbose`), and turns on
    /// headers and the 503 status for a request to which nobody is subscribed (`no_responders`).
    var json: JSON {
        var members = JSONObject([
            ("verbose", .bool(false)), ("pedantic", .bool(false)), ("tls_required", .bool(false)),
            ("headers", .bool(true)), ("no_responders", .bool(true)), ("echo", .bool(echo)),
            ("protocol", .integer(1)), ("lang", .string("swift")), ("name", .string(name)),
            ("version", .string(version)),
        ])
        switch credentials {
        case .none: break
        case .user(let user, let password):
            members.append("user", .string(user))
            members.append("pass", .string(password))
        case .token(let token): members.append("auth_token", .string(token))
        }
        return .object(members)
    }
}

/// Why a message cannot be published. Sizes are in bytes.
package enum PublicationError: Error, Equatable, Sendable {
    /// Headers and payload together exceed the max payload.
    case tooLarge(bytes: Int, bytesMax: Int)
    case headersTooLarge(bytes: Int, bytesMax: Int)
}

/// A message to publish.
package struct Publication: Equatable, Sendable {
    /// The subject to publish to.
    package let subject: Subject
    /// The reply subject, if a reply is expected.
    package let reply: Subject?
    private let headers: [Header]
    private let payload: [UInt8]

    package init(
        _ subject: Subject, reply: Subject? = nil, headers: [Header] = [], payload: [UInt8] = []
    ) {
        self.subject = subject
        self.reply = reply
        self.headers = headers
        self.payload = payload
    }

    /// Checks the size of the message against the limits. A server closes the connection of a
    /// client that exceeds them.
    package func check(_ limits: ProtocolLimits) throws(PublicationError) {
        let bytes = headerBytes + payload.count
        guard headerBytes <= limits.headerBytesMax else {
            throw .headersTooLarge(bytes: headerBytes, bytesMax: limits.headerBytesMax)
        }
        guard bytes <= limits.payloadBytesMax else {
            throw .tooLarge(bytes: bytes, bytesMax: limits.payloadBytesMax)
        }
    }

    private var headerBytes: Int {
        headers.isEmpty ? 0 : headers.reduce(Headers.bytesMin) { $0 + $1.lineBytes }
    }

    fileprivate func encode(into out: inout [UInt8]) {
        let headerBytes = headerBytes
        out.reserveRoom(for: 64 + subject.text.utf8.count + headerBytes + payload.count)
        out.append(headers.isEmpty ? "PUB " : "HPUB ")
        out.append(subject.text)
        if let reply { out.append(" \(reply.text)") }
        if !headers.isEmpty { out.append(" \(headerBytes)") }
        out.append(" \(headerBytes + payload.count)\r\n")
        if !headers.isEmpty {
            out.append("NATS/1.0\r\n")
            for header in headers { out.append("\(header.name): \(header.value)\r\n") }
            out.append("\r\n")
        }
        out.append(payload, payload.indices)
    }
}
