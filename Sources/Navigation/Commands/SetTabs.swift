internal import Bytes
internal import JSON

/// `setTabs`: reorders, hides and shows tabs.
package struct SetTabs: Equatable, Sendable {
    /// The ids of all tabs in their new order, as the client wrote them, or nil to keep the order.
    package var order: [String]?
    /// The ids of the tabs to hide, as the client wrote them; all others are shown. Nil to leave
    /// hidden and shown tabs as they are.
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
