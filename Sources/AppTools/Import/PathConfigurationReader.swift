internal import Bytes
internal import JSON
internal import Navigation

/// Reads a path configuration of Hotwire Native (or Turbo): rules whose regular expressions say
/// which properties a URL has. All rules that match a URL count, later ones before earlier ones.
struct PathConfigurationReader {
    private let host: String?
    private var rules: [Rule] = []

    /// A rule with its expressions.
    private struct Rule {
        var properties: JSONObject
        var expressions: [Pattern] = []
        /// The expressions of which there are no shapes.
        var leftOut: [Pattern] = []
    }

    /// A route with the shape of its URLs.
    private struct Screen {
        var pointer: JSONPointer
        var shape: URLShape
        var patterns: [URLShape.Variant]
        /// The last rule that has the shape.
        var rule: Int
        /// The rules that match all URLs of that shape.
        var rules: Set<Int> = []
    }

    init(host: String?) { self.host = host }

    mutating func read(
        _ file: JSONObject, into app: inout ImportedApp
    ) throws(ImportError) {
        guard case .array(let items)? = file["rules"] else {
            throw ImportError(detail: "is no path configuration: rules is missing")
        }
        for member in file.members where member.key != "rules" {
            if member.key == "settings" {
                app.keepAtTop("x-settings", member.value)
            } else {
                let (name, value) = app.keep(member, at: JSONPointer())
                app.keepAtTop(name, value)
            }
        }
        var screens: [Screen] = []
        for (index, item) in items.enumerated() {
            let pointer = JSONPointer().appending("rules").appending(index)
            guard case .object(let object) = item, case .array(let patterns)? = object["patterns"]
            else { throw ImportError(detail: "is malformed: \(pointer) must have patterns") }
            var properties = JSONObject()
            if case .object(let given)? = object["properties"] { properties = given }
            var rule = Rule(properties: properties)
            for (number, pattern) in patterns.enumerated() {
                let place = pointer.appending("patterns").appending(number)
                guard case .string(let text) = pattern else {
                    throw ImportError(detail: "is malformed: \(place) must be a text")
                }
                for shape in read(text, of: &rule, at: place, into: &app) {
                    screens.append(
                        Screen(
                            pointer: place, shape: shape, patterns: self.patterns(of: shape),
                            rule: index))
                }
            }
            rules.append(rule)
        }
        addScreens(distinct(screens), into: &app)
    }

    /// The shapes of the URLs that an expression matches; none if it is not understood.
    private func read(
        _ text: String, of rule: inout Rule, at pointer: JSONPointer, into app: inout ImportedApp
    ) -> [URLShape] {
        // `\-` is no escape of an expression by ECMA-262, but everywhere else.
        let pattern = (try? Pattern(text)) ?? (try? Pattern(text.replacing("\\-", with: "-")))
        let expression: PathExpression
        do {
            expression = try PathExpression(text)
            if let pattern { rule.expressions.append(pattern) }
        } catch {
            if let pattern { rule.leftOut.append(pattern) }
            app.note(pointer, "is left out: \(error.detail)")
            app.addLost(
                .object([
                    "patterns": .array([.string(text)]), "properties": .object(rule.properties),
                ]))
            return []
        }
        for lost in expression.lost { app.note(pointer, lost) }
        return expression.shapes
    }

    private func patterns(of shape: URLShape) -> [URLShape.Variant] {
        let start = host.map { "https://\($0)" } ?? ""
        return shape.paths.map { path in
            URLShape.Variant(text: start + path.text, names: path.names, pieces: path.pieces)
        }
    }

    // MARK: - Screens

    /// The rules that match all paths of these pieces. An expression that was left out may leave
    /// paths out between the samples, so it counts only where there is one path.
    private func rules(matching pieces: [URLPiece]) -> Set<Int> {
        let samples = URLShape.samples(pieces)
        return Set(
            rules.indices.filter { index in
                let rule = rules[index]
                let expressions = rule.expressions + (samples.count == 1 ? rule.leftOut : [])
                return samples.allSatisfy { sample in
                    expressions.contains { $0.matches(sample) == .matches }
                }
            })
    }

    /// The screens with their rules, one of each shape. Of those with the same patterns, the ones
    /// that take fewer values come first, so that they are tried first.
    private func distinct(_ screens: [Screen]) -> [Screen] {
        var found: [Screen] = []
        for var screen in screens {
            if let index = found.firstIndex(where: { $0.shape.pieces == screen.shape.pieces }) {
                found[index].rule = screen.rule
                found[index].rules.insert(screen.rule)
                continue
            }
            screen.rules = rules(matching: screen.shape.pieces).union([screen.rule])
            let texts = screen.patterns.map(\.text)
            let index = found.firstIndex { other in
                screen.rules.isSuperset(of: other.rules) && other.patterns.map(\.text) == texts
            }
            found.insert(screen, at: index ?? found.endIndex)
        }
        return found
    }

    private func addScreens(_ screens: [Screen], into app: inout ImportedApp) {
        var pushed: [String] = []
        var kept: [String] = []
        for (index, screen) in screens.enumerated() {
            let (route, isSheet) = addRoute(screen, noting: &kept, into: &app)
            if !isSheet { pushed.append(route) }
            for lost in screen.shape.lost { app.note(screen.pointer, lost) }
            // Of two screens with one pattern, the later rule counts.
            for pattern in screen.patterns
            where isOwn(pattern, of: screen)
                && !screens[(index + 1)...].contains(where: { isOwn(pattern, of: $0) })
            {
                let place = ImportedParam.screen(route, pattern.names)
                app.addLink(
                    ImportedLink(
                        pattern: pattern.text,
                        body: isSheet ? ["present": place.asScreen] : ["path": .array([place])],
                        source: screen.pointer, params: screen.shape.params))
            }
        }
        app.tabs = [
            ["id": .string("main"), "routes": .array(pushed.map { JSON.string($0) })]
        ]
        noteOverlaps(screens, into: &app)
    }

    /// Whether a screen has a pattern. A link for `/a/.*` also takes `/a`, as a slash at the end
    /// does not count; but if an expression matches `/a` itself, that URL belongs to its rule.
    private func isOwn(_ pattern: URLShape.Variant, of screen: Screen) -> Bool {
        guard screen.patterns.contains(where: { $0.pieces == pattern.pieces }) else {
            return false
        }
        let omitsRest =
            screen.shape.pieces.contains(where: \.isRest)
            && !pattern.pieces.contains(where: \.isRest)
        guard omitsRest else { return true }
        let matching = rules(matching: pattern.pieces)
        return matching.isEmpty || matching.contains(screen.rule)
    }

    private func addRoute(
        _ screen: Screen, noting kept: inout [String], into app: inout ImportedApp
    ) -> (name: String, isSheet: Bool) {
        var body = JSONObject()
        let properties = properties(of: screen)
        let style = Self.style(properties)
        if let style { body.append("presentation", .string(style)) }
        if case .string(let title)? = properties["title"] {
            body.append("title", .string(title))
        }
        if case .string(let text)? = properties["presentation"],
            let mode = Self.modes.first(where: { $0.presentation == text })?.mode
        {
            body.append("mode", .string(mode))
        }
        if let schema = ImportedParam.schema(screen.shape.params) { body.append("params", schema) }
        for member in properties.members
        where !Self.isUnderstood(member, isSheet: style != nil) {
            let name = member.isExtension ? member.key : "x-\(member.key)"
            body.append(name, member.value)
            guard !kept.contains(where: { $0 == name }) else { continue }
            kept.append(name)
            app.note(
                screen.pointer,
                "the property \(member.key) has no meaning here, and is kept as \(name)")
        }
        let words = screen.shape.words
        let isRoot = screen.patterns.first?.pieces == [.literal("/")]
        let name = words.isEmpty ? (isRoot ? "home" : "page") : words.joined(separator: " ")
        return (app.addRoute(name, body), style != nil)
    }

    private func properties(of screen: Screen) -> JSONObject {
        var properties = JSONObject()
        for index in screen.rules.sorted(by: >) {
            for member in rules[index].properties.members where !properties.contains(member.key) {
                properties.append(member.key, member.value)
            }
        }
        return properties
    }

    /// The style of a screen that is presented, or nil for one that is pushed.
    private static func style(_ properties: JSONObject) -> String? {
        let isModal =
            properties["context"] == .string("modal")
            || properties["presentation"] == .string("modal")
        guard isModal else { return nil }
        return properties["modal_style"] == .string("full") ? "fullScreenCover" : "sheet"
    }

    /// The modes of routes by presentations.
    private static let modes = [
        (presentation: "replace", mode: "replace"), (presentation: "clear_all", mode: "reset"),
    ]

    /// The values of properties that have a meaning here.
    private static let known: [(property: String, values: [String])] = [
        ("context", ["default", "modal"]),
        ("presentation", ["default", "push", "modal", "replace", "clear_all"]),
    ]

    private static func isUnderstood(_ property: JSONObject.Member, isSheet: Bool) -> Bool {
        guard case .string(let text) = property.value else { return false }
        if property.key == "title" { return true }
        if property.key == "modal_style" { return isSheet && text == "full" }
        return known.contains { known in
            known.property == property.key && known.values.contains { $0 == text }
        }
    }

    /// Notes pairs of shapes that have URLs in common, where the properties of both would count, or
    /// where the pattern of the more general one has the higher rank.
    private func noteOverlaps(_ screens: [Screen], into app: inout ImportedApp) {
        let ranks = app.ranks
        for (index, later) in screens.enumerated() {
            for earlier in screens[..<index] {
                if later.rules.isSuperset(of: earlier.rules) {
                    noteOrder(later, below: earlier, by: ranks, into: &app)
                    continue
                }
                if earlier.rules.isSuperset(of: later.rules) {
                    noteOrder(earlier, below: later, by: ranks, into: &app)
                    continue
                }
                guard URLShape.overlap(later.shape.pieces, earlier.shape.pieces) else {
                    continue
                }
                app.note(
                    later.pointer,
                    "has URLs that \(earlier.pointer) has, too: for these, only the properties of "
                        + "the pattern with the higher rank count")
                break
            }
        }
    }

    private func noteOrder(
        _ special: Screen, below general: Screen, by ranks: [ExactString: Int],
        into app: inout ImportedApp
    ) {
        guard URLShape.Variant.isFirst(general.patterns, special.patterns, by: ranks) else {
            return
        }
        app.note(
            special.pointer,
            "loses URLs to \(general.pointer), because the pattern there has the higher rank")
    }
}

extension JSON {
    /// An item of a path as the object that `present` has.
    fileprivate var asScreen: JSON {
        if case .string = self { .object(["route": self]) } else { self }
    }
}
