internal import Bytes

/// The names that can be used as `{name}` where a link leads.
struct CaptureNames: Sendable {
    /// The names that have a value for every URL.
    let certain: Set<ExactString>
    /// The names that have a value if the URL has the query item.
    let possible: Set<ExactString>

    /// Every name.
    var all: Set<ExactString> { certain.union(possible) }

    /// Whether the name can have a value.
    func contains(_ name: String) -> Bool {
        let name = ExactString(name)
        return certain.contains(name) || possible.contains(name)
    }
}
