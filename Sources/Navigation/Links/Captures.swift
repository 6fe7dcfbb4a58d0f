internal import Bytes

/// The values that a pattern captures from a URL.
struct Captures {
    /// The value of each capture; of a query key, the first one.
    private(set) var texts: [ExactString: String] = [:]
    /// All values of the captures in a query, in their order.
    private(set) var lists: [ExactString: [String]] = [:]

    /// The value of a capture, or nil if the URL does not have it.
    subscript(name: String) -> String? {
        get { texts[ExactString(name)] }
        set { texts[ExactString(name)] = newValue }
    }

    /// The values of a capture in a query. Nil for other captures, and if the URL has none.
    func list(_ name: String) -> [String]? { lists[ExactString(name)] }

    /// Sets the values of a capture in a query.
    mutating func set(_ name: String, to values: [String]) {
        guard let first = values.first else { return }
        texts[ExactString(name)] = first
        lists[ExactString(name)] = values
    }

    /// The length of all values together.
    var bytes: Int {
        texts.values.reduce(0) { $0 + $1.utf8.count }
            + lists.values.joined().reduce(0) { $0 + $1.utf8.count }
    }
}
