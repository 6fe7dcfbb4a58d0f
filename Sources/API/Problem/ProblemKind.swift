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
    case entryLocked = "entry-locked"
    case dialogOpen = "dialog-open"
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
    package var status: Status { row.status }

    /// A short text for people, which is the same at every occurrence.
    package var title: String { row.title }

    private var row: (status: Status, title: String) {
        switch self {
        case .malformedRequest: (.badRequest, "Malformed HTTP request")
        case .malformedJSON: (.badRequest, "Malformed JSON")
        case .unauthorized: (.unauthorized, "Missing or invalid token")
        case .forbidden: (.forbidden, "Insufficient scope")
        case .originNotAllowed: (.forbidden, "Origin not allowed")
        case .hostNotAllowed: (.forbidden, "Host not allowed")
        case .notFound: (.notFound, "Not found")
        case .sessionNotFound: (.notFound, "Session not found")
        case .appNotFound: (.notFound, "App not found")
        case .entryNotFound: (.notFound, "Entry not found")
        case .sheetNotFound: (.notFound, "Sheet not found")
        case .tabNotFound: (.notFound, "Tab not found")
        case .tokenNotFound: (.notFound, "Token not found")
        case .templateNotFound: (.notFound, "Template not found")
        case .watcherNotFound: (.notFound, "Watcher not found")
        case .noRouteForURL: (.notFound, "No deep link matches the URL")
        case .noLink: (.notFound, "No deep link to the visible screen")
        case .methodNotAllowed: (.methodNotAllowed, "Method not allowed")
        case .notAcceptable: (.notAcceptable, "Not acceptable")
        case .requestTimeout: (.requestTimeout, "Request timeout")
        case .sessionExists: (.conflict, "Session already exists")
        case .appInUse: (.conflict, "App in use")
        case .atRoot: (.conflict, "Already at the root")
        case .noSheet: (.conflict, "No sheet is presented")
        case .alreadyThere: (.conflict, "Already there")
        case .sameEntry: (.conflict, "Same entry is already on top")
        case .alreadySelected: (.conflict, "Tab is already selected")
        case .nothingToUndo: (.conflict, "Nothing to undo")
        case .nothingToRedo: (.conflict, "Nothing to redo")
        case .sheetOpen: (.conflict, "Target is covered by a sheet")
        case .sheetLocked: (.conflict, "Sheet is not dismissible")
        case .entryLocked: (.conflict, "Entry is locked")
        case .dialogOpen: (.conflict, "A dialog is open")
        case .tabNeeded: (.conflict, "Tab cannot be hidden")
        case .guarded: (.conflict, "Guard does not hold")
        case .revisionGone: (.gone, "Revision no longer kept")
        case .revisionMismatch: (.preconditionFailed, "Revision mismatch")
        case .bodyTooLarge: (.bodyTooLarge, "Request body too large")
        case .uriTooLong: (.uriTooLong, "URL too long")
        case .unsupportedMediaType: (.unsupportedMediaType, "Unsupported media type")
        case .expectationFailed: (.expectationFailed, "Expectation failed")
        case .invalidRequest: (.unprocessable, "Invalid request")
        case .unknownRoute: (.unprocessable, "Unknown route")
        case .unknownFact: (.unprocessable, "Unknown fact")
        case .routeNotAllowedHere: (.unprocessable, "Route not allowed in this container")
        case .invalidParams: (.unprocessable, "Invalid params")
        case .invalidApp: (.unprocessable, "Invalid app definition")
        case .limitExceeded: (.unprocessable, "Limit exceeded")
        case .idempotencyKeyReused:
            (.unprocessable, "Idempotency key already used for a different request")
        case .tooManyRequests: (.tooManyRequests, "Too many requests")
        case .headersTooLarge: (.headersTooLarge, "Request header fields too large")
        case .internalError: (.internalError, "Internal server error")
        case .notImplemented: (.notImplemented, "Not implemented")
        case .storeUnavailable: (.serviceUnavailable, "Store unavailable")
        case .tooMuchWork: (.serviceUnavailable, "Stored state takes too much work")
        case .shuttingDown: (.serviceUnavailable, "Server is shutting down")
        case .versionNotSupported: (.versionNotSupported, "HTTP version not supported")
        case .storageFull: (.insufficientStorage, "Insufficient storage")
        }
    }
}
