/// The status codes that this service uses (RFC 9110 §15).
public enum Status: UInt16, CaseIterable, Sendable {
    case `continue` = 100
    case ok = 200
    case created = 201
    case accepted = 202
    case noContent = 204
    case notModified = 304
    case badRequest = 400
    case unauthorized = 401
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case notAcceptable = 406
    case requestTimeout = 408
    case conflict = 409
    case gone = 410
    case preconditionFailed = 412
    case bodyTooLarge = 413
    case uriTooLong = 414
    case unsupportedMediaType = 415
    case expectationFailed = 417
    case unprocessable = 422
    case tooManyRequests = 429
    case headersTooLarge = 431
    case internalError = 500
    case notImplemented = 501
    case serviceUnavailable = 503
    case versionNotSupported = 505
    case insufficientStorage = 507

    /// The code as a number.
    public var code: Int { Int(rawValue) }

    /// Whether a response with this status can have a body (RFC 9110 §6.4.1). 304 cannot; no length
    /// is sent with it, since it would have to be the length of the body that is left out.
    public var allowsBody: Bool {
        switch self {
        case .continue, .noContent, .notModified: false
        case .ok, .created, .accepted, .badRequest, .unauthorized, .forbidden, .notFound,
            .methodNotAllowed, .notAcceptable, .requestTimeout, .conflict, .gone,
            .preconditionFailed, .bodyTooLarge, .uriTooLong, .unsupportedMediaType,
            .expectationFailed, .unprocessable, .tooManyRequests, .headersTooLarge,
            .internalError, .notImplemented, .serviceUnavailable, .versionNotSupported,
            .insufficientStorage:
            true
        }
    }

    /// The reason phrase, which can also serve as the title of a problem.
    public var reason: String {
        switch self {
        case .continue: "Continue"
        case .ok: "OK"
        case .created: "Created"
        case .accepted: "Accepted"
        case .noContent: "No Content"
        case .notModified: "Not Modified"
        case .badRequest: "Bad Request"
        case .unauthorized: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .notAcceptable: "Not Acceptable"
        case .requestTimeout: "Request Timeout"
        case .conflict: "Conflict"
        case .gone: "Gone"
        case .preconditionFailed: "Precondition Failed"
        case .bodyTooLarge: "Content Too Large"
        case .uriTooLong: "URI Too Long"
        case .unsupportedMediaType: "Unsupported Media Type"
        case .expectationFailed: "Expectation Failed"
        case .unprocessable: "Unprocessable Content"
        case .tooManyRequests: "Too Many Requests"
        case .headersTooLarge: "Request Header Fields Too Large"
        case .internalError: "Internal Server Error"
        case .notImplemented: "Not Implemented"
        case .serviceUnavailable: "Service Unavailable"
        case .versionNotSupported: "HTTP Version Not Supported"
        case .insufficientStorage: "Insufficient Storage"
        }
    }

    /// The complete status line.
    var line: [UInt8] { Self.lines[Int(rawValue) - 100] }

    /// The lines by code, from 100; empty for codes that are not used.
    private static let lines: [[UInt8]] = (100..<600).map { code in
        let status = Status(rawValue: UInt16(code))
        return status.map { Array("HTTP/1.1 \(code) \($0.reason)\r\n".utf8) } ?? []
    }
}
