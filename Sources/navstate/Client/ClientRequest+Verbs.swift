internal import Bytes
internal import JSON
internal import Navigation

// The request of each command that needs only one.
extension ClientRequest {
    /// The request of a command.
    ///
    /// - Parameter further: the members of `--with`.
    init(_ verb: Verb, _ words: ClientWords, with further: [String]) throws(ExitError) {
        let query = words.members.query
        guard let session = words.session else {
            if verb == .create {
                self.init("POST", "/v1/sessions", body: try Self.creation(words))
            } else {
                self.init("GET", verb == .apps ? "/v1/apps" : "/v1/sessions\(query)")
            }
            return
        }
        let path = Self.path(of: session)
        if verb == .show {
            self.init("GET", path + query)
        } else {
            var body = try Self.body(verb, words)
            try Members(further).add(to: &body)
            self.init("POST", "\(path)/\(verb.rawValue)", body: JSON.object(body).bytes)
        }
    }

    /// The request that stores an app.
    init(putting document: [UInt8], as app: AppID) {
        self.init(
            "PUT", "/v1/apps/\(PercentCoding.encode(app.rawValue))", body: document)
    }

    /// The path of a session.
    static func path(of session: SessionID) -> String {
        "/v1/sessions/\(PercentCoding.encode(session.rawValue))"
    }

    private static func creation(_ words: ClientWords) throws(ExitError) -> [UInt8] {
        var body = JSONObject()
        if let id = words.optional {
            body.append("id", .string(try ClientWords.session(id).rawValue))
        }
        try words.members.add(to: &body)
        return JSON.object(body).bytes
    }

    /// The body of a command, from its words.
    private static func body(_ verb: Verb, _ words: ClientWords) throws(ExitError) -> JSONObject {
        let name = words.required.first.map { JSON.string($0) }
        let optional = words.optional.map { JSON.string($0) }
        var body = JSONObject()
        switch verb {
        case .navigate, .present:
            body["route"] = name
            var params = JSONObject()
            try words.members.add(to: &params)
            if !params.isEmpty { body.append("params", .object(params)) }
            return body
        case .back, .undo, .redo: body["count"] = try words.count()
        case .root: body["scope"] = optional
        case .dismiss: body["sheet"] = optional
        case .select: body["tab"] = name
        case .open: body["url"] = name
        case .serve, .demo, .healthcheck, .check, .dump, .restore, .store, .config, .version,
            .openapi,
            .completion, .manpage, .help, .sessions, .ids, .show, .create, .watch, .apps, .app:
            break
        }
        try words.members.add(to: &body)
        return body
    }
}
