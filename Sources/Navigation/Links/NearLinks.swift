internal import Bytes
package import JSON

/// A link that a URL nearly matches.
package struct NearLink: Equatable, Sendable {
    /// What keeps a URL from matching, the nearest first.
    package enum Why: String, CaseIterable, Sendable {
        /// The value of a capture does not fit its param.
        case unfit
        /// A query value is not there.
        case absent
        /// The URL would match without the case of its letters.
        case letterCase = "case"
        /// One literal segment is spelled in another way.
        case spelling
    }

    /// The text of the pattern.
    package var pattern: String
    /// What keeps the URL from matching.
    package var why: Why
    /// The name of the capture, the key of the query value, or the segment as it was given.
    package var at: String
    /// What is wrong, as a clause, such as `id is 007, which is not an integer (7 is)`.
    package var detail: String
    /// The number of letters that differ.
    fileprivate var letters = 0

    fileprivate static func precedes(_ left: NearLink, _ right: NearLink) -> Bool {
        let (a, b) = (rank(left.why), rank(right.why))
        return a == b ? left.letters < right.letters : a < b
    }

    private static func rank(_ why: Why) -> Int { Why.allCases.firstIndex(of: why) ?? 0 }
}

extension App {
    /// The most near links that are named.
    private static let nearLinksMax = 3

    /// The links that a URL which leads nowhere nearly matches, the nearest first. It is empty if
    /// the budget has too few units for hints.
    package func nearLinks(to url: String, work: WorkBudget) -> [NearLink] {
        let found = work.hint { (work) throws(WorkBudgetError) in
            try nearLinks(to: url, within: work)
        }
        return found ?? []
    }

    private func nearLinks(
        to text: String, within work: WorkBudget
    ) throws(WorkBudgetError) -> [NearLink] {
        guard let last = try lastURL(text, work: work), let url = try parsed(last, work: work)
        else { return [] }
        var found: [NearLink] = []
        for link in links {
            if let near = try near(link, to: url, work) { found.append(near) }
        }
        // Links of equal nearness stay in the order in which they are tried.
        let order = found.indices.sorted { a, b in
            if NearLink.precedes(found[a], found[b]) { return true }
            return a < b && !NearLink.precedes(found[b], found[a])
        }
        return order.prefix(Self.nearLinksMax).map { found[$0] }
    }

    private func near(
        _ link: Link, to url: LinkURL, _ work: WorkBudget
    ) throws(WorkBudgetError) -> NearLink? {
        let pattern = link.pattern
        guard let (captures, flaws) = try pattern.comparison(with: url, work) else { return nil }
        switch flaws.first {
        case nil: return try misfit(link, captures, work: work)
        case .empty(let name)?:
            return NearLink(
                pattern: pattern.text, why: .unfit, at: name, detail: "\(name) is empty")
        case .otherCase(let segment, let literal)?:
            guard try misfit(link, captures, work: work) == nil else { return nil }
            return NearLink(
                pattern: pattern.text, why: .letterCase, at: segment,
                detail: "\(segment.clipped) has to be \(literal), for case counts")
        case .otherLetters(let segment, let literal, let letters)?:
            return NearLink(
                pattern: pattern.text, why: .spelling, at: segment,
                detail: "\(segment.clipped) has to be \(literal)", letters: letters)
        }
    }

    // MARK: - Values

    /// What is wrong with the values of a URL that matches the pattern, if anything is.
    private func misfit(
        _ link: Link, _ captures: [ExactString: String], work: WorkBudget
    ) throws(WorkBudgetError) -> NearLink? {
        guard let (name, reason) = try firstMisfit(link, captures, work: work) else { return nil }
        let pattern = link.pattern
        guard let reason else {
            let key = pattern.query.first { $0.capture == name }?.key.text ?? name
            return NearLink(
                pattern: pattern.text, why: .absent, at: key,
                detail: "the query value \(key) is not there")
        }
        let value = captures[ExactString(name), default: ""]
        let detail = value.isEmpty ? "empty" : "\(value.clipped), \(reason)"
        return NearLink(
            pattern: pattern.text, why: .unfit, at: name, detail: "\(name) is \(detail)")
    }

    /// The capture that does not fit, and why. Without a reason, it has no value.
    private typealias Misfit = (name: String, reason: String?)

    private func firstMisfit(
        _ link: Link, _ captures: [ExactString: String], work: WorkBudget
    ) throws(WorkBudgetError) -> Misfit? {
        switch link.destination {
        case .redirect(let redirect):
            guard try redirect.url(captures, work: work) == nil else { return nil }
            return redirect.captures.first { captures[ExactString($0)] == nil }.map { ($0, nil) }
        case .place(let place):
            let ofSheet = place.sheet.map { [$0.screen] + $0.path } ?? []
            for screen in (place.path ?? []) + ofSheet {
                if let misfit = try misfit(screen, captures, work: work) { return misfit }
            }
            return nil
        }
    }

    private func misfit(
        _ screen: LinkScreen, _ captures: [ExactString: String], work: WorkBudget
    ) throws(WorkBudgetError) -> Misfit? {
        let template = JSON.object(screen.params)
        guard let route = routes[screen.route], let schema = route.schema else { return nil }
        let filled = try Template.fill(template, captures: captures, schema: schema, work: work)
        if case .unfit(let name, let schema) = filled {
            return try schema.misfit(of: captures[ExactString(name), default: ""], work: work)
                .map { (name, $0) }
        }
        guard case .value(.object(let object)) = filled else { return nil }
        let params = JSON.object(try route.filled(object, work: work))
        for error in try schema.validate(params, work: work) {
            let names = Template.captures(in: template.value(at: error.pointer.steps))
            guard let name = names.first(where: { captures[ExactString($0)] == nil }) ?? names.first
            else { continue }
            let isMissing = captures[ExactString(name)] == nil
            return (name, isMissing ? nil : "but the param \(error.detail)")
        }
        return nil
    }
}

extension JSON {
    /// The deepest value on the way that the steps of a pointer lead.
    fileprivate func value(at steps: [String]) -> JSON {
        var value = self
        for step in steps {
            switch value {
            case .object(let object):
                guard let inner = object[step] else { return .null }
                value = inner
            case .array(let items):
                guard let index = Int(step), items.indices.contains(index) else { return .null }
                value = items[index]
            case .null, .bool, .integer, .double, .string: return value
            }
        }
        return value
    }
}

// MARK: - Segments

extension LinkPattern {
    /// A difference between a segment of a URL and that of the pattern.
    fileprivate enum Flaw {
        case empty(capture: String)
        case otherCase(String, literal: String)
        case otherLetters(String, literal: String, count: Int)
    }

    /// The captures of a URL that matches but for flaws of one kind, which are in the order of the
    /// segments. Nil if it has flaws of several kinds, or others.
    fileprivate func comparison(
        with url: LinkURL, _ work: WorkBudget
    ) throws(WorkBudgetError) -> (captures: [ExactString: String], flaws: [Flaw])? {
        try work.spend(.steps(6))
        guard scheme == url.scheme, host == url.host else { return nil }
        if rest == nil {
            guard segments.count == url.segments.count else { return nil }
        } else if segments.count > url.segments.count {
            return nil
        }
        var captures: [ExactString: String] = [:]
        var flaws: [Flaw] = []
        for (segment, text) in zip(segments, url.segments) {
            try work.spend(.steps(4 + text.utf8.count))
            if case .rest(let name) = segment {
                let values = url.segments[(segments.count - 1)...]
                try work.spend(.steps(values.reduce(0) { $0 + $1.utf8.count + 1 }))
                captures[ExactString(name)] = values.joined(separator: "/")
            } else if !segment.matches(text, &captures) {
                guard let flaw = try segment.flaw(text, &captures, work: work) else { return nil }
                flaws.append(flaw)
            }
        }
        guard flaws.dropFirst().allSatisfy({ $0.isOfOneKind(with: flaws[0]) }) else { return nil }
        for item in query { captures[ExactString(item.capture)] = url.query[item.key]?.text }
        return (captures, flaws)
    }
}

extension LinkPattern.Flaw {
    /// Whether the flaws together are no more than one.
    fileprivate func isOfOneKind(with other: Self) -> Bool {
        switch (self, other) {
        case (.empty, .empty), (.otherCase, .otherCase): true
        case (.otherLetters, _), (.empty, _), (.otherCase, _): false
        }
    }
}

extension LinkPattern.Segment {
    /// What keeps the text from matching, if it is little.
    fileprivate func flaw(
        _ text: String, _ captures: inout [ExactString: String], work: WorkBudget
    ) throws(WorkBudgetError) -> LinkPattern.Flaw? {
        switch self {
        case .bare(let name), .rest(let name): return .empty(capture: name)
        case .affixed(let prefix, let name, let suffix):
            let lower = Self.affixed(
                prefix: prefix.inLowerCase, name: name, suffix: suffix.inLowerCase)
            var found: [ExactString: String] = [:]
            if lower.matches(text.inLowerCase, &found) {
                let value = text.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
                captures[ExactString(name)] = String(Substring(value))
                return .otherCase(text, literal: prefix + "{\(name)}" + suffix)
            }
            return text == prefix + suffix ? .empty(capture: name) : nil
        case .literal(let literal):
            let (given, right) = (text.inLowerCase, literal.inLowerCase)
            if given == right { return .otherCase(text, literal: literal) }
            let (a, b) = (Array(given.unicodeScalars), Array(right.unicodeScalars))
            let most = max(1, b.count / 3)
            guard abs(a.count - b.count) <= most else { return nil }
            try work.spend(.steps(a.count * b.count / 2))
            return EditDistance.between(a, b, atMost: most)
                .map { .otherLetters(text, literal: literal, count: $0) }
        }
    }
}

extension String {
    /// The text with ASCII letters in lower case.
    fileprivate var inLowerCase: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
