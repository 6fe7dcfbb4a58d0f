internal import Bytes
public import JSON

/// The members of a problem, however it reaches the client: in a response, in a row of a response
/// for many sessions, or an error of the rules in process.
public struct ProblemContent: Error, Equatable, Sendable {
    /// Its type, title and status.
    public var kind: ProblemKind
    /// The fault, and advice.
    public var detail: String
    /// Further members, in this order.
    public var members: JSONObject

    public init(_ kind: ProblemKind, _ detail: String, members: JSONObject = JSONObject()) {
        self.kind = kind
        self.detail = detail
        self.members = members
    }

    /// A problem of a name that is unknown, with the known names that are similar.
    ///
    /// - Parameter otherwise: what to do if there are none.
    public init(
        _ kind: ProblemKind, _ detail: String, near: [String], otherwise: String,
        members: JSONObject = JSONObject()
    ) {
        let hint = near.first.map { "Did you mean \($0)?" } ?? otherwise
        self.init(kind, "\(detail) \(hint)", members: members)
        if !near.isEmpty { self.members.append("near", .array(near.map(JSON.string))) }
    }

    /// The problem as JSON (RFC 9457).
    ///
    /// - Parameters:
    ///   - instance: the path of the request, if there is one that could be read.
    ///   - id: the id of the request, if it has one.
    public func object(instance: String? = nil, requestID id: String? = nil) -> JSONObject {
        var object: JSONObject = [
            "type": .string("/problems/\(kind.rawValue)"), "title": .string(kind.title),
            "status": .integer(Int64(kind.statusCode)), "detail": .string(detail),
            "instance": instance.map(JSON.string), "requestId": id.map(JSON.string),
        ]
        for member in members.members { object[member.key] = member.value }
        return object
    }
}

// MARK: - Bodies

extension ProblemContent {
    /// The body does not parse.
    public init(_ error: JSONSyntaxError) {
        self.init(
            .malformedJSON,
            "Invalid JSON at line \(error.line), column \(error.column): \(error.reason.sentence).",
            members: [
                "line": .integer(Int64(error.line)), "column": .integer(Int64(error.column)),
            ])
    }

    /// The body is JSON, but no object.
    public static var bodyIsNoObject: ProblemContent {
        .invalid([InputFault(pointer: "", detail: "must be a JSON object")])
    }

    /// The problem of a body with these faults, as `kind` unless all of them are exceeded limits.
    public static func invalid(
        _ faults: [InputFault], _ kind: ProblemKind = .invalidRequest
    ) -> ProblemContent {
        let isLimit = !faults.isEmpty && faults.allSatisfy { $0.isLimit }
        return ProblemContent(
            isLimit ? .limitExceeded : kind, summary(faults), members: errors(faults))
    }

    /// The member `errors`.
    public static func errors(_ faults: [InputFault]) -> JSONObject { ["errors": faults.json] }

    /// The first of the faults as a sentence, and how many others there are.
    public static func summary(_ faults: [InputFault]) -> String {
        guard let first = faults.first else { return "The request is invalid." }
        var more = faults.count > 1 ? " The member errors lists \(faults.count - 1) more." : ""
        var listed = Faults()
        listed.append(faults)
        if listed.isFull {
            more += " There may be others, which are listed once these are corrected."
        }
        let place = first.pointer.isEmpty ? "The body" : first.pointer
        return "\(place) \(first.detail).\(more)"
    }

    /// The faults that the member `errors` lists.
    public var faults: [InputFault] {
        guard case .array(let errors)? = members["errors"] else { return [] }
        return errors.compactMap { error in
            guard case .object(let object) = error, case .string(let pointer)? = object["pointer"],
                case .string(let detail)? = object["detail"]
            else { return nil }
            return InputFault(pointer: pointer, detail: detail)
        }
    }
}

// MARK: - Sessions and apps

extension ProblemContent {
    /// 404 `session-not-found`, with advice.
    public static func sessionNotFound(_ name: String) -> ProblemContent {
        ProblemContent(
            .sessionNotFound,
            "There is no session \(name.clipped). Create it with POST /v1/sessions, or list the "
                + "sessions with GET.")
    }

    /// 404 `app-not-found`, with advice.
    public static func appNotFound(
        _ id: AppID, among known: some Sequence<String>, work: WorkBudget
    ) -> ProblemContent {
        ProblemContent(
            .appNotFound, "There is no app \(id).",
            near: Spelling.near(id.rawValue, among: known, work: work),
            otherwise: "Store it with PUT /v1/apps/\(id).")
    }

    /// The session would exceed a limit.
    public static func sessionTooLarge(_ limits: Limits) -> ProblemContent {
        let detail = "A session can have at most \(limits.sessionBytesMax) bytes as JSON."
        return ProblemContent(.limitExceeded(detail, pointer: ""))
    }
}

extension [InputFault] {
    /// The list as problems and reports have it.
    public var json: JSON {
        .array(
            map { fault in
                .object([
                    "pointer": .string(fault.pointer), "detail": .string(fault.detail),
                    "code": (fault.code?.rawValue).map(JSON.string),
                ])
            })
    }
}
