internal import Bytes
internal import JSON

// The `params` of a link: those of the root of its tab.

extension AppReader {
    /// The roots of tabs with the params that a link gives them, one for each route. The root of
    /// each tab has to take them.
    mutating func rootScreens(
        _ params: JSONObject, of tabs: [AppTab], for names: CaptureNames, at pointer: String
    ) throws(WorkBudgetError) -> [ScreenTemplate] {
        var roots: [ScreenTemplate] = []
        for tab in tabs where !roots.contains(where: { $0.route == tab.root.route }) {
            let root = ScreenTemplate(route: tab.root.route, params: params)
            if routes[root.route] == nil {
                // A route that is not declared takes no params.
                let schema = JSONSchema?.none
                errors.append(try schema.faults(in: params, at: pointer + "/params", work: work))
            } else {
                _ = try checked(root, for: names, at: pointer)
            }
            roots.append(root)
        }
        return roots
    }
}
