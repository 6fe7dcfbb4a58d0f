import FoundationEssentials
import JSON
import Navigation
import Testing

/// docs/app.schema.json says the same as the reader of apps.
@Suite struct AppSchemaTests {
    /// Rules that a schema cannot express: details of the reader for documents that are valid by
    /// the schema. They are about names that have to be declared or unique elsewhere in the
    /// document, about what schemas and patterns mean, and about commands that are carried out.
    private static let beyond = [
        "names the unknown", "is an unknown fact", "must not include itself",
        "is already used by another", "is required by the route", "takes no text",
        "names a member that the params", "names a route that", "leads back to itself",
        "must have a tab without a guard", "must name ", "which may not be pushed here",
        "which may not be presented as", "names a dialog that has no title",
        "which the pattern does not capture", "must not lead to its own pattern",
        "which nothing captures", "must have literal text between", "must have at most",
        "must have query values", "must have something behind #", "must not begin with //",
        "must not capture the same name twice", "must begin with a scheme",
        "must be a URL", "is not allowed: the route takes no params", "is required",
        "must be an integer, not a string", "must be a boolean, not an integer",
        "is only for routes that can be presented", "has too many combinations",
        "must be at most", "is too long", "must be the id",
        "is required for a dialog whose route", "is only for the styles alert",
        "must be absent: a dialog has no", "takes no value",
    ]

    private static func schema() throws -> JSONSchema {
        let value = try JSON(parsing: Array(try text(of: "docs/app.schema.json").utf8))
        var compiler = try SchemaCompiler(
            definitions: JSONObject(), at: JSONPointer(), work: .unlimited)
        let root = try compiler.add(value, at: JSONPointer())
        try compiler.settle()
        let schema = try compiler.schema(root)
        #expect(compiler.takeProblems().isEmpty)
        return try #require(schema)
    }

    private func agree(_ app: JSON, _ schema: JSONSchema, _ source: String) throws {
        let errors = try report(app).errors
        let faults = try schema.validate(app, at: JSONPointer(), work: .unlimited)
        guard errors.isEmpty else {
            let isBeyond = errors.allSatisfy { error in
                Self.beyond.contains { error.detail.contains($0) }
            }
            #expect(!faults.isEmpty || isBeyond, "\(source): \(errors) is valid by the schema")
            return
        }
        guard !faults.isEmpty else { return }
        // The commands of templates are read when they are tried.
        let id = try #require(AppID("app"))
        let tried = try AppReader.check(app, id: id, limits: Limits(), work: .unlimited)
        #expect(
            !tried.errors.isEmpty,
            "\(source): \(faults.map { "\($0.pointer) \($0.detail)" })")
    }

    @Test func `the example apps are valid, and name the schema`() throws {
        let schema = try Self.schema()
        for name in ["chat", "hierarchy", "routers", "shop", "social"] {
            let value = try JSON(parsing: Array(try text(of: "Examples/apps/\(name).json").utf8))
            #expect(try report(value).errors == [])
            #expect(try report(value).warnings == [])
            guard case .object(let object) = value else { continue }
            #expect(object.members.first?.key == "$schema")
            #expect(object.members.first?.value == .string("../../docs/app.schema.json"))
            try agree(value, schema, name)
        }
    }

    @Test func `every app of the contract's stories is valid or invalid by both`() throws {
        let schema = try Self.schema()
        let folder = root.appending(path: "docs/conformance/stories")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
        var count = 0
        for file in files {
            let text = try text(of: "docs/conformance/stories/\(file)")
                .replacing("$unique", with: "u")
            let limits = JSONLimits(nestingMax: 200, valuesMax: 10_000_000)
            var apps: [JSON] = []
            Self.collect(try JSON(parsing: Array(text.utf8), limits: limits), into: &apps)
            count += apps.count
            for app in apps { try agree(app, schema, file) }
        }
        #expect(count > 200)
    }

    /// The apps that stories begin with, and those that their requests store.
    private static func collect(_ value: JSON, into apps: inout [JSON]) {
        switch value {
        case .object(let object):
            if case .object? = object["app"], object["shows"] != nil, let app = object["app"] {
                apps.append(app)
            }
            if case .string(let request)? = object["request"], let body = object["body"],
                case .object = body, request.hasPrefix("PUT /v1/apps/")
            {
                apps.append(body)
            }
            for member in object.members { collect(member.value, into: &apps) }
        case .array(let items): for item in items { collect(item, into: &apps) }
        case .null, .bool, .integer, .double, .string: break
        }
    }

    @Test func `the schemas and the patterns of the contract's vectors are valid by both`() throws {
        let schema = try Self.schema()
        var count = 0
        for kind in ["schemas", "links"] {
            let file = try JSON(
                parsing: Array(try text(of: "docs/conformance/vectors/\(kind).json").utf8))
            guard case .object(let object) = file, case .array(let vectors)? = object["vectors"]
            else { continue }
            for case .object(let vector) in vectors {
                let app: JSONObject
                if let params = vector["schema"] {
                    app = [
                        "tabs": .array([.object(["id": .string("t")])]),
                        "routes": .object(["t": .object(["params": params])]),
                    ]
                } else {
                    guard case .array(let patterns)? = vector["patterns"] else { continue }
                    let links = patterns.map {
                        JSON.object(["pattern": $0, "tab": .string("t")])
                    }
                    app = [
                        "tabs": .array([.object(["id": .string("t")])]), "links": .array(links),
                    ]
                }
                count += 1
                try agree(.object(app), schema, kind)
            }
        }
        #expect(count > 100)
    }

    @Test(arguments: [
        (#"{"tabs":[{"id":"a"}],"x-any":[1],"description":"d"}"#, true),
        (#"{"tabs":[{"id":"a"}],"$schema":7}"#, false),
        (#"{"tabs":[]}"#, false), (#"{"tab":[{"id":"a"}]}"#, false), (#"[]"#, false),
        (#"{"tabs":[{"id":"a","x-y":1}],"routes":{"r":{"params":{"minimun":1}}}}"#, false),
        (#"{"tabs":[{"id":"a","routes":["r"]}],"routes":{"r":{"params":{"minimum":1}}}}"#, true),
        (#"{"tabs":[{"id":"a"}],"routes":{"r":{"presentation":["sheet","sheet"]}}}"#, false),
        (#"{"tabs":[{"id":"a"}],"routes":{"r":{"presentation":"alert","routes":[]}}}"#, false),
        (#"{"tabs":[{"id":"a"}],"routes":{"r":{"message":"m"}}}"#, false),
        (#"{"tabs":[{"id":"a"}],"routes":{"r":{"result":true}}}"#, false),
        (#"{"tabs":[{"id":"a"}],"links":[{"pattern":"/a"}]}"#, false),
        (#"{"tabs":[{"id":"a"}],"links":[{"pattern":"/a","redirect":"/b","tab":"a"}]}"#, false),
        (#"{"tabs":[{"id":"a"}],"links":[{"pattern":"/a","tab":"a","tabs":["a"]}]}"#, false),
        (#"{"tabs":[{"id":"a"}],"idle":{"seconds":9}}"#, false),
        (#"{"tabs":[{"id":"a"}],"guards":{"g":{}}}"#, false),
    ])
    func `a document is valid or invalid by both`(text: String, isValid: Bool) throws {
        let schema = try Self.schema()
        let value = try JSON(parsing: Array(text.utf8))
        #expect(try schema.isValid(value, work: .unlimited) == isValid, "\(text)")
        #expect(try report(value).errors.isEmpty == isValid, "\(text)")
    }
}
