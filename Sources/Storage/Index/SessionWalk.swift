internal import Navigation
internal import Sessions

/// Lists sessions in the byte order of their ids, a page at a time.
struct SessionWalk {
    /// The last id of the previous page.
    let after: SessionID?
    /// The maximum number of sessions on the page.
    let limit: Int

    /// The maximum number of labels that one walk compares: about two milliseconds, too.
    static let comparisonsMax = 50_000

    /// The next page. A page may be shorter than `limit`, or empty, even if others follow.
    func run(over tables: StateTables, filter: SessionFilter, now: Milliseconds) -> SessionPage {
        var page = SessionPage(handles: [], next: nil)
        let (prefix, cursor) = (Array(filter.prefix.utf8), Array((after?.rawValue ?? "").utf8))
        let isAfterPrefix = !cursor.isEmpty && !cursor.lexicographicallyPrecedes(prefix)
        let app = filter.app.flatMap { tables.appNames.number($0) }
        if filter.app != nil, app == nil { return page }
        var (looked, previous) = (0, SessionHandle?.none)
        var labels = LabelFilter(filter)
        tables.index.walk(
            from: isAfterPrefix ? cursor : prefix, exclusive: isAfterPrefix
        ) { handle in
            guard tables.index.name(handle).starts(with: prefix) else { return false }
            if looked == SessionPage.examinedMax || labels.comparisons >= Self.comparisonsMax
                || page.handles.count == limit
            {
                page.next = previous.map { tables.index.id($0) }
                return false
            }
            looked += 1
            previous = handle
            let entry = tables.index[handle]
            if entry.expiresAt > now, app == nil || entry.app == app,
                labels.matches(entry.labels, { tables.labelSets[$0] ?? [] })
            {
                page.handles.append(handle)
            }
            return true
        }
        return page
    }
}

/// The labels that a walk requires. Sessions share sets of labels, and neighbours usually have the
/// same set, so the last result is remembered.
struct LabelFilter {
    /// The number of labels compared so far.
    private(set) var comparisons = 0
    private let wanted: [Label]
    private var last: (labels: UInt32, matches: Bool)?

    init(_ filter: SessionFilter) { wanted = filter.labels }

    /// Whether a set of labels has all required labels.
    ///
    /// - Parameters:
    ///   - labels: the number of the set.
    ///   - set: returns a set by its number.
    mutating func matches(_ labels: UInt32, _ set: (UInt32) -> [Label]) -> Bool {
        guard !wanted.isEmpty else { return true }
        if let last, last.labels == labels { return last.matches }
        let own = set(labels)
        var matches = true
        for label in wanted where matches { matches = has(label, own) }
        last = (labels, matches)
        return matches
    }

    private mutating func has(_ label: Label, _ own: [Label]) -> Bool {
        for other in own {
            comparisons += 1
            if other == label { return true }
        }
        return false
    }
}
