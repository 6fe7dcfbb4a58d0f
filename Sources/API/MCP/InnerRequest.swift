internal import Bytes
internal import HTTP
internal import JSON

/// A request to the API that stands for a message. It is read and answered like any other, so that
/// a tool and the URL that it uses cannot differ.
struct InnerRequest {
    private let method: Method
    private var target: String
    private var hasQuery = false
    private var fields: [UInt8] = []
    private var body: [UInt8] = []

    init(_ method: Method, _ path: String) {
        self.method = method
        target = path
    }

    /// Whether it asks for no change.
    var isRead: Bool { method.isSafe }

    /// Adds a value to the query.
    mutating func add(_ name: String, _ value: String) {
        target += hasQuery ? "&" : "?"
        target += "\(name)=\(PercentCoding.encode(value))"
        hasQuery = true
    }

    /// Adds a header field, whose value must have no control bytes.
    mutating func add(field: Field, _ value: String) {
        fields += "\(field.name): \(value)\r\n".utf8
    }

    /// Adds a body.
    mutating func add(body object: JSONObject) {
        body = JSON.object(object).bytes
        add(field: .contentType, "application/json")
    }

    /// The request with the token and the `Idempotency-Key` of the request that the message came
    /// with.
    func request(within outer: Request) throws(MalformedMessageError) -> Request {
        var message = Array("\(method.name) \(target) HTTP/1.1\r\nHost: localhost\r\n".utf8)
        message += fields
        for field in [Field.authorization, .idempotencyKey] {
            guard let value = outer[field] else { continue }
            message += "\(field.name): ".utf8
            message += outer.bytes[value]
            message += "\r\n".utf8
        }
        message += "Content-Length: \(body.count)\r\n\r\n".utf8
        message += body
        var parser = RequestParser(limits: Self.limits)
        switch parser.parse(message, from: 0, to: message.count) {
        case .request(let request, _): return request
        case .refused(let error): throw error
        case .needsMore: throw .contentLength
        }
    }

    /// The target may be as long as any server allows; the rest was within the limits of the outer
    /// request.
    private static let limits: ParserLimits = {
        var limits = ParserLimits()
        limits.targetBytesMax = 1 << 16
        limits.requestLineBytesMax = 1 << 17
        limits.fieldLineBytesMax = 1 << 30
        limits.headBytesMax = 1 << 30
        limits.bodyBytesMax = 1 << 30
        return limits
    }()
}
