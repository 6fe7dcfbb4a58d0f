/// Every problem that a response can have, those of the rules and those of HTTP. The raw value is
/// the last part of its `type` and never changes.
public enum ProblemKind: String, CaseIterable, Sendable {
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
    /// The code of the response's status.
    public var statusCode: UInt16 { row.status }

    /// A short text for people, which is the same at every occurrence.
    public var title: String { row.title }

    private var row: (status: UInt16, title: String) {
        switch self {
        case .malformedRequest: (400, "Malformed HTTP request")
        case .malformedJSON: (400, "Malformed JSON")
        case .unauthorized: (401, "Missing or invalid token")
        case .forbidden: (403, "Insufficient scope")
        case .originNotAllowed: (403, "Origin not allowed")
        case .hostNotAllowed: (403, "Host not allowed")
        case .notFound: (404, "Not found")
        case .sessionNotFound: (404, "Session not found")
        case .appNotFound: (404, "App not found")
        case .entryNotFound: (404, "Entry not found")
        case .sheetNotFound: (404, "Sheet not found")
        case .tabNotFound: (404, "Tab not found")
        case .tokenNotFound: (404, "Token not found")
        case .templateNotFound: (404, "Template not found")
        case .watcherNotFound: (404, "Watcher not found")
        case .noRouteForURL: (404, "No deep link matches the URL")
        case .noLink: (404, "No deep link to the visible screen")
        case .methodNotAllowed: (405, "Method not allowed")
        case .notAcceptable: (406, "Not acceptable")
        case .requestTimeout: (408, "Request timeout")
        case .sessionExists: (409, "Session already exists")
        case .appInUse: (409, "App in use")
        case .atRoot: (409, "Already at the root")
        case .noSheet: (409, "No sheet is presented")
        case .alreadyThere: (409, "Already there")
        case .sameEntry: (409, "Same entry is already on top")
        case .alreadySelected: (409, "Tab is already selected")
        case .nothingToUndo: (409, "Nothing to undo")
        case .nothingToRedo: (409, "Nothing to redo")
        case .sheetOpen: (409, "Target is covered by a sheet")
        case .sheetLocked: (409, "Sheet is not dismissible")
        case .entryLocked: (409, "Entry is locked")
        case .dialogOpen: (409, "A dialog is open")
        case .tabNeeded: (409, "Tab cannot be hidden")
        case .guarded: (409, "Guard does not hold")
        case .revisionGone: (410, "Revision no longer kept")
        case .revisionMismatch: (412, "Revision mismatch")
        case .bodyTooLarge: (413, "Request body too large")
        case .uriTooLong: (414, "URL too long")
        case .unsupportedMediaType: (415, "Unsupported media type")
        case .expectationFailed: (417, "Expectation failed")
        case .invalidRequest: (422, "Invalid request")
        case .unknownRoute: (422, "Unknown route")
        case .unknownFact: (422, "Unknown fact")
        case .routeNotAllowedHere: (422, "Route not allowed in this container")
        case .invalidParams: (422, "Invalid params")
        case .invalidApp: (422, "Invalid app definition")
        case .limitExceeded: (422, "Limit exceeded")
        case .idempotencyKeyReused:
            (422, "Idempotency key already used for a different request")
        case .tooManyRequests: (429, "Too many requests")
        case .headersTooLarge: (431, "Request header fields too large")
        case .internalError: (500, "Internal server error")
        case .notImplemented: (501, "Not implemented")
        case .storeUnavailable: (503, "Store unavailable")
        case .tooMuchWork: (503, "Stored state takes too much work")
        case .shuttingDown: (503, "Server is shutting down")
        case .versionNotSupported: (505, "HTTP version not supported")
        case .storageFull: (507, "Insufficient storage")
        }
    }
}
