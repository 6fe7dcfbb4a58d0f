internal import Bytes
internal import JSON
public import Navigation
public import NavstateRules

/// The result of an exploration, in words and as JSON.
public struct ExplorationReport {
    private let exploration: Exploration
    private let app: App
    private let document: AppDocument

    public init(_ exploration: Exploration, of app: App, _ document: AppDocument) {
        (self.exploration, self.app, self.document) = (exploration, app, document)
    }

    /// The findings in the order of the document.
    private var findings: [(finding: Exploration.Finding, place: TextPosition)] {
        exploration.findings.map { ($0, document.place(of: $0.pointer)) }.sorted { left, right in
            let (one, other) = (left.place, right.place)
            return (one.line, one.column) == (other.line, other.column)
                ? left.finding.code.rawValue < right.finding.code.rawValue
                : (one.line, one.column) < (other.line, other.column)
        }
    }

    /// The report in words: what was reached, which facts screens need, and what is wrong.
    ///
    /// - Parameter line: how a command is written.
    public func text(_ line: (Exploration.Step) -> String) -> String {
        var lines = [summary]
        if exploration.isCutOff {
            lines.append(
                "The search ended at \(Self.number(Exploration.statesMax)) states; there are more.")
        }
        let missing = exploration.declared.filter { !exploration.screens.contains($0) }
        let known = exploration.findings.filter { $0.code == .unreachableRoute }.map(\.pointer)
        let deeper = missing.filter { !known.contains("/routes/" + JSONPointer.escaped($0)) }
        if !deeper.isEmpty { lines.append("not shown yet: \(deeper.joined(separator: ", "))") }
        let needs = self.needs
        if !needs.isEmpty { lines.append(needs.joined(separator: " ")) }
        for (finding, place) in findings {
            lines.append(
                "\(document.file):\(place.line):\(place.column): \(finding.code.rawValue): "
                    + "\(finding.pointer) \(finding.detail)")
            lines += finding.program.map { "    \(line($0))" }
        }
        let count = exploration.findings.count
        lines.append(count == 0 ? "no findings" : count == 1 ? "1 finding" : "\(count) findings")
        return lines.joined(separator: "\n") + "\n"
    }

    /// Each finding as a line of JSON.
    public var json: String {
        findings.map { finding, place in
            let object: JSONObject = [
                "code": .string(finding.code.rawValue), "pointer": .string(finding.pointer),
                "file": .string(document.file), "line": .integer(Int64(place.line)),
                "column": .integer(Int64(place.column)), "detail": .string(finding.detail),
                "program": .array(
                    finding.program.map {
                        (try? JSON(parsing: Array($0.item.utf8))) ?? .null
                    }),
            ]
            return JSON.object(object).text + "\n"
        }.joined()
    }

    private var summary: String {
        let states = exploration.states
        return "\(Self.number(states)) \(states == 1 ? "state" : "states") to depth "
            + "\(exploration.depth); \(exploration.screens.count) of "
            + "\(exploration.declared.count) screens; \(exploration.opened.count) of "
            + "\(exploration.links.count) links"
    }

    /// The facts that screens need and that a new session does not have: `stock: needs role=clerk.`
    private var needs: [String] {
        var routes: [(needs: String, names: [String])] = []
        let facts = app.defaultFacts
        for route in app.routeOrder.sorted() {
            let unmet = (app.guards.ofRoutes[route]?.guards ?? []).flatMap(\.conditions)
                .filter { facts[$0.fact].map($0.values.contains) != true }
            guard !unmet.isEmpty else { continue }
            let text = unmet.map(\.words).joined(separator: " and ")
            if let index = routes.firstIndex(where: { $0.needs == text }) {
                routes[index].names.append(route.rawValue)
            } else {
                routes.append((text, [route.rawValue]))
            }
        }
        return routes.map { needs, names in
            "\(names.joined(separator: ", ")): \(names.count == 1 ? "needs" : "need") \(needs)."
        }
    }

    /// A number with commas: `12,321`.
    private static func number(_ number: Int) -> String {
        let digits = Array("\(number)".utf8)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.unicodeScalars.append(Unicode.Scalar(digit))
        }
        return text
    }
}

extension Guard.Condition {
    /// The condition in words: `signedIn`, `not signedIn` or `role=clerk`.
    fileprivate var words: String {
        if values == [.bool(true)] { return fact.rawValue }
        if values == [.bool(false)] { return "not \(fact)" }
        let texts = values.map { if case .string(let text) = $0 { text } else { $0.text } }
        return "\(fact)=\(texts.joined(separator: " or "))"
    }
}
