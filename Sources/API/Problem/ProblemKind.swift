package import HTTP

/// Every problem that an answer can name. The raw value is the last part of its `type`, and stable.
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
    case revisionGone = "revision-gone"
    case revisionMismatch = "revision-mismatch"
    case bodyTooLarge = "body-too-large"
    case uriTooLong = "uri-too-long"
    case unsupportedMediaType = "unsupported-media-type"
    case expectationFailed = "expectation-failed"
    case invalidRequest = "invalid-request"
    case unknownRoute = "unknown-route"
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
    case shuttingDown = "shutting-down"
    case versionNotSupported = "version-not-supported"
    case storageFull = "storage-full"
}

extension ProblemKind {
    package var status: Status {
        switch self {
        case .malformedRequest, .malformedJSON: .badRequest
        case .unauthorized: .unauthorized
        case .forbidden, .originNotAllowed, .hostNotAllowed: .forbidden
        case .notFound, .sessionNotFound, .appNotFound, .entryNotFound, .sheetNotFound,
            .tabNotFound, .tokenNotFound, .noRouteForURL, .noLink:
            .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .notAcceptable: .notAcceptable
        case .requestTimeout: .requestTimeout
        case .sessionExists, .appInUse, .atRoot, .noSheet, .alreadyThere, .sameEntry,
            .alreadySelected, .nothingToUndo, .nothingToRedo, .sheetOpen, .sheetLocked:
            .conflict
        case .revisionGone: .gone
        case .revisionMismatch: .preconditionFailed
        case .bodyTooLarge: .bodyTooLarge
        case .uriTooLong: .uriTooLong
        case .unsupportedMediaType: .unsupportedMediaType
        case .expectationFailed: .expectationFailed
        case .invalidRequest, .unknownRoute, .routeNotAllowedHere, .invalidParams, .invalidApp,
            .limitExceeded, .idempotencyKeyReused:
            .unprocessable
        case .tooManyRequests: .tooManyRequests
        case .headersTooLarge: .headersTooLarge
        case .internalError: .internalError
        case .notImplemented: .notImplemented
        case .storeUnavailable, .shuttingDown: .serviceUnavailable
        case .versionNotSupported: .versionNotSupported
        case .storageFull: .insufficientStorage
        }
    }

    /// One line for people, the same at every occurrence.
    package var title: String {
        switch self {
        case .malformedRequest: "The request is not HTTP as it should be"
        case .malformedJSON: "The body is not JSON as it should be"
        case .unauthorized: "A valid token is needed"
        case .forbidden: "The token does not reach that far"
        case .originNotAllowed: "Pages of that origin may not do this"
        case .hostNotAllowed: "The server does not go by that name"
        case .notFound: "There is nothing under this URL"
        case .sessionNotFound: "There is no such session"
        case .appNotFound: "There is no such app"
        case .entryNotFound: "There is no such entry"
        case .sheetNotFound: "There is no such sheet"
        case .tabNotFound: "There is no such tab"
        case .tokenNotFound: "There is no such token"
        case .noRouteForURL: "No link of the app matches the URL"
        case .noLink: "No link leads to what is visible"
        case .methodNotAllowed: "The method does not go with this URL"
        case .notAcceptable: "No representation fits the Accept field"
        case .requestTimeout: "The request took too long to arrive"
        case .sessionExists: "The id is taken"
        case .appInUse: "Sessions use the app"
        case .atRoot: "The path is at its root"
        case .noSheet: "No sheet is up"
        case .alreadyThere: "The session is there already"
        case .sameEntry: "That very entry is on top"
        case .alreadySelected: "The tab is selected and at its root"
        case .nothingToUndo: "There is nothing to undo"
        case .nothingToRedo: "There is nothing to redo"
        case .sheetOpen: "A sheet is up"
        case .sheetLocked: "The sheet is not dismissible"
        case .revisionGone: "That revision is no longer kept"
        case .revisionMismatch: "The session has changed meanwhile"
        case .bodyTooLarge: "The body is too large"
        case .uriTooLong: "The URL is too long"
        case .unsupportedMediaType: "The body's type is not application/json"
        case .expectationFailed: "The expectation cannot be met"
        case .invalidRequest: "The request's shape is wrong"
        case .unknownRoute: "The app has no such route"
        case .routeNotAllowedHere: "The route may not stand there"
        case .invalidParams: "The params do not fit the route's schema"
        case .invalidApp: "The app's document is wrong"
        case .limitExceeded: "A limit is exceeded"
        case .idempotencyKeyReused: "The key came with another request before"
        case .tooManyRequests: "Too many requests"
        case .headersTooLarge: "The header fields are too large"
        case .internalError: "The server made a mistake"
        case .notImplemented: "The server does not do this"
        case .storeUnavailable: "The store cannot take changes"
        case .shuttingDown: "The server is shutting down"
        case .versionNotSupported: "The HTTP version is not supported"
        case .storageFull: "The disk is full"
        }
    }
}
