internal import Bytes
public import HTTP
public import JSON
public import Navigation
public import Sessions

/// A refusal on the wire: `application/problem+json` (RFC 9457).
public struct Problem: Error, Sendable {
    /// The members that say it.
    public var content: ProblemContent
    /// The JSON of a session, for the member `session`.
    public var session: [UInt8]?
    /// The changes that led to this session. The problem is sent once they are kept.
    public var visibleAfter = Tickets.none
    /// The current entity tag of the resource, or nil if it has none.
    public var etag: ResponseTag?
    /// Further header fields of the response.
    public var fields: [ResponseField]

    public init(
        _ kind: ProblemKind, _ detail: String, members: JSONObject = JSONObject(),
        session: [UInt8]? = nil, etag: ResponseTag? = nil, fields: [ResponseField] = []
    ) {
        content = ProblemContent(kind, detail, members: members)
        self.session = session
        self.etag = etag
        self.fields = fields
    }

    /// A problem that says this.
    init(_ content: ProblemContent) {
        self.content = content
        // Only the limits of a token forbid what rules refuse.
        fields = content.kind == .forbidden ? [.insufficientScope] : []
    }

    /// The problem for a rejection by the rules.
    init(_ rejection: RejectionError) { self.init(ProblemContent(rejection)) }

    /// Its type, title and status.
    public var kind: ProblemKind { content.kind }
    /// The fault, and advice.
    public var detail: String {
        get { content.detail }
        set { content.detail = newValue }
    }
    /// Further members, in this order.
    public var members: JSONObject {
        get { content.members }
        set { content.members = newValue }
    }

    /// The response that shows the problem.
    ///
    /// - Parameters:
    ///   - instance: the path of the request, or nil if the request could not be read.
    ///   - id: the id of the request.
    public func response(instance: String?, id: RequestID? = nil) -> Response {
        var body = JSON.object(object(instance: instance, id: id)).bytes
        if let session {
            body.removeLast()
            body.append(contentsOf: #","session":"#.utf8)
            body.append(contentsOf: session)
            body.append(UInt8(ascii: "}"))
        }
        // The next request may succeed, and without a directive a cache may keep 404 and others for
        // as long as it likes (RFC 9110 §15.1).
        return Response(
            kind.status, contentType: .problemJSON, etag: etag, caching: .never, fields: fields,
            body: body)
    }
}

extension Problem {
    /// The members of the problem, without the session.
    func object(instance: String?, id: RequestID? = nil) -> JSONObject {
        content.object(instance: instance, requestID: id?.text)
    }

    /// A message that is not a request; the connection closes after the response.
    public init(_ malformation: MalformedMessageError) {
        let kind = ProblemKind(named: malformation.problem)
        precondition(kind != nil, "every malformation's problem is in the list")
        self.init(kind ?? .malformedRequest, malformation.detail)
    }

    /// The problem of a store that cannot do something now. Returns nil for `notInMemory`, which
    /// is not a problem: the records are loaded, and the request is answered again.
    public init?(_ error: StoreError) {
        switch error {
        case .notInMemory: return nil
        case .full:
            self.init(
                .storageFull,
                "The store is full, and nothing was changed. Reads still work; free some space "
                    + "on its disk.")
        case .starting:
            self.init(
                .storeUnavailable,
                "This server is starting and has not read this part of the store yet. Nothing was "
                    + "changed; try again, here or at another server.",
                fields: [ResponseField(.retryAfter, "1")])
        case .noFile:
            self.init(
                .storeUnavailable,
                "The store cannot make the next file of its log, and nothing was changed. Reads "
                    + "still work. It tries again every second; the log of the server says why.",
                fields: [ResponseField(.retryAfter, "2")])
        case .busy:
            self.init(
                .storeUnavailable,
                "Too many changes are waiting to be stored. Nothing was changed; try again.",
                fields: [ResponseField(.retryAfter, "1")])
        case .unavailable:
            self.init(
                .storeUnavailable,
                "The store has failed or cannot be reached. If the request was a change, it is "
                    + "unknown whether it was stored; repeat it with the same Idempotency-Key.",
                fields: [ResponseField(.retryAfter, "2")])
        case .misconfigured:
            self.init(
                .storeUnavailable,
                "A setting of the shared store could cause changes to be lost, so nothing was "
                    + "changed. Reads still work. The log of the server names the setting.",
                fields: [ResponseField(.retryAfter, "10")])
        case .damaged:
            self.init(
                .storeUnavailable,
                "A stored record of this session is damaged or gone, and nothing was changed. Other "
                    + "sessions are not affected; the log of the server says where it is.")
        case .tooLarge(let bytesMax):
            self.init(
                .limitExceeded,
                "A record of the store can have at most \(bytesMax) bytes: a session with the "
                    + "command that changed it, or an app. Nothing was changed; make it smaller, or "
                    + "change it in smaller steps.")
        }
    }

    /// The store does not know whether a change was kept.
    public static let unknownOutcome = Problem(
        .storeUnavailable,
        "It is unknown whether the change was stored. Repeat it with the same Idempotency-Key.",
        fields: [ResponseField(.retryAfter, "2")])

    /// A change was tried several times, and each time somebody else made one first.
    public static let tooManyConflicts = Problem(
        .storeUnavailable,
        "Others keep changing this at the same moment. Nothing was changed; try again.",
        fields: [ResponseField(.retryAfter, "1")])

    static func sessionNotFound(_ name: String) -> Problem { Problem(.sessionNotFound(name)) }

    static let revisionGone = Problem(
        .revisionGone,
        "Only the most recent revisions of a session can be read; see its history.")

    /// The problem of a body with these faults.
    static func invalid(
        _ faults: [InputFault], _ kind: ProblemKind = .invalidRequest
    ) -> Problem {
        Problem(.invalid(faults, kind))
    }

    /// A fault in the query.
    static func invalidQuery(_ name: String, _ detail: String) -> Problem {
        let error: JSONObject = [
            "parameter": .string(name.clipped), "detail": .string(detail),
        ]
        return Problem(
            .invalidRequest, "The query parameter \(name.clipped) \(detail).",
            members: ["errors": .array([.object(error)])])
    }
}

extension ProblemKind {
    /// The status of the response.
    public var status: Status { Status(rawValue: statusCode) ?? .internalError }
}

extension ResponseField {
    /// The challenge of a request whose token does not allow it (RFC 6750 §3.1).
    static let insufficientScope = ResponseField(
        .wwwAuthenticate, #"Bearer realm="navstate", error="insufficient_scope""#)
}
