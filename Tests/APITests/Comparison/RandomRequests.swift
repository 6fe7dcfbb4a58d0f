import JSON
import TestSupport

/// Random requests to a session of an app: most are valid, and some have a fault.
struct RandomRequests {
    private let app: JSONObject
    private let routes: [String]
    private let tabs: [String]
    private let links: [String]
    private let factNames: [String]
    private var random: SplitMix64

    init(_ document: JSON, _ random: SplitMix64) {
        let members = document.members
        app = members
        routes = members["routes"]?.members.members.map(\.key) ?? []
        tabs = (members["tabs"]?.array ?? []).compactMap { $0["id"]?.string }
        links = (members["links"]?.array ?? []).compactMap { $0["pattern"]?.string }
        factNames = members["facts"]?.members.members.map(\.key) ?? []
        self.random = random
    }

    /// A request to the session.
    enum Request {
        case command(name: String, body: String, strict: Bool)
        case put(String)
        case patch(String)
        /// Milliseconds that pass.
        case wait(Int64)
    }

    /// - Parameter state: the session as it is.
    mutating func next(_ state: JSON) -> Request {
        switch random.below(40) {
        case 0: return .put(restored(state))
        case 1: return .patch(patch())
        case 2: return .wait(Int64(random.one(of: [1, 900, 1_000, 5_000, 61_000, 130_000])))
        default:
            let name = random.one(of: Self.names)
            var body = JSON.object(members(of: name, state)).text
            if random.oneIn(60) { body = random.one(of: Self.broken) }
            return .command(name: name, body: body, strict: random.oneIn(8))
        }
    }

    /// The body of a creation, without the app.
    mutating func creation() -> JSONObject {
        var body = JSONObject()
        if random.oneIn(4) { body["url"] = .string(url()) }
        if random.oneIn(4), case .object(let templates)? = app["templates"] {
            body["template"] = .string(
                random.oneIn(8) ? "nothing" : random.one(of: templates.members).key)
        }
        if random.oneIn(3) { body["facts"] = facts() }
        if random.oneIn(6) { body["selectedTab"] = .string(tab()) }
        if random.oneIn(8) { body["ttlSeconds"] = .integer(200) }
        if random.oneIn(8) { body["labels"] = .object(["room": .string("é")]) }
        if random.oneIn(12) { body["idle"] = idle() }
        if random.oneIn(20) { body["other"] = .bool(true) }
        return body
    }

    private static let names = [
        "navigate", "navigate", "navigate", "navigate", "present", "present", "back", "root",
        "dismiss", "select", "open", "open", "setPath", "setParams", "setBadge", "setTabs",
        "setFacts", "setFacts", "batch", "undo", "undo", "redo", "jump",
    ]
    private static let broken = [
        "", "[]", "{", "{\"route\":\"a\",\"route\":\"b\"}", "{\"route\": 1}", "{ }",
        "{\"\(String(repeating: "x", count: 300))\":1}", "{\"route\":\"\\ud800\"}",
    ]

    // MARK: - Bodies

    private mutating func members(of name: String, _ state: JSON) -> JSONObject {
        var body = JSONObject()
        switch name {
        case "navigate":
            show(&body)
            if random.oneIn(3) {
                body["mode"] = .string(
                    random.one(of: ["push", "single", "popTo", "toFront", "replace", "reset", "x"]))
            }
            if random.oneIn(3) { body["in"] = .string(random.oneIn(2) ? tab() : id(state)) }
            if random.oneIn(5) { body["locked"] = .bool(random.oneIn(2)) }
            if random.oneIn(5) { body["select"] = .bool(random.oneIn(2)) }
            clear(&body)
        case "present": present(&body)
        case "back": back(&body, state)
        case "root":
            if random.oneIn(2) { body["scope"] = .string(random.one(of: ["tab", "path", "all"])) }
            clear(&body)
        case "dismiss": dismiss(&body, state)
        case "select":
            body["tab"] = .string(tab())
            if random.oneIn(4) { body["reselect"] = .string("none") }
            if random.oneIn(4) { body["params"] = .object(["q": text()]) }
            if random.oneIn(5) { body["root"] = .bool(true) }
            clear(&body)
        case "open":
            body["url"] = .string(url())
            if random.oneIn(3) {
                body["mode"] = .string(random.one(of: ["replace", "push", "update"]))
            }
            if random.oneIn(6) { body["tab"] = .string(tab()) }
            clear(&body)
        case "setPath":
            body["in"] = .string(random.oneIn(3) ? id(state) : tab())
            body["path"] = path(3, state)
            clear(&body)
        case "setParams":
            if !random.oneIn(3) {
                body["entry"] = .string(random.oneIn(4) ? tab() : id(state))
            }
            if !random.oneIn(4) { body["params"] = params(of: route()) }
            if random.oneIn(4) { body["locked"] = .bool(random.oneIn(2)) }
            if random.oneIn(3) { body["mode"] = .string("replace") }
        case "setBadge":
            body["tab"] = .string(tab())
            body["badge"] = random.one(of: [.integer(3), .string("neu"), .null, .integer(-1)])
        case "setTabs":
            if random.oneIn(2) {
                body["order"] = .array(tabs.shuffled(using: &random).map(JSON.string))
            }
            if random.oneIn(2) { body["hidden"] = .array([.string(tab())]) }
        case "setFacts": body["facts"] = facts()
        case "undo", "redo":
            if random.oneIn(3) { body["count"] = .integer(Int64(random.below(5))) }
        case "batch":
            let names = (0..<1 + random.below(4)).map { _ in random.one(of: Self.names) }
            body["commands"] = .array(
                names.map { name in
                    let inner = name == "batch" ? JSONObject() : members(of: name, state)
                    return .object(
                        JSONObject(
                            [("command", .string(name))] + inner.members.map { ($0.key, $0.value) })
                    )
                })
        default: break
        }
        if random.oneIn(50) { body["unknown"] = .integer(1) }
        return body
    }

    private mutating func present(_ body: inout JSONObject) {
        show(&body)
        if random.oneIn(3) {
            body["style"] = .string(
                random.one(of: [
                    "sheet", "fullScreenCover", "popover", "inspector", "alert",
                    "confirmationDialog",
                ]))
        }
        if random.oneIn(4) { body["tag"] = .string(random.one(of: ["v", "m", "guest"])) }
        if random.oneIn(6) { body["detents"] = .array([.string("medium")]) }
        if random.oneIn(4) { body["dismissible"] = .bool(random.oneIn(2)) }
        if random.oneIn(4) { body["ttlSeconds"] = .integer(Int64(1 + random.below(90))) }
        if random.oneIn(4) { body["path"] = path(2, nil) }
        if random.oneIn(6) { body["anchor"] = .string("bell") }
        if random.oneIn(6) { body["title"] = .string("Sure?") }
        if random.oneIn(6) { body["force"] = .bool(true) }
    }

    private mutating func back(_ body: inout JSONObject, _ state: JSON) {
        switch random.below(5) {
        case 0: body["count"] = .integer(Int64(random.below(4)))
        case 1: body["to"] = .object(["entry": .string(random.oneIn(3) ? tab() : id(state))])
        case 2: body["to"] = .object(["route": .string(route())])
        case 3: body["to"] = .object(["mark": .string("here")])
        default: break
        }
        if random.oneIn(4) { body["inclusive"] = .bool(true) }
        if random.oneIn(4) { body["within"] = .string("path") }
        if random.oneIn(5) { body["force"] = .bool(true) }
    }

    private mutating func dismiss(_ body: inout JSONObject, _ state: JSON) {
        switch random.below(5) {
        case 0: body["sheet"] = .string(id(state))
        case 1: body["all"] = .bool(true)
        case 2: body["tag"] = .string(random.one(of: ["v", "m", "x"]))
        default: break
        }
        if random.oneIn(3) { body["force"] = .bool(true) }
        if random.oneIn(3) {
            body["result"] = random.one(
                of: [.bool(true), .integer(2), .object(["paid": .bool(true)]), .null])
        }
        if random.oneIn(3) {
            body["button"] = .string(random.one(of: ["cancel", "keep", "ok", "kep"]))
        }
    }

    private mutating func show(_ body: inout JSONObject) {
        let name = route()
        body["route"] = .string(name)
        if !random.oneIn(8) { body["params"] = params(of: name) }
        if random.oneIn(4) { body["mark"] = .string(random.one(of: ["here", "there"])) }
    }

    private mutating func clear(_ body: inout JSONObject) {
        if random.oneIn(4) {
            body["sheets"] = .string(random.one(of: ["keep", "dismiss", "reject", "force"]))
        }
        if random.oneIn(6) { body["force"] = .bool(true) }
    }

    private mutating func path(_ countMax: Int, _ state: JSON?) -> JSON {
        .array(
            (0..<random.below(countMax + 1)).map { _ in
                var item = JSONObject()
                show(&item)
                if let state, random.oneIn(3) { item["id"] = .string(id(state)) }
                return .object(item)
            })
    }

    private mutating func restored(_ state: JSON) -> String {
        guard case .object(var body) = state else { return "{}" }
        switch random.below(5) {
        case 0: body["selectedTab"] = .string(tab())
        case 1: body["sheets"] = .array([])
        case 2: body["facts"] = facts()
        case 3: body["tabs"] = .array((body["tabs"]?.array ?? []).reversed())
        default: break
        }
        return JSON.object(body).text
    }

    private mutating func patch() -> String {
        var body = JSONObject()
        if random.oneIn(2) { body["labels"] = .object(["a": .string("b"), "room": .null]) }
        if random.oneIn(4) { body["ttlSeconds"] = .integer(Int64(random.one(of: [50, 500]))) }
        if random.oneIn(4) { body["idle"] = random.oneIn(3) ? .null : idle() }
        return JSON.object(body).text
    }

    private mutating func idle() -> JSON {
        .object([
            "seconds": .integer(Int64(1 + random.below(60))),
            "command": .object(
                random.oneIn(2)
                    ? ["command": .string("back")]
                    : ["command": .string("navigate"), "route": .string(route())]),
        ])
    }

    // MARK: - Names and values

    private mutating func route() -> String {
        random.oneIn(40) ? "raum" : random.one(of: routes)
    }

    private mutating func tab() -> String { random.oneIn(30) ? "serch" : random.one(of: tabs) }

    private mutating func id(_ state: JSON) -> String {
        "e\(random.below(max(2, state["nextEntry"]?.integer ?? 2)))"
    }

    private mutating func text() -> JSON { .string(random.one(of: ["a", "7", "ü/ñ", "", "soup"])) }

    private mutating func facts() -> JSON {
        var facts = JSONObject()
        for name in factNames where random.oneIn(2) {
            facts[name] = random.one(
                of: [
                    .bool(true), .bool(true), .bool(false), .integer(3), .integer(2), .null,
                    .string("open"), .string("clerk"),
                ])
        }
        if random.oneIn(20) { facts["signdIn"] = .bool(true) }
        return .object(facts)
    }

    private mutating func url() -> String {
        if links.isEmpty || random.oneIn(12) { return random.one(of: ["hotel://x", "/none", "%"]) }
        var url = ""
        var isInside = false
        for character in random.one(of: links) {
            if character == "}" {
                isInside = false
                url += random.one(of: ["7", "soup", "a%2Fb", "3.5"])
            } else if character == "{" {
                isInside = true
            } else if !isInside {
                url.append(character)
            }
        }
        return url
    }

    private mutating func params(of route: String) -> JSON {
        if random.oneIn(15) { return .object(["surplus": .integer(1)]) }
        guard let schema = app["routes"]?[route]?["params"] else { return .object(JSONObject()) }
        return sample(schema)
    }

    private mutating func sample(_ schema: JSON) -> JSON {
        if let name = schema["$ref"]?.string {
            return sample(app["$defs"]?[String(name.dropFirst("#/$defs/".count))] ?? .null)
        }
        if let values = schema["enum"]?.array { return random.one(of: values) }
        guard case .object(let members)? = schema["properties"] else {
            switch schema["type"]?.string {
            case "string": return text()
            case "integer": return .integer(Int64(random.below(4)))
            case "number": return .double(1.5)
            case "boolean": return .bool(random.oneIn(2))
            default: return .object(JSONObject())
            }
        }
        let required = (schema["required"]?.array ?? []).compactMap(\.string)
        var object = JSONObject()
        for member in members.members {
            let isRequired = required.contains { $0 == member.key }
            if isRequired ? !random.oneIn(30) : random.oneIn(2) {
                object[member.key] = sample(member.value)
            }
        }
        return .object(object)
    }
}

extension JSON {
    /// The members of an object; none of another value.
    fileprivate var members: JSONObject {
        if case .object(let object) = self { object } else { JSONObject() }
    }
}
