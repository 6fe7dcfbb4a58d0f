import FoundationEssentials
import JSON
import Navigation
import Sessions
import Testing

/// The vectors of `docs/conformance/vectors`, with which libraries for clients test their own
/// functions, against ours.
@Suite struct VectorTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/conformance/vectors")

    /// The vectors of a kind. Fewer than `count` are a failure.
    private func vectors(_ kind: String, atLeast count: Int) throws -> [JSONObject] {
        let data = try Data(contentsOf: Self.folder.appending(path: "\(kind).json"))
        guard case .object(let file) = try JSON(parsing: Array(data)) else { throw NotAnObject() }
        #expect(file.string("kind") == kind)
        let found = file.objects("vectors")
        #expect(found.count >= count)
        return found
    }

    @Test func `every kind of vector has a test`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(
            files.sorted()
                == ["equality", "links", "merges", "schemas", "sessions", "steps"].map {
                    "\($0).json"
                })
    }

    @Test func `equality`() throws {
        for vector in try vectors("equality", atLeast: 13) {
            #expect(
                (vector["one"] == vector["other"]) == vector.flag("equal"),
                "\(vector.string("shows"))")
        }
    }

    @Test func `merge patches`() throws {
        for vector in try vectors("merges", atLeast: 18) {
            let target = try #require(vector["target"])
            let result = target.merging(try #require(vector["patch"]))
            #expect(result.text == vector["result"]?.text, "\(vector.string("shows"))")
        }
    }

    @Test func `schemas`() throws {
        for vector in try vectors("schemas", atLeast: 60) {
            let work = WorkBudget()
            var compiler = try SchemaCompiler(
                definitions: vector.object("definitions"),
                at: JSONPointer().appending("$defs"), work: work)
            let root = try compiler.add(try #require(vector["schema"]), at: JSONPointer())
            try compiler.settle()
            let schema = try #require(try compiler.schema(root))
            #expect(compiler.takeProblems() == [])
            let errors = try schema.validate(try #require(vector["value"]), work: work)
            let pointers = JSON.array(Set(errors.map { "\($0.pointer)" }).sorted().map(JSON.string))
            #expect(pointers == vector["errors"], "\(vector.string("shows"))")
        }
    }

    @Test func `links`() throws {
        for vector in try vectors("links", atLeast: 50) {
            guard case .array(let patterns)? = vector["patterns"] else { throw NotAnObject() }
            let app = try Self.app(patterns.compactMap(\.plainText))
            let goal = try app.resolve(vector.string("url"), work: WorkBudget())
            let matches = goal?.pattern.map(JSON.string) ?? .null
            #expect(matches == vector["matches"], "\(vector.string("shows"))")
            if let goal {
                let params = try #require(goal.path?.first).params
                let captures = JSON.object(params.object)
                #expect(captures == vector["captures"], "\(vector.string("shows"))")
            }
        }
    }

    /// An app with a link for each pattern, which makes params of its captures.
    private static func app(_ patterns: [String]) throws -> App {
        var routes = JSONObject()
        var links: [JSON] = []
        for (index, pattern) in patterns.enumerated() {
            let names = pattern.split(separator: "{").dropFirst().map { part in
                String(part.prefix { !"}*?".contains($0) })
            }
            let text = JSON.object(JSONObject([("type", .string("string"))]))
            let properties = JSONObject(names.map { ($0, text) })
            let schema = JSONObject([("properties", .object(properties))])
            routes.append("r\(index)", .object(JSONObject([("params", .object(schema))])))
            let params = JSONObject(names.map { ($0, .string("{\($0)}")) })
            let screen = JSONObject([("route", .string("r\(index)")), ("params", .object(params))])
            links.append(
                .object(
                    JSONObject([
                        ("pattern", .string(pattern)), ("path", .array([.object(screen)])),
                    ])))
        }
        let names = routes.members.map { JSON.string($0.key) }
        let tab = JSONObject([("id", .string("t")), ("routes", .array(names))])
        let document = JSONObject([
            ("routes", .object(routes)), ("tabs", .array([.object(tab)])), ("links", .array(links)),
        ])
        return try NavigationTests.app(JSON.object(document).text)
    }

    @Test func `steps`() throws {
        for vector in try vectors("steps", atLeast: 23) {
            let start = try state(vector.object("from"))
            let goal = try state(vector.object("to"))
            let steps = SessionEncoder.encode(start.steps(to: goal, app: nil), app: nil)
            #expect(
                try JSON(parsing: steps).text == vector["steps"]?.text, "\(vector.string("shows"))")
        }
    }

    private func state(_ body: JSONObject) throws -> NavigationState {
        try restore(JSON.object(body).text).state(nextEntry: 1, app: nil).state
    }

    @Test func `sessions as text`() throws {
        for vector in try vectors("sessions", atLeast: 16) {
            let app = try vector["app"].map { try NavigationTests.app($0.text) }
            let text = vector.string("text")
            let request = try restore(text)
            var restored = try request.state(nextEntry: 1, app: app)
            if let app {
                restored = try restored.reconciled(with: app, work: WorkBudget())
                #expect(restored.losses == Losses())
            }
            var session = Session(
                id: SessionID(trusted: "s"), app: request.app, settings: request.settings,
                at: World.noon, state: restored.state, nextEntry: restored.nextEntry)
            session.facts = restored.facts
            session.pending = restored.pending
            #expect(World(session, app: app).text == text, "\(vector.string("shows"))")
        }
    }
}
