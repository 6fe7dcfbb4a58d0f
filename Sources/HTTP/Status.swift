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

    /// The status line without its line end.
    var line: String {
        switch self {
        case .continue: "HTTP/1.1 100 Continue"
        case .ok: "HTTP/1.1 200 OK"
        case .created: "HTTP/1.1 201 Created"
        case .accepted: "HTTP/1.1 202 Accepted"
        case .noContent: "HTTP/1.1 204 No Content"
        case .notModified: "HTTP/1.1 304 Not Modified"
        case .permanentRedirect: "HTTP/1.1 308 Permanent Redirect"
        case .badRequest: "HTTP/1.1 400 Bad Request"
        case .unauthorized: "HTTP/1.1 401 Unauthorized"
        case .forbidden: "HTTP/1.1 403 Forbidden"
        case .notFound: "HTTP/1.1 404 Not Found"
        case .methodNotAllowed: "HTTP/1.1 405 Method Not Allowed"
        case .notAcceptable: "HTTP/1.1 406 Not Acceptable"
        case .requestTimeout: "HTTP/1.1 408 Request Timeout"
        case .conflict: "HTTP/1.1 409 Conflict"
        case .gone: "HTTP/1.1 410 Gone"
        case .preconditionFailed: "HTTP/1.1 412 Precondition Failed"
        case .bodyTooLarge: "HTTP/1.1 413 Content Too Large"
        case .uriTooLong: "HTTP/1.1 414 URI Too Long"
        case .unsupportedMediaType: "HTTP/1.1 415 Unsupported Media Type"
        case .expectationFailed: "HTTP/1.1 417 Expectation Failed"
        case .unprocessable: "HTTP/1.1 422 Unprocessable Content"
        case .tooManyRequests: "HTTP/1.1 429 Too Many Requests"
        case .headersTooLarge: "HTTP/1.1 431 Request Header Fields Too Large"
        case .internalError: "HTTP/1.1 500 Internal Server Error"
        case .notImplemented: "HTTP/1.1 501 Not Implemented"
        case .serviceUnavailable: "HTTP/1.1 503 Service Unavailable"
        case .versionNotSupported: "HTTP/1.1 505 HTTP Version Not Supported"
        case .insufficientStorage: "HTTP/1.1 507 Insufficient Storage"
        }
    }

    /// `Not Found`: also a fitting title for a problem.
    package var reason: String { String(line.dropFirst("HTTP/1.1 404 ".utf8.count)) }
}
