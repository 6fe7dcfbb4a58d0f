package import HTTP
internal import Sessions

/// Every problem that a response can have. The raw value is the last part of its `type` and never
/// changes.
package enum ProblemKind: String, CaseIterable, Sendable {
    case malformedRequest = "malformed-request"
    case malformedJSON = "malformed-json"
    case unauthorized
    case forbidden
    case originNotAllowed = "origin-not-allowed"
    case hostNotAllowed = "host-not-allowed"
    case notFound = "not-found"
    case sessionNotFound = "session-not-found"
    case appNotFound = "app-not-found"
    case entryNotFound = "entry-not-found"
    case sheetNotFound = "sheet-not-found"
    case tabNotFound = "tab-not-found"
    case tokenNotFound = "token-not-found"
    case templateNotFound = "template-not-found"
    case watcherNotFound = "watcher-not-found"
    case noRouteForURL = "no-route-for-url"
    case noLink = "no-link"
    case methodNotAllowed = "method-not-allowed"
    case notAcceptable = "not-acceptable"
    case requestTimeout = "request-timeout"
    case sessionExists = "session-exists"
    case appInUse = "app-in-use"
    case atRoot = "at-root"
    case noSheet = "no-sheet"
    case alreadyThere = "already-there"
    case sameEntry = "same-entry"
    case alreadySelected = "already-selected"
    case nothingToUndo = "nothing-to-undo"
    case nothingToRedo = "nothing-to-redo"
    case sheetOpen = "sheet-open"
    case sheetLocked = "sheet-locked"
    case tabNeeded = "tab-needed"
    case guarded
    case revisionGone = "revision-gone"
    case revisionMismatch = "revision-mismatch"
    case bodyTooLarge = "body-too-large"
    case uriTooLong = "uri-too-long"
    case unsupportedMediaType = "unsupported-media-type"
    case expectationFailed = "expectation-failed"
    case invalidRequest = "invalid-request"
    case unknownRoute = "unknown-route"
    case unknownFact = "unknown-fact"
    case routeNotAllowedHere = "route-not-allowed-here"
    case invalidParams = "invalid-params"
    case invalidApp = "invalid-app"
    case limitExceeded = "limit-exceeded"
    case idempotencyKeyReused = "idempotency-key-reused"
    case tooManyRequests = "too-many-requests"
    case headersTooLarge = "headers-too-large"
    case internalError = "internal-error"
    case notImplemented = "not-implemented"
    case storeUnavailable = "store-unavailable"
    case tooMuchWork = "too-much-work"
    case shuttingDown = "shutting-down"
    case versionNotSupported = "version-not-supported"
    case storageFull = "storage-full"
}

extension ProblemKind {
    /// The status of the response.
    package var status: Status {
        switch self {
        case .malformedRequest, .malformedJSON: .badRequest
        case .unauthorized: .unauthorized
        case .forbidden, .originNotAllowed, .hostNotAllowed: .forbidden
        case .notFound, .sessionNotFound, .appNotFound, .entryNotFound, .sheetNotFound,
            .tabNotFound, .tokenNotFound, .templateNotFound, .watcherNotFound, .noRouteForURL,
            .noLink:
            .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .notAcceptable: .notAcceptable
        case .requestTimeout: .requestTimeout
        case .sessionExists, .appInUse, .atRoot, .noSheet, .alreadyThere, .sameEntry,
            .alreadySelected, .nothingToUndo, .nothingToRedo, .sheetOpen, .sheetLocked,
            .tabNeeded, .guarded:
            .conflict
        case .revisionGone: .gone
        case .revisionMismatch: .preconditionFailed
        case .bodyTooLarge: .bodyTooLarge
        case .uriTooLong: .uriTooLong
        case .unsupportedMediaType: .unsupportedMediaType
        case .expectationFailed: .expectationFailed
        case .invalidRequest, .unknownRoute, .unknownFact, .routeNotAllowedHere, .invalidParams,
            .invalidApp, .limitExceeded, .idempotencyKeyReused:
            .unprocessable
        case .tooManyRequests: .tooManyRequests
        case .headersTooLarge: .headersTooLarge
        case .internalError: .internalError
        case .notImplemented: .notImplemented
        case .storeUnavailable, .shuttingDown, .tooMuchWork: .serviceUnavailable
        case .versionNotSupported: .versionNotSupported
        case .storageFull: .insufficientStorage
        }
    }

    /// A short text for people, which is the same at every occurrence.
    package var title: String {
        switch self {
        case .malformedRequest: "Malformed HTTP request"
        case .malformedJSON: "Malformed JSON"
        case .unauthorized: "Missing or invalid token"
        case .forbidden: "Insufficient scope"
        case .originNotAllowed: "Origin not allowed"
        case .hostNotAllowed: "Host not allowed"
        case .notFound: "Not found"
        case .sessionNotFound: "Session not found"
        case .appNotFound: "App not found"
        case .entryNotFound: "Entry not found"
        case .sheetNotFound: "Sheet not found"
        case .tabNotFound: "Tab not found"
        case .tokenNotFound: "Token not found"
        case .templateNotFound: "Template not found"
        case .watcherNotFound: "Watcher not found"
        case .noRouteForURL: "No deep link matches the URL"
        case .noLink: "No deep link to the visible screen"
        case .methodNotAllowed: "Method not allowed"
        case .notAcceptable: "Not acceptable"
        case .requestTimeout: "Request timeout"
        case .sessionExists: "Session already exists"
        case .appInUse: "App in use"
        case .atRoot: "Already at the root"
        case .noSheet: "No sheet is presented"
        case .alreadyThere: "Already there"
        case .sameEntry: "Same entry is already on top"
        case .alreadySelected: "Tab is already selected"
        case .nothingToUndo: "Nothing to undo"
        case .nothingToRedo: "Nothing to redo"
        case .sheetOpen: "Target is covered by a sheet"
        case .sheetLocked: "Sheet is not dismissible"
        case .tabNeeded: "Tab cannot be hidden"
        case .guarded: "Guard does not hold"
        case .revisionGone: "Revision no longer kept"
        case .revisionMismatch: "Revision mismatch"
        case .bodyTooLarge: "Request body too large"
        case .uriTooLong: "URL too long"
        case .unsupportedMediaType: "Unsupported media type"
        case .expectationFailed: "Expectation failed"
        case .invalidRequest: "Invalid request"
        case .unknownRoute: "Unknown route"
        case .unknownFact: "Unknown fact"
        case .routeNotAllowedHere: "Route not allowed in this container"
        case .invalidParams: "Invalid params"
        case .invalidApp: "Invalid app definition"
        case .limitExceeded: "Limit exceeded"
        case .idempotencyKeyReused: "Idempotency key already used for a different request"
        case .tooManyRequests: "Too many requests"
        case .headersTooLarge: "Request header fields too large"
        case .internalError: "Internal server error"
        case .notImplemented: "Not implemented"
        case .storeUnavailable: "Store unavailable"
        case .tooMuchWork: "Stored state takes too much work"
        case .shuttingDown: "Server is shutting down"
        case .versionNotSupported: "HTTP version not supported"
        case .storageFull: "Insufficient storage"
        }
    }
}
