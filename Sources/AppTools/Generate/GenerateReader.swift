internal import Bytes
internal import JSON
internal import Navigation

/// Something in a document that code cannot say.
public struct GeneratedFault: Sendable {
    public var pointer: String
    public var code: String
    public var detail: String
    public var isError = false
}

/// Reads the document of an app, which has been checked, as generated code sees it.
struct AppModelReader {
    var model: AppModel
    private(set) var faults: [GeneratedFault] = []
    let language: GeneratedLanguage
    private var known: Set<ExactString> = []
    /// The names of types, and where each of them comes from.
    private var typeNames: [ExactString: String] = [:]

    /// - Parameter name: the namespace, or nil for one that is named after the app.
    init(_ app: App, _ document: JSON, name: String?, in language: GeneratedLanguage) {
        model = AppModel(app, document)
        self.language = language
        model.name = name ?? app.id.rawValue.typeName
        if name == nil, GeneratedLanguage.types.contains(ExactString(model.name)) {
            model.name += "App"
        }
        for suffix in language.isSwift ? [] : ["", "Params", "Results", "Facts", "Screen"] {
            typeNames[ExactString(model.name + suffix)] = ""
        }
    }

    mutating func read() {
        let document = model.document.object
        readDefinitions(document["$defs"], prefix: "", at: JSONPointer())
        readRoutes(document["routes"])
        for member in document["facts"].members {
            let place = JSONPointer().appending("facts").appending(member.key)
            let schema = member.value.object["schema"] ?? .bool(true)
            let type = wholeType(
                of: schema, named: member.key.typeName, at: place.appending("schema"))
            model.facts.append(
                MemberModel(
                    name: memberName(member.key), key: member.key, type: type,
                    isRequired: true, fallback: member.value.object["default"],
                    notes: notes(of: member.value)))
        }
        claim(model.facts.map { ($0.name, $0.key) }, at: "/facts")
        readTabs()
        cutCycles()
        checkDefaults()
        readGuards(document["guards"])
        readGroups(document["groups"])
        checkRoots()
        readLinks()
    }

    mutating func refuse(
        _ pointer: String, code: String, _ detail: String, isError: Bool = true
    ) {
        // A definition may be read for several routes.
        guard known.insert(ExactString(pointer + " " + code)).inserted else { return }
        faults.append(
            GeneratedFault(pointer: pointer, code: code, detail: detail, isError: isError))
    }

    // MARK: - Names

    /// Refuses names that are equal as identifiers.
    ///
    /// - Parameters:
    ///   - names: the identifiers, and the members of the object at the pointer.
    ///   - byCapital: whether names that differ in the case of the first letter are equal, too.
    mutating func claim(
        _ names: [(name: String, key: String)], at pointer: String, byCapital: Bool = false
    ) {
        var scope: [ExactString: String] = [:]
        for (name, key) in names {
            let place = pointer + "/" + JSONPointer.escaped(key)
            let key = ExactString(byCapital ? name.capitalized : name)
            let other = scope.updateValue(place, forKey: key)
            if let other { refuse(place, becoming: name, as: other) }
        }
    }

    private mutating func refuse(_ pointer: String, becoming name: String, as other: String) {
        let place = other.isEmpty ? "a name of the generated code" : other
        refuse(pointer, code: "equal-names", "becomes \(name), as does \(place)")
    }

    /// The name of a member. In Swift a param with the name of the namespace would hide it.
    func memberName(_ key: String) -> String {
        let name = language.member(key)
        return language.isSwift && name == model.name ? name + "_" : name
    }

    /// Whether an enumeration with the keys of a route's params can have the name.
    private func hasNameOfKeys(_ name: String) -> Bool {
        language.isSwift && name.hasSuffix("CodingKeys") && name == name.capitalized
    }

    /// The name of a new type.
    private mutating func typeName(_ wanted: String, at place: JSONPointer) -> String {
        let isTaken =
            GeneratedLanguage.types.contains(ExactString(wanted)) || hasNameOfKeys(wanted)
        let name = isTaken ? wanted + "Value" : wanted
        let other = typeNames.updateValue(place.description, forKey: ExactString(name))
        if let other { refuse(place.description, becoming: name, as: other) }
        return name
    }

    /// Declares a type, and then what it consists of, so that its own types follow it.
    mutating func declare(
        _ name: String, at place: JSONPointer, _ form: (inout Self) -> TypeModel.Form
    ) -> ValueType {
        let index = model.types.count
        let name = typeName(name, at: place)
        model.types.append(TypeModel(name: name, place: place, form: .alias(.any)))
        model.typeIndexes[ExactString(name)] = index
        model.types[index].form = form(&self)
        return .named(name)
    }

    /// An enumeration of texts. Those that are equal count once.
    mutating func choice(_ keys: [String], at place: JSONPointer) -> TypeModel.Form {
        var known: Set<ExactString> = []
        let names = keys.filter { known.insert(ExactString($0)).inserted }.map { key in
            NameModel(name: language.constant(key), key: key)
        }
        claim(names.enumerated().map { ($1.name, String($0)) }, at: place.description)
        return .choice(names)
    }

    // MARK: - Routes

    private mutating func readRoutes(_ routes: JSON?) {
        for member in routes.members {
            guard let name = RouteName(member.key), let route = model.app.routes[name] else {
                continue
            }
            readRoute(member.key, route, body: member.value)
        }
        for tab in model.app.tabs
        where model.routeIndexes[ExactString(tab.root.route.rawValue)] == nil {
            readRoute(tab.root.route.rawValue, Route(), body: .null)
        }
        // Types and methods of a route have its name with a capital.
        claim(model.routes.map { ($0.name.name, $0.name.key) }, at: "/routes", byCapital: true)
    }

    private mutating func readRoute(_ key: String, _ route: Route, body: JSON) {
        let taken: Set<ExactString> = [
            "appID", "appDocument", "Tab", "Facts", "Guard", "CodingKeys", "Type", "Protocol",
            "AppLink", "AppTitle", "JSONValue", "RawValue", "Self", "fallbacks",
            ExactString(model.name),
        ]
        let name = key.identifier
        let isTaken =
            hasNameOfKeys(name) || language.isSwift && taken.contains(ExactString(name))
        var made = RouteModel(
            name: NameModel(name: isTaken ? name + "Screen" : name, key: key), route: route,
            notes: notes(of: body))
        let place = JSONPointer().appending("routes").appending(key)
        let words = body.object
        if let schema = words["params"] {
            made.params = params(schema, named: key.typeName, at: place.appending("params"))
        }
        if route.presentation.isDialog {
            let buttons = words["buttons"].map(\.items) ?? [.object(["id": .string("ok")])]
            let ids = buttons.compactMap { $0.object["id"]?.string }
            let inner = place.appending("buttons")
            made.answer = declare(key.typeName + "Button", at: inner) { $0.choice(ids, at: inner) }
        } else if let result = words["result"] {
            made.answer = wholeType(
                of: result, named: key.typeName + "Result", at: place.appending("result"))
        }
        made.guards =
            RouteName(key).flatMap { model.app.guards.ofRoutes[$0] }?.guards
            .map { language.guardName($0.name.rawValue) } ?? []
        model.routeIndexes[ExactString(key)] = model.routes.count
        model.routes.append(made)
    }

    /// The params of a route, which are an object with known members.
    private mutating func params(
        _ schema: JSON, named name: String, at place: JSONPointer
    ) -> [MemberModel] {
        let outer = definitions
        defer { definitions = outer }
        readDefinitions(schema.object["$defs"], prefix: name, at: place)
        let words = schema.object
        if let target = words["$ref"]?.string.flatMap(definition) {
            var type = ValueType.named(target.name)
            for _ in 0...model.types.count {
                guard case .named(let name) = type else { break }
                switch model.type(name) {
                case .alias(let other)?: type = other
                case .record(let members)?: return members
                case .choice?, nil: type = .any
                }
            }
        }
        guard words["properties"] != nil || words["additionalProperties"] == .bool(false) else {
            refuse(
                place.description, code: "no-properties", "has no type in code: give it properties")
            return []
        }
        return members(of: words, named: name, at: place)
    }

    // MARK: - Tabs, guards and groups

    private mutating func readTabs() {
        for tab in model.app.tabs {
            guard let root = model.routeIndexes[ExactString(tab.root.route.rawValue)] else {
                continue
            }
            let key = tab.id.rawValue
            let name = NameModel(name: language.constant(key), key: key)
            model.tabs.append(TabModel(name: name, tab: tab, root: root))
        }
        claim(model.tabs.enumerated().map { ($1.name.name, String($0)) }, at: "/tabs")
    }

    /// Refuses roots that cannot be written as values in code.
    private mutating func checkRoots() {
        guard !language.isTypeScript else { return }
        for (index, tab) in model.tabs.enumerated() {
            let given = tab.tab.root.params.object
            for param in model.routes[tab.root].params {
                let fault: String
                if let value = given[param.key] {
                    guard !model.fits(value, param.fullType) else { continue }
                    fault = "has a root with a \(param.key) that the type in code cannot have"
                } else {
                    guard param.isRequired else { continue }
                    fault = "has a root without the param \(param.key), which its route requires"
                }
                refuse("/tabs/\(index)", code: "no-root-params", fault)
            }
        }
    }

    private mutating func readGuards(_ guards: JSON?) {
        for member in guards.members {
            let name = NameModel(name: language.guardName(member.key), key: member.key)
            let when = member.value.object["when"].members
            let conditions = when.compactMap { condition in
                model.facts.first { $0.key == condition.key }.map { fact in
                    (fact, condition.value.isArray ? condition.value.items : [condition.value])
                }
            }
            model.guards.append(GuardModel(name: name, conditions: conditions))
        }
        claim(model.guards.map { ($0.name.name, $0.name.key) }, at: "/guards")
    }

    private mutating func readGroups(_ groups: JSON?) {
        var names: [ExactString: String] = [:]
        for member in groups.members {
            let place = JSONPointer().appending("groups").appending(member.key)
            names[ExactString(member.key)] = typeName(member.key.typeName + "Routing", at: place)
        }
        for member in groups.members {
            let name = names[ExactString(member.key)] ?? ""
            var group = GroupModel(name: NameModel(name: name, key: member.key))
            var known: Set<ExactString> = []
            for item in member.value.items.compactMap(\.string)
            where known.insert(ExactString(item)).inserted {
                if item.utf8.first == UInt8(ascii: "@") {
                    let other = names[ExactString(String(item.unicodeScalars.dropFirst()))]
                    if let other { group.groups.append(other) }
                } else if let route = model.routeIndexes[ExactString(item)] {
                    group.routes.append(route)
                }
            }
            model.groups.append(group)
        }
    }

    /// The definitions to which the schema that is being read can refer.
    var definitions: [ExactString: Definition] = [:]

    struct Definition {
        var schema: JSON
        var place: JSONPointer
        var name: String
    }
}

extension JSON {
    var object: JSONObject { if case .object(let object) = self { object } else { JSONObject() } }
    var items: [JSON] { if case .array(let items) = self { items } else { [] } }
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var isArray: Bool { if case .array = self { true } else { false } }
}

extension JSON? {
    var members: [JSONObject.Member] { self?.object.members ?? [] }
}
