internal import Bytes
internal import JSON
internal import Navigation

/// Reads a path configuration of Hotwire Native (or Turbo): rules whose regular expressions say
/// which properties a URL has. All rules that match a URL count, later ones before earlier ones.
struct PathConfigurationReader {
    private let host: String?
    private var rules: [Rule] = []

    /// A rule with its expressions, as far as they are understood.
    private struct Rule {
        var pointer: JSONPointer
        var properties: JSONObject
        var expressions: [Pattern] = []
    }

    /// A route with the shape of its URLs.
    private struct Screen {
        var pointer: JSONPointer
        var shape: URLShape
        /// The rules that match a URL of that shape.
        var rules: [Int]
        var properties: JSONObject
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
        var shapes: [(pointer: JSONPointer, shape: URLShape)] = []
        for (index, item) in items.enumerated() {
            let pointer = JSONPointer().appending("rules").appending(index)
            guard case .object(let object) = item, case .array(let patterns)? = object["patterns"]
            else { throw ImportError(detail: "is malformed: \(pointer) must have patterns") }
            var properties = JSONObject()
            if case .object(let given)? = object["properties"] { properties = given }
            var rule = Rule(pointer: pointer, properties: properties)
            for (index, pattern) in patterns.enumerated() {
                let place = pointer.appending("patterns").appending(index)
                guard case .string(let text) = pattern else {
                    throw ImportError(detail: "is malformed: \(place) must be a text")
                }
                for shape in read(text, of: &rule, at: place, into: &app) {
                    shapes.append((place, shape))
                }
            }
            rules.append(rule)
        }
        addScreens(shapes, into: &app)
    }

    /// The shapes of the URLs that an expression matches; none if it is not understood.
    private func read(
        _ text: String, of rule: inout Rule, at pointer: JSONPointer, into app: inout ImportedApp
    ) -> [URLShape] {
        // `\/` and the like are no escapes of an expression by ECMA-262, but everywhere else.
        if let pattern = try? Pattern(text) { rule.expressions.append(pattern) }
        let expression: PathExpression
        do {
            expression = try PathExpression(text)
        } catch {
            app.note(pointer, "is left out: \(error.detail)")
            app.addLost(
                .object([
                    "patterns": .array([.string(text)]), "properties": .object(rule.properties),
                ]))
            return []
        }
        if let lost = expression.lost { app.note(pointer, lost) }
        return expression.shapes
    }

    // MARK: - Screens

    private mutating func addScreens(
        _ shapes: [(pointer: JSONPointer, shape: URLShape)], into app: inout ImportedApp
    ) {
        var screens: [Screen] = []
        for (pointer, shape) in shapes {
            let texts = shape.paths.map(\.text)
            guard !screens.contains(where: { $0.shape.paths.map(\.text) == texts }) else {
                continue
            }
            let matching = rules.indices.filter { index in
                rules[index].expressions.contains { $0.matches(shape.sample) == .matches }
            }
            var properties = JSONObject()
            for index in matching.reversed() {
                for member in rules[index].properties.members
                where !properties.contains(member.key) {
                    properties.append(member.key, member.value)
                }
            }
            screens.append(
                Screen(pointer: pointer, shape: shape, rules: matching, properties: properties))
        }
        var pushed: [String] = []
        var kept: [String] = []
        for (index, screen) in screens.enumerated() {
            let (route, isSheet) = addRoute(screen, noting: &kept, into: &app)
            if !isSheet { pushed.append(route) }
            for lost in screen.shape.lost { app.note(screen.pointer, lost) }
            let later = screens[(index + 1)...].flatMap(\.shape.paths)
            // Of two screens with one pattern, the later rule counts.
            for pattern in screen.shape.paths
            where !later.contains(where: { $0.text == pattern.text }) {
                let place = ImportedParam.screen(route, pattern.names)
                let start = host.map { "https://\($0)" } ?? ""
                app.addLink(
                    ImportedLink(
                        pattern: start + pattern.text,
                        body: isSheet ? ["present": place.asScreen] : ["path": .array([place])],
                        source: screen.pointer))
            }
        }
        app.tabs = [
            ["id": .string("main"), "routes": .array(pushed.map { JSON.string($0) })]
        ]
        noteOverlaps(screens, into: &app)
    }

    private func addRoute(
        _ screen: Screen, noting kept: inout [String], into app: inout ImportedApp
    ) -> (name: String, isSheet: Bool) {
        var body = JSONObject()
        let style = Self.style(screen.properties)
        if let style { body.append("presentation", .string(style)) }
        if case .string(let title)? = screen.properties["title"] {
            body.append("title", .string(title))
        }
        if case .string(let text)? = screen.properties["presentation"],
            let mode = Self.modes.first(where: { $0.presentation == text })?.mode
        {
            body.append("mode", .string(mode))
        }
        if let schema = ImportedParam.schema(screen.shape.params) { body.append("params", schema) }
        for member in screen.properties.members
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
        let isRoot = screen.shape.paths.first?.text == "/"
        let name = words.isEmpty ? (isRoot ? "home" : "page") : words.joined(separator: " ")
        return (app.addRoute(name, body), style != nil)
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

    /// Notes pairs of shapes that have URLs in common, where the properties of both would count.
    private func noteOverlaps(_ screens: [Screen], into app: inout ImportedApp) {
        for (index, later) in screens.enumerated() {
            for earlier in screens[..<index] {
                let isCovered =
                    Set(later.rules).isSuperset(of: earlier.rules)
                    || Set(earlier.rules).isSuperset(of: later.rules)
                guard !isCovered, URLShape.overlap(later.shape.pieces, earlier.shape.pieces) else {
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
}

extension JSON {
    /// An item of a path as the object that `present` has.
    fileprivate var asScreen: JSON {
        if case .string = self { .object(["route": self]) } else { self }
    }
}
