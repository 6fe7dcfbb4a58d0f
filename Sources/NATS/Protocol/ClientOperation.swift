internal import Bytes
internal import JSON

/// An operation that a client sends. Its parts were validated when they were created, so encoding
/// cannot fail, and no text can inject a line end.
public enum ClientOperation: Equatable, Sendable {
    case connect(ConnectOptions)
    case subscribe(SubjectFilter, SubscriptionID)
    case unsubscribe(SubscriptionID)
    case publish(Publication)
    case ping
    case pong

    /// Appends the encoded operation.
    public func encode(into out: inout [UInt8]) {
        switch self {
        case .connect(let options):
            out.append("CONNECT ")
            out.append(contentsOf: options.json.bytes)
        case .subscribe(let filter, let id): out.append("SUB \(filter.text) \(id.number)")
        case .unsubscribe(let id): out.append("UNSUB \(id.number)")
        case .publish(let publication): publication.encode(into: &out)
        case .ping: out.append("PING")
        case .pong: out.append("PONG")
        }
        out.append("\r\n")
    }
}

/// The options that a client sends in `CONNECT`.
public struct ConnectOptions: Equatable, Sendable {
    /// How the client authenticates.
    public enum Credentials: Equatable, Sendable {
        case none
        case user(String, password: String)
        case token(String)
    }

    public let credentials: Credentials
    /// The name of this client, shown to the operator of the server.
    public let name: String
    public let version: String

    public init(credentials: Credentials, name: String, version: String) {
        (self.credentials, self.name, self.version) = (credentials, name, version)
    }

    /// The JSON of `CONNECT`. It turns off `+OK` for each operation (`verbose`), and turns on
    /// headers and the 503 status for a request to which nobody is subscribed (`no_responders`).
    var json: JSON {
        var members = JSONObject([
            ("verbose", .bool(false)), ("pedantic", .bool(false)), ("tls_required", .bool(false)),
            ("headers", .bool(true)), ("no_responders", .bool(true)), ("echo", .bool(true)),
            ("protocol", .number(1)), ("lang", .string("swift")), ("name", .string(name)),
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

/// A message to publish.
public struct Publication: Equatable, Sendable {
    public let subject: Subject
    public let reply: Subject?
    private let headers: [Header]
    private let payload: [UInt8]

    public init(
        _ subject: Subject, reply: Subject? = nil, headers: [Header] = [], payload: [UInt8] = []
    ) {
        (self.subject, self.reply, self.headers, self.payload) = (subject, reply, headers, payload)
    }

    /// Whether the message is within the limits. A server closes the connection of a client that
    /// exceeds them.
    public func fits(_ limits: ProtocolLimits) -> Bool {
        headerBytes <= limits.headerBytesMax
            && headerBytes + payload.count <= limits.payloadBytesMax
    }

    private var headerBytes: Int {
        headers.isEmpty ? 0 : headers.reduce(Headers.bytesMin) { $0 + $1.lineBytes }
    }

    fileprivate func encode(into out: inout [UInt8]) {
        let headerBytes = headerBytes
        // Appending each part to the array would take three times the instructions.
        var head = ByteWriter()
        head.append(literal: headers.isEmpty ? "PUB " : "HPUB ")
        head.append(subject.text)
        if let reply {
            head.append(literal: " ")
            head.append(reply.text)
        }
        if !headers.isEmpty {
            head.append(literal: " ")
            head.append(headerBytes)
        }
        head.append(literal: " ")
        head.append(headerBytes + payload.count)
        head.append(literal: "\r\n")
        if !headers.isEmpty {
            head.append(literal: "NATS/1.0\r\n")
            for header in headers {
                head.append(header.name)
                head.append(literal: ": ")
                head.append(header.value)
                head.append(literal: "\r\n")
            }
            head.append(literal: "\r\n")
        }
        out.append(head)
        out.append(payload, payload.indices)
    }
}
