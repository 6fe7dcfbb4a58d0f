internal import API
internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation

extension Members {
    /// The value that a text spells, if it is JSON other than a string.
    static func spelled(_ text: String) -> JSON? {
        guard let value = try? JSON(parsing: Array(text.utf8), limits: .ofAnyServer),
            value.string == nil
        else {
            return nil
        }
        return value
    }
}

extension ClientCommand {
    /// Gives the members that are written as text the types that the app of the session declares: a
    /// text that the schema refuses is the value that it spells, if the schema accepts that.
    ///
    /// The server is asked only if a text spells another value. Whatever cannot be learned from it
    /// leaves the members as they are.
    ///
    /// - Parameter name: the member of the request that they belong to.
    func typed(_ members: JSONObject, as name: String) throws(ExitError) -> JSONObject {
        let spelled = members.members.compactMap { member -> (key: String, value: JSON)? in
            guard words.members.texts.contains(ExactString(member.key)) else { return nil }
            return member.value.string.flatMap(Members.spelled).map { (member.key, $0) }
        }
        guard !spelled.isEmpty, name != "data", let (session, app) = appOfSession() else {
            return members
        }
        let faults = faults(name == "facts" ? nil : route(in: session), of: app)
        var typed = members
        for (key, value) in spelled {
            var other = typed
            other[key] = value
            if faults(other) < faults(typed) { typed = other }
        }
        return typed
    }

    private func appOfSession() -> (session: JSON, app: App)? {
        guard let path = try? words.path(.readSession),
            let session = document(at: path), let name = session["app"]?.string,
            let id = AppID(name), let document = document(at: id.target),
            let app = CheckedApp.report(document, named: id).app
        else { return nil }
        return (session, app)
    }

    private func document(at target: String) -> JSON? {
        guard let response = try? client.response(to: ClientRequest("GET", target)),
            response.head.statusCode == 200
        else { return nil }
        return Self.document(response.body)
    }

    /// The route whose params the members are: that of the word, or of the entry that it names.
    private func route(in session: JSON) -> String? {
        guard let entry = words["ENTRY"] else { return words["ROUTE"] }
        if entry == "visible" { return session["visible"]?["route"]?.string }
        let containers = (session["tabs"]?.items ?? []) + (session["sheets"]?.items ?? [])
        let entries = containers + containers.flatMap { $0["path"]?.items ?? [] }
        let found = entries.first { $0["id"]?.string == entry }
        return (found?["route"] ?? found?["root"]?["route"])?.string
    }

    /// Counts the members that the app refuses.
    ///
    /// - Parameter route: the route whose params they are; nil for facts.
    private func faults(_ route: String?, of app: App) -> (JSONObject) -> Int {
        let work = WorkBudget(units: WorkBudget.unitsMaxOfApp)
        guard let route else {
            return { facts in
                app.guards.facts.count { fact in
                    guard let value = facts[fact.name.rawValue] else { return false }
                    return (try? fact.schema?.isValid(value, work: work)) == false
                }
            }
        }
        let declared = RouteName(route).flatMap { app.routes[$0] }
        return { (try? declared?.schema.faults(in: $0, at: "", work: work).count) ?? 0 }
    }
}
