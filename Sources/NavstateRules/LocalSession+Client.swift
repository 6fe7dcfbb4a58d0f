// More of the rules for the Swift client, beside the public part.
internal import Bytes
internal import JSON
internal import Navigation

extension AppDefinition {
    /// The title of a screen, with the values of its params. It is nil if the app declares none.
    package func title(of route: String, params: String) -> String? {
        guard let name = RouteName(route), let title = app.routes[name]?.texts.title else {
            return nil
        }
        guard !title.isFixed, let reading = TitleReading(app), let object = JSONObject(text: params)
        else { return title.declared }
        return reading.title(of: Screen(route: name, params: Params(object)))
    }
}

extension LocalSession {
    /// Continues a session that a server has sent. Unlike for `continuing`, the order of the
    /// members and white space do not matter: a client may have decoded and encoded the text.
    package init(_ app: AppDefinition?, received text: String) throws(Rejection) {
        let sent = JSONObject(text: text) ?? JSONObject()
        var id = ""
        if case .string(let own)? = sent["id"] { id = own }
        let ordered = try LocalSession(app, restoring: text, id: id)
        var state = JSONObject(text: ordered.json) ?? JSONObject()
        for name in ["revision", "nextEntry", "updatedAt", "canUndo", "canRedo"] {
            if let value = sent[name] { state[name] = value }
        }
        try self.init(app, continuing: JSON.object(state).text)
    }
}
