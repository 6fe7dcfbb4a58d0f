internal import Bytes

/// The names that can be used as `{name}` where a link leads.
struct CaptureNames: Sendable {
    /// The names that have a value for every URL.
    let certain: Set<ExactString>
    /// The names of query values.
    let possible: Set<ExactString>
    /// Those of the query values that are written as `{name?}`: the link may be without them.
    let optional: Set<ExactString>

    init(
        certain: Set<ExactString>, possible: Set<ExactString>, optional: Set<ExactString> = []
    ) {
        self.certain = certain
        self.possible = possible
        self.optional = optional
    }

    /// Every name.
    var all: Set<ExactString> { certain.union(possible) }

    /// Whether the name can have a value.
    func contains(_ name: String) -> Bool {
        let name = ExactString(name)
        return certain.contains(name) || possible.contains(name)
    }
}
