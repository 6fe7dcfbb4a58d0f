/// The status codes that this service gives (RFC 9110 §15).
package enum Status: UInt16, CaseIterable, Sendable {
    case `continue` = 100
    case ok = 200
    case created = 201
    case accepted = 202
    case noContent = 204
    case notModified = 304
    case permanentRedirect = 308
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

    package var code: Int { Int(rawValue) }

    /// Whether an answer with this status can have a body at all (RFC 9110 §6.4.1). 304 cannot
    /// either; its length would be that of the answer it stands for, so none is given.
    package var allowsBody: Bool {
        switch self {
        case .continue, .noContent, .notModified: false
        case .ok, .created, .accepted, .permanentRedirect, .badRequest, .unauthorized, .forbidden,
            .notFound, .methodNotAllowed, .notAcceptable, .requestTimeout, .conflict, .gone,
            .preconditionFailed, .bodyTooLarge, .uriTooLong, .unsupportedMediaType,
            .expectationFailed, .unprocessable, .tooManyRequests, .headersTooLarge,
            .internalError, .notImplemented, .serviceUnavailable, .versionNotSupported,
            .insufficientStorage:
            true
        }
    }

    /// A few words for people; also a fitting title for a problem.
    package var reason: String {
        switch self {
        case .continue: "Continue"
        case .ok: "OK"
        case .created: "Created"
        case .accepted: "Accepted"
        case .noContent: "No Content"
        case .notModified: "Not Modified"
        case .permanentRedirect: "Permanent Redirect"
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

    /// The whole status line.
    var line: [UInt8] { Self.lines[Int(rawValue) - 100] }

    /// By code, so that finding one is an index; the codes that are not ours are empty.
    private static let lines: [[UInt8]] = (100..<600).map { code in
        let status = Status(rawValue: UInt16(code))
        return status.map { Array("HTTP/1.1 \(code) \($0.reason)\r\n".utf8) } ?? []
    }
}
