public import Foundation

extension Navstate {
    /// Lists the apps on the server.
    public func apps() async throws(NavstateError) -> [AppSummary] {
        try await requester.send(Call(path: "/v1/apps")).decoded(member: "apps")
    }

    /// Returns the document that declares an app.
    public func app(_ id: String) async throws(NavstateError) -> JSONValue {
        try await requester.send(Call(path: path(id))).decoded()
    }

    /// Reads the document that declares an app, unless it has this entity tag.
    func document(
        of app: String, unless etag: String?
    ) async throws(NavstateError) -> Reply {
        var call = Call(path: path(app))
        call.fields["If-None-Match"] = etag
        return try await requester.send(call)
    }

    /// Creates or replaces an app. If the document is invalid, it is refused with a problem that
    /// lists all `errors`.
    @discardableResult
    public func putApp(
        _ id: String, _ document: JSONValue
    ) async throws(NavstateError) -> StoredApp {
        let call = Call(method: "PUT", path: path(id), body: document)
        return try await requester.send(call).decoded()
    }

    /// Checks an app as `putApp` does, but does not store it. The report also says what the app
    /// would do to the sessions that are bound to it.
    ///
    /// - Parameters:
    ///   - id: the id of the app.
    ///   - document: its document.
    ///   - cursor: the `next` of the page of sessions before, or nil for the first page.
    public func checkApp(
        _ id: String, _ document: JSONValue, impactAfter cursor: String? = nil
    ) async throws(NavstateError) -> AppReport {
        let call = Call(
            method: "PUT", path: path(id), query: [("dryRun", "true"), ("cursor", cursor)],
            body: document)
        return try await requester.send(call).decoded()
    }

    /// Counts what an app, as it is stored, still does to a page of its sessions.
    ///
    /// - Parameters:
    ///   - app: the id of the app.
    ///   - limit: the maximum number of sessions, up to 1,000, which is the default.
    ///   - cursor: the `next` of the page before, or nil for the first page.
    public func impact(
        of app: String, limit: Int? = nil, after cursor: String? = nil
    ) async throws(NavstateError) -> AppImpact {
        let query = [("limit", limit.map(String.init)), ("cursor", cursor)]
        return try await requester.send(Call(path: path(app) + "/impact", query: query)).decoded()
    }

    /// Deletes an app. The server refuses with `app-in-use` while any session is bound to it.
    public func deleteApp(_ id: String) async throws(NavstateError) {
        _ = try await requester.send(Call(method: "DELETE", path: path(id)))
    }

    /// Finds out where a deep link of an app leads.
    public func resolve(_ url: URL, in app: String) async throws(NavstateError) -> Resolution {
        let query = [("url", url.absoluteString as String?)]
        let call = Call(path: path(app) + "/resolve", query: query)
        return try await requester.send(call).decoded()
    }

    private func path(_ app: String) -> String { "/v1/apps/\(app.percentEncoded)" }
}
