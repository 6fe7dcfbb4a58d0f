/// The names that can be used as `{name}` where a link leads.
struct CaptureNames: Sendable {
    /// The names that have a value for every URL.
    let certain: Set<String>
    /// The names that have a value if the URL has the query item.
    let possible: Set<String>

    /// Every name.
    var all: Set<String> { certain.union(possible) }

    /// Whether the name can have a value.
    func contains(_ name: String) -> Bool {
        certain.contains(name) || possible.contains(name)
    }
}
