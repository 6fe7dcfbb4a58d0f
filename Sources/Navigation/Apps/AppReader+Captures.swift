internal import Bytes
internal import JSON

// The params that the captures of a link go into.

/// The demands of the params of a link on its captures.
struct CaptureUses {
    /// The captures without which a required param would stay unset.
    var needed: Set<ExactString> = []
    /// The captures that are params which take only integers.
    var integers: Set<ExactString> = []
    /// Whether each param takes every text.
    var takesEveryText = true
}

extension AppReader {
    func captureUses(of place: PlaceTemplate) throws(WorkBudgetError) -> CaptureUses {
        var uses = CaptureUses()
        for screen in place.screens {
            guard let route = routes[screen.route], let schema = route.schema else { continue }
            try note(
                screen.params, of: schema, in: &uses,
                defaults: try route.schema.filled(JSONObject(), work: work))
        }
        return uses
    }

    /// - Parameter defaults: what fills in the members that stay unset.
    private func note(
        _ template: JSONObject, of schema: JSONSchema, in uses: inout CaptureUses,
        defaults: JSONObject = JSONObject()
    ) throws(WorkBudgetError) {
        let required = try schema.requiredNames(work: work)
        try work.spend(.entries(required.count))
        let names = Set(required.map { ExactString($0) })
        for member in template.members {
            let isNeeded = names.contains(ExactString(member.key)) && defaults[member.key] == nil
            if isNeeded, case .string = member.value {
                let captures = Template.captures(in: member.value)
                uses.needed.formUnion(captures.map { ExactString($0) })
            }
            guard let deeper = try schema.property(member.key, work: work) else { continue }
            try note(member.value, of: deeper, in: &uses)
        }
        try noteWhole(.object(template), of: schema, in: &uses)
    }

    /// Notes whether an object or an array with captures is more than members that fit.
    private func noteWhole(
        _ template: JSON, of schema: JSONSchema, in uses: inout CaptureUses
    ) throws(WorkBudgetError) {
        guard uses.takesEveryText, !Template.captures(in: template).isEmpty else { return }
        uses.takesEveryText = try schema.checksMembersAlone(work: work)
    }

    private func note(
        _ template: JSON, of schema: JSONSchema, in uses: inout CaptureUses
    ) throws(WorkBudgetError) {
        switch template {
        case .object(let object): try note(object, of: schema, in: &uses)
        case .array(let items):
            for (index, item) in items.enumerated() {
                guard let deeper = try schema.element(at: index, work: work) else { continue }
                try note(item, of: deeper, in: &uses)
            }
            try noteWhole(template, of: schema, in: &uses)
        case .string(let text):
            let pieces = Template.pieces(text)
            let captures = Template.captures(in: template)
            if !captures.isEmpty, try !schema.takesEveryText(work: work) {
                uses.takesEveryText = false
            }
            if pieces.count == 1, schema.acceptedTypes == .integer {
                uses.integers.formUnion(captures.map { ExactString($0) })
            }
        case .null, .bool, .integer, .double: return
        }
    }

    /// Warns of links that come after another one which takes all their URLs. Links are compared
    /// only with the first such link of the same shape.
    mutating func warnOfUnreached(
        _ found: [(link: Link, pointer: String)]
    ) throws(WorkBudgetError) {
        var groups: [[ExactString]: [Int]] = [:]
        for (index, item) in found.enumerated() {
            let shape = item.link.pattern.shape
            try work.spend(.steps(shape.reduce(20) { $0 + 4 + $1.text.utf8.count }))
            groups[shape, default: []].append(index)
        }
        var takers: [(index: Int, taker: Int)] = []
        for group in groups.values where group.count > 1 {
            var taker: Int?
            for index in group {
                if let taker { takers.append((index, taker)) }
                if taker == nil, try takesAll(found[index].link) { taker = index }
            }
        }
        for (index, taker) in takers.sorted(by: { $0.index < $1.index }) {
            let number = found[taker].pointer.dropFirst("/links/".count)
            let detail = "is never reached: link \(number) takes all its URLs"
            warn(.unreachedLink, at: found[index].pointer + "/pattern", detail)
        }
    }

    /// Whether the link is taken for all URLs that match its pattern, as far as that is certain.
    private func takesAll(_ link: Link) throws(WorkBudgetError) -> Bool {
        switch link.destination {
        case .redirect: return true
        case .place(let place):
            guard try captureUses(of: place).takesEveryText else { return false }
            // Every text is fine, so one text shows whether the other params fit, too.
            var captures = Captures()
            for name in link.pattern.captureNames.certain { captures[name.text] = "x" }
            for item in link.pattern.parts.flatMap({ $0.query }) where item.isNeeded {
                if let name = item.name { captures.set(name, to: ["x"]) }
            }
            guard try isTaken(place, with: captures) else { return false }
            for name in link.pattern.captureNames.possible { captures.set(name.text, to: ["x"]) }
            return try isTaken(place, with: captures)
        }
    }

    private func isTaken(
        _ place: PlaceTemplate, with captures: Captures
    ) throws(WorkBudgetError) -> Bool {
        for screen in place.screens {
            guard let route = routes[screen.route] else { return false }
            let filled = try Template.fill(
                .object(screen.params), captures: captures, schema: route.schema, work: work)
            guard case .value(.object(let object)) = filled,
                try route.schema.takes(try route.schema.filled(object, work: work), work: work)
            else { return false }
        }
        return true
    }
}
