internal import Bytes
internal import JSON

// How URLs differ from patterns that they nearly match.

extension NearLink {
    /// A difference from a pattern, which is set later.
    private init(_ why: Why, at: String, _ detail: String, letters: Int = 0) {
        self.init(pattern: "", why: why, at: at, detail: detail, letters: letters)
    }

    fileprivate static func empty(capture name: String) -> NearLink {
        NearLink(.unfit, at: name, "\(name) is empty")
    }

    static func absent(key: String) -> NearLink {
        NearLink(.absent, at: key, "the query value \(key) is not there")
    }

    fileprivate static func differs(key: String, value: String) -> NearLink {
        let right = value.isEmpty ? "empty" : value.clipped
        return NearLink(.differs, at: key, "the query value \(key) has to be \(right)")
    }

    fileprivate static func otherFragment(_ right: String) -> NearLink {
        NearLink(.differs, at: "#", "the fragment has to match #\(right.clipped)")
    }

    fileprivate static func otherCase(_ segment: String, _ literal: String) -> NearLink {
        let detail = "\(segment.clipped) has to be \(literal.clipped), for case counts"
        return NearLink(.letterCase, at: segment, detail)
    }

    fileprivate static func otherLetters(
        _ segment: String, _ literal: String, count: Int
    ) -> NearLink {
        let detail = "\(segment.clipped) has to be \(literal.clipped)"
        return NearLink(.spelling, at: segment, detail, letters: count)
    }

    /// Whether this difference may come with others of its kind.
    fileprivate var mayRepeat: Bool { why == .unfit || why == .letterCase }
}

extension LinkPattern {
    /// The captures of a URL that matches but for flaws of one kind, which are in the order of the
    /// URL. Nil if it has flaws of several kinds, or others.
    func comparison(
        with url: LinkURL, _ work: WorkBudget
    ) throws(WorkBudgetError) -> (captures: Captures, flaws: [NearLink])? {
        try work.spend(.steps(6))
        var captures = Captures()
        guard scheme == url.scheme, host.matches(url.host, &captures),
            var flaws = try main.flaws(of: url.main.segments, &captures, work: work)
        else { return nil }
        flaws += try main.queryFlaws(of: url.main.query, &captures, work: work)
        if let fragment {
            if let given = url.fragment,
                try fragment.flaws(of: given.segments, &captures, work: work)?.isEmpty == true
            {
                flaws += try fragment.queryFlaws(of: given.query, &captures, work: work)
            } else {
                let right = text.utf8.drop { $0 != UInt8(ascii: "#") }.dropFirst()
                flaws.append(.otherFragment(String(Substring(right))))
            }
        }
        guard flaws.count < 2 || flaws.allSatisfy({ $0.mayRepeat && $0.why == flaws[0].why })
        else { return nil }
        return (captures, flaws)
    }
}

extension LinkPattern.Part {
    /// The flaws of a path. Nil if it has others, or another number of segments.
    fileprivate func flaws(
        of given: [String], _ captures: inout Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> [NearLink]? {
        guard hasRoom(for: given.count) else { return nil }
        var flaws: [NearLink] = []
        for (index, segment) in segments.enumerated() {
            let texts = texts(of: index, in: given)
            try work.spend(.steps(texts.reduce(4) { $0 + 1 + $1.utf8.count }))
            switch try segment.comparison(with: texts, &captures, work: work) {
            case .same: continue
            case .near(let flaw): flaws.append(flaw)
            case .different: return nil
            }
        }
        return flaws
    }

    fileprivate func queryFlaws(
        of query: LinkQuery, _ captures: inout Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> [NearLink] {
        var flaws: [NearLink] = []
        for item in self.query {
            try work.spend(.steps(10 + item.key.text.utf8.count))
            guard !item.matches(query, &captures) else { continue }
            let isAbsent = item.values(in: query).isEmpty
            flaws.append(
                isAbsent
                    ? .absent(key: item.key.text)
                    : .differs(key: item.key.text, value: item.fixed?.spelling ?? ""))
        }
        return flaws
    }
}

extension LinkSegment {
    fileprivate enum Comparison {
        /// The segment matches, but for the types of several captures in it.
        case same
        case near(NearLink)
        case different
    }

    /// How segments of a URL differ from this one.
    fileprivate func comparison(
        with texts: ArraySlice<String>, _ found: inout Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> Comparison {
        if try matches(texts, &found, work: work) { return .same }
        let text = texts.joined(separator: "/")
        guard let name = captures.first?.name else { return try spelling(of: text, work: work) }
        guard isAffixed else { return .near(.empty(capture: name)) }
        if !isRest, try divide(text, .untyped, into: &found, work: work) { return .same }
        let folded = ignoringCase
        var isOtherCase = try folded.matches(texts, &found, work: work)
        if !isOtherCase, !isRest {
            isOtherCase = try folded.divide(text, .untyped, into: &found, work: work)
        }
        if isOtherCase { return .near(.otherCase(text, pattern)) }
        var values = Captures()
        guard try divide(text, .empty, into: &values, work: work) else { return .different }
        let empty = captures.first { values[$0.name]?.isEmpty == true }?.name ?? name
        return .near(.empty(capture: empty))
    }

    /// How a text differs from the segment, which is a literal.
    private func spelling(
        of text: String, work: WorkBudget
    ) throws(WorkBudgetError) -> Comparison {
        let literal = literals[0]
        let (given, right) = (text.inLowerCase, literal.text.inLowerCase)
        if given == right { return .near(.otherCase(text, literal.spelling)) }
        let (a, b) = (Array(given.unicodeScalars), Array(right.unicodeScalars))
        let most = max(1, b.count / 3)
        guard !a.isEmpty, !b.isEmpty, abs(a.count - b.count) <= most else { return .different }
        try work.spend(.steps(a.count * b.count / 2))
        let count = EditDistance.between(a, b, atMost: most)
        return count.map { .near(.otherLetters(text, literal.spelling, count: $0)) }
            ?? .different
    }
}
