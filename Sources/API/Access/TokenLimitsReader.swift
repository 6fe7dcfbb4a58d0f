internal import Bytes
internal import JSON
internal import Navigation
internal import Sessions

/// Reads the commands and the routes that a token of a session is limited to.
struct TokenLimitsReader {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    /// Why an item of a list is refused.
    private struct ItemFault: Error {
        var detail: String
    }

    /// The limits, or nil if there are none or the lists are invalid.
    func limits(
        _ reader: inout ObjectReader, _ body: JSONObject, of handle: SessionHandle
    ) throws(OperationError) -> TokenLimits? {
        let commands = items("commands", in: &reader) { name throws(ItemFault) in
            try command(name)
        }
        let app =
            body["routes"] == nil
            ? nil : try context.app(named: context.store.reading.summary(handle).app)
        let known = reader.faults.count
        let routes = items("routes", in: &reader) { name throws(ItemFault) in
            try route(name, in: app)
        }
        // A newer definition of the app may have what is missing.
        if app != nil, reader.faults.count > known { try context.confirmApps() }
        return TokenLimits(commands: commands, routes: routes)
    }

    private func items<Item: Hashable>(
        _ name: String, in reader: inout ObjectReader,
        _ read: (String) throws(ItemFault) -> Item
    ) -> [Item]? {
        guard let list = reader.array(name) else { return nil }
        guard (1...TokenLimits.itemsMax).contains(list.count) else {
            reader.refuse(
                name, "must have 1 to \(TokenLimits.itemsMax) items", isLimit: !list.isEmpty)
            return nil
        }
        var items: [Item] = []
        for (index, item) in list.enumerated() {
            guard case .string(let text) = item else {
                reader.refuse(at: "/\(name)/\(index)", "must be a string")
                continue
            }
            do throws(ItemFault) { items.append(try read(text)) } catch {
                reader.refuse(at: "/\(name)/\(index)", error.detail)
            }
        }
        return items.withoutRepeats
    }

    /// Creations are not listed: only tokens of the server can create sessions.
    private func command(_ name: String) throws(ItemFault) -> TokenCommand {
        if let command = TokenCommand(name), command != .create { return command }
        let known = TokenCommand.names.filter { $0 != TokenCommand.create.name }
        let hint = Spelling.proposal(for: name, among: known, work: context.work)
        throw ItemFault(detail: "must be the name of a command, or signal\(hint)")
    }

    /// - Parameter app: the app of the session; nil for a free-form session, which has any routes.
    private func route(_ name: String, in app: App?) throws(ItemFault) -> RouteSelector {
        guard let item = RouteSelector(name) else {
            throw ItemFault(detail: "must be the name of a route, or @ and a group")
        }
        guard let app else {
            guard item.isGroup else { return item }
            throw ItemFault(detail: "must be a route: a session without an app has no groups")
        }
        if app.knows(item) { return item }
        let hint = app.near(item, work: context.work).first.map { " (did you mean \($0)?)" } ?? ""
        let kind = item.isGroup ? "group" : "route"
        throw ItemFault(detail: "names the unknown \(kind) \(name.clipped)\(hint)")
    }
}

extension Array where Element: Hashable {
    /// The elements, each at its first place only.
    var withoutRepeats: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
