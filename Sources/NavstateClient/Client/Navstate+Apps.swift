public import Foundation

extension Navstate {
    /// Lists the apps on the server.
    public func apps() async throws(NavstateError) -> [AppSummary] {
        try await requester.send(Call(path: "/v1/apps")).decoded(as: Apps.self).apps
    }

    /// Returns the document that declares an app.
    public func app(_ id: String) async throws(NavstateError) -> JSONValue {
        try await requester.send(Call(path: path(id))).decoded()
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

    /// Checks an app as `putApp` does, but does not store it.
    public func checkApp(
        _ id: String, _ document: JSONValue
    ) async throws(NavstateError) -> AppReport {
        let call = Call(
            method: "PUT", path: path(id), query: [("dryRun", "true")], body: document)
        return try await requester.send(call).decoded()
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

    private struct Apps: Decodable {
        var apps: [AppSummary]
    }
}
