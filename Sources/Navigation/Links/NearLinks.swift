internal import Bytes
public import JSON

/// A link that a URL nearly matches.
public struct NearLink: Equatable, Sendable {
    /// The reasons why a URL does not match, the nearest first.
    public enum Why: String, CaseIterable, Sendable {
        /// The value of a capture does not fit its param.
        case unfit
        /// A query value is not there.
        case absent
        /// A fixed query value or the fragment is another.
        case differs
        /// The URL would match without the case of its letters.
        case letterCase = "case"
        /// One literal segment is spelled in another way.
        case spelling
    }

    /// The text of the pattern.
    public var pattern: String
    /// The reason why the URL does not match.
    public var why: Why
    /// The name of the capture, the key of the query value, `#`, or the segment as it was given.
    public var at: String
    /// The fault, as a clause, such as `id is 007, which is not an integer (7 is)`.
    public var detail: String
    /// The number of letters that differ.
    var letters = 0

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
    public func nearLinks(to url: String, work: WorkBudget) -> [NearLink] {
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
        let misfit = { () throws(WorkBudgetError) in
            try self.misfit(link, captures, work: work)
        }
        guard var near = flaws.first else { return try misfit() }
        near.pattern = pattern.text
        switch near.why {
        case .unfit, .spelling: return near
        case .absent:
            // A value that a param needs is missing there, too.
            let misfit = try misfit()
            if let misfit, misfit.why != .absent || misfit.at != near.at { return nil }
            near.detail = misfit?.detail ?? near.detail
            return near
        case .differs, .letterCase:
            guard let misfit = try misfit() else { return near }
            // The capture of the fragment is missing, too.
            return near.at == "#" && misfit.why == .absent ? near : nil
        }
    }

    // MARK: - Values

    /// The fault of the values of a URL that matches the pattern, if there is one.
    private func misfit(
        _ link: Link, _ captures: Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> NearLink? {
        guard let (name, value, reason) = try firstMisfit(link, captures, work: work) else {
            return nil
        }
        let pattern = link.pattern
        guard let reason else {
            let items = pattern.parts.flatMap { $0.query }
            let key = items.first { $0.name == name }?.key.text ?? name
            var near = NearLink.absent(key: key)
            near.pattern = pattern.text
            return near
        }
        let detail = value.isEmpty ? "empty" : "\(value.clipped), \(reason)"
        return NearLink(
            pattern: pattern.text, why: .unfit, at: name, detail: "\(name) is \(detail)")
    }

    /// The capture that does not fit, its value, and why. Without a reason, it has no value.
    private typealias Misfit = (name: String, value: String, reason: String?)

    private func firstMisfit(
        _ link: Link, _ captures: Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> Misfit? {
        switch link.destination {
        case .redirect(let redirect):
            guard try redirect.url(captures, work: work) == nil else { return nil }
            return redirect.needed.first { captures[$0] == nil }.map { ($0, "", nil) }
        case .place(let place):
            for screen in place.screens {
                if let misfit = try misfit(screen, captures, work: work) { return misfit }
            }
            return nil
        }
    }

    private func misfit(
        _ screen: ScreenTemplate, _ captures: Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> Misfit? {
        let template = JSON.object(screen.params)
        guard let route = routes[screen.route], let schema = route.schema else { return nil }
        let filled = try Template.fill(template, captures: captures, schema: schema, work: work)
        if case .unfit(let name, let text, let schema) = filled {
            return try schema.misfit(of: text, work: work).map { (name, text, $0) }
        }
        guard case .value(.object(let object)) = filled else { return nil }
        let params = JSON.object(try route.schema.filled(object, work: work))
        for error in try schema.validate(params, work: work) {
            let names = Template.captures(in: template.value(at: error.pointer.steps))
            guard let name = names.first(where: { captures[$0] == nil }) ?? names.first else {
                continue
            }
            guard let value = captures[name] else { return (name, "", nil) }
            let list = params.value(at: error.pointer.steps).texts
            return (name, list ?? value, "but the param \(error.detail)")
        }
        return nil
    }
}

extension JSON {
    /// The elements of an array as text, or nil if the value is none.
    fileprivate var texts: String? {
        guard case .array(let items) = self else { return nil }
        return items.map { $0.plainText }.joined(separator: ", ")
    }

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
