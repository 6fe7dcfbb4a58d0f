internal import Bytes
internal import JSON

/// A difference between a URL and a pattern that it nearly matches.
enum LinkFlaw {
    case empty(capture: String)
    case absent(key: String)
    case differs(key: String, value: String)
    case otherFragment(pattern: String)
    case otherCase(String, literal: String)
    case otherLetters(String, literal: String, count: Int)

    /// Whether the flaws together are no more than one.
    fileprivate func isOfOneKind(with other: Self) -> Bool {
        switch (self, other) {
        case (.empty, .empty), (.otherCase, .otherCase): true
        case (.empty, _), (.otherCase, _), (.absent, _), (.differs, _), (.otherFragment, _),
            (.otherLetters, _):
            false
        }
    }
}

extension NearLink {
    init(pattern: String, _ flaw: LinkFlaw) {
        switch flaw {
        case .empty(let name):
            self.init(pattern: pattern, why: .unfit, at: name, detail: "\(name) is empty")
        case .absent(let key):
            self.init(
                pattern: pattern, why: .absent, at: key,
                detail: "the query value \(key) is not there")
        case .differs(let key, let value):
            let right = value.isEmpty ? "empty" : value.clipped
            self.init(
                pattern: pattern, why: .differs, at: key,
                detail: "the query value \(key) has to be \(right)")
        case .otherFragment(let right):
            self.init(
                pattern: pattern, why: .differs, at: "#",
                detail: "the fragment has to match #\(right.clipped)")
        case .otherCase(let segment, let literal):
            self.init(
                pattern: pattern, why: .letterCase, at: segment,
                detail: "\(segment.clipped) has to be \(literal.clipped), for case counts")
        case .otherLetters(let segment, let literal, let letters):
            self.init(
                pattern: pattern, why: .spelling, at: segment,
                detail: "\(segment.clipped) has to be \(literal.clipped)", letters: letters)
        }
    }
}

extension LinkPattern {
    /// The captures of a URL that matches but for flaws of one kind, which are in the order of the
    /// URL. Nil if it has flaws of several kinds, or others.
    func comparison(
        with url: LinkURL, _ work: WorkBudget
    ) throws(WorkBudgetError) -> (captures: Captures, flaws: [LinkFlaw])? {
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
                flaws.append(.otherFragment(pattern: String(Substring(right))))
            }
        }
        guard flaws.dropFirst().allSatisfy({ $0.isOfOneKind(with: flaws[0]) }) else { return nil }
        return (captures, flaws)
    }
}

extension LinkPattern.Part {
    /// The flaws of a path. Nil if it has others, or another number of segments.
    fileprivate func flaws(
        of given: [String], _ captures: inout Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> [LinkFlaw]? {
        guard hasRoom(for: given.count) else { return nil }
        var flaws: [LinkFlaw] = []
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
    ) throws(WorkBudgetError) -> [LinkFlaw] {
        var flaws: [LinkFlaw] = []
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
        case near(LinkFlaw)
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
        if isOtherCase { return .near(.otherCase(text, literal: pattern)) }
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
        if given == right { return .near(.otherCase(text, literal: literal.spelling)) }
        let (a, b) = (Array(given.unicodeScalars), Array(right.unicodeScalars))
        let most = max(1, b.count / 3)
        guard !a.isEmpty, !b.isEmpty, abs(a.count - b.count) <= most else { return .different }
        try work.spend(.steps(a.count * b.count / 2))
        let count = EditDistance.between(a, b, atMost: most)
        return count.map { .near(.otherLetters(text, literal: literal.spelling, count: $0)) }
            ?? .different
    }
}
