internal import JSON

/// `setTabs`: reorders, hides and shows tabs.
package struct SetTabs: Equatable, Sendable {
    /// The ids of all tabs in their new order, as the client wrote them; nil keeps the order.
    package var order: [String]?
    /// The ids of the tabs that are hidden, as the client wrote them, while all others are shown;
    /// nil hides and shows none.
    package var hidden: [String]?

    package init(order: [String]? = nil, hidden: [String]? = nil) {
        self.order = order
        self.hidden = hidden
    }
}

extension SetTabs {
    init(_ reader: inout ObjectReader) {
        order = Self.ids("order", &reader)
        hidden = Self.ids("hidden", &reader)
    }

    private static func ids(_ name: String, _ reader: inout ObjectReader) -> [String]? {
        guard let items = reader.array(name) else { return nil }
        var ids: [String] = []
        for (index, item) in items.enumerated() {
            if case .string(let id) = item {
                ids.append(id)
            } else {
                reader.refuse(at: "/\(name)/\(index)", "must be the id of a tab")
            }
        }
        return ids
    }
}
