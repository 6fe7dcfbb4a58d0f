internal import Bytes
internal import JSON

extension LinkPattern {
    /// A path with a query, as a pattern has them in front of its `#` and behind it.
    struct Part: Sendable {
        var segments: [LinkSegment]
        /// The index of the segment that stands for several, if there is one.
        let rest: Int?
        /// Whether the path is written with a slash at its end, which does not count.
        let endsInSlash: Bool
        var query: [LinkQueryItem]

        init(
            _ pieces: [LinkURL.Bytes], of path: LinkURL.Bytes, query: LinkURL.Bytes,
            ignoringCase: Bool
        ) throws(Malformed) {
            var segments: [LinkSegment] = []
            var rest: Int?
            for (index, piece) in pieces.enumerated() {
                let segment = try LinkSegment(piece, ignoringCase: ignoringCase)
                segments.append(segment)
                guard segment.isRest else { continue }
                guard rest == nil else {
                    throw Malformed(
                        detail: "must have at most one {name*} in its path and one in its fragment")
                }
                rest = index
            }
            self.segments = segments
            self.rest = rest
            endsInSlash = path.last == UInt8(ascii: "/")
            self.query = try LinkQueryItem.items(query, ignoringCase: ignoringCase)
        }

        /// The names that the path captures.
        var pathNames: [String] { segments.flatMap { $0.captures }.map { $0.name } }

        /// The name of the rest, if there is one.
        var restName: String? { rest.flatMap { segments[$0].captures.first?.name } }

        /// The rank of the path. At the first difference, the lower number is the more specific.
        var ranks: [Int] {
            guard let rest else { return segments.map({ $0.rank }) }
            let behind = segments[(rest + 1)...]
            return segments[...rest].map { $0.rank } + [-behind.count] + behind.map { $0.rank }
                + [segments[rest].isAffixed ? 0 : 1]
        }
    }
}

// MARK: - Matching

extension LinkPattern.Part {
    /// Whether a path can have as many segments.
    func hasRoom(for count: Int) -> Bool {
        rest == nil ? count == segments.count : count >= segments.count
    }

    /// The segments of a path for which the segment at that index of the pattern stands. The
    /// numbers of segments must agree.
    func texts(of index: Int, in texts: [String]) -> ArraySlice<String> {
        guard let rest, index >= rest else { return texts[index...index] }
        let surplus = texts.count - segments.count
        return texts[(index == rest ? index : index + surplus)...(index + surplus)]
    }

    /// Whether the part of a URL matches; then the captures have their values.
    func matches(
        _ part: LinkURL.Part, _ found: inout Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        guard hasRoom(for: part.segments.count) else { return false }
        // Literals are compared first and the rest last, because of what they cost.
        for (index, segment) in segments.enumerated() where segment.captures.isEmpty {
            let text = texts(of: index, in: part.segments).first ?? ""
            try work.spend(.steps(4 + text.utf8.count / 4))
            guard segment.literals[0].matches(text.utf8) else { return false }
        }
        for item in query {
            try work.spend(.steps(10 + item.key.text.utf8.count))
            guard item.matches(part.query, &found) else { return false }
        }
        for (index, segment) in segments.enumerated() where !segment.captures.isEmpty {
            guard index != rest else { continue }
            let texts = texts(of: index, in: part.segments)
            try work.spend(.steps(5 + (texts.first?.utf8.count ?? 0) / 4))
            guard try segment.matches(texts, &found, work: work) else { return false }
        }
        guard let rest else { return true }
        return try segments[rest].matches(
            texts(of: rest, in: part.segments), &found, work: work)
    }
}

extension LinkSegment {
    /// Whether the segments of a URL match for which the segment stands.
    func matches(
        _ texts: ArraySlice<String>, _ found: inout Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        guard isRest else { return try matches(texts.first ?? "", &found, work: work) }
        try work.spend(.steps(texts.reduce(texts.count) { $0 + $1.utf8.count }))
        guard let value = rest(texts) else { return false }
        found[captures[0].name] = value
        return true
    }
}

// MARK: - From captures to a URL

extension LinkPattern.Part {
    /// The path and the query that capture these values, or nil if none do.
    ///
    /// - Parameter isRooted: whether each segment has a slash in front of it.
    func written(_ values: Captures, isRooted: Bool) -> String? {
        var text = ""
        for (index, segment) in segments.enumerated() {
            guard let written = segment.written(values) else { return nil }
            text += (isRooted || index > 0 ? "/" : "") + written
        }
        // The slash at the end of a path does not count, so a segment that is empty, or a rest that
        // ends in a slash, needs another.
        let isOpen = !segments.isEmpty && (text.isEmpty || text.utf8.last == UInt8(ascii: "/"))
        if endsInSlash || isOpen { text += "/" }
        let items = query.flatMap { $0.written(values) }
        return items.isEmpty ? text : text + "?" + items.joined(separator: "&")
    }
}
