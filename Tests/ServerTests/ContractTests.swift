import API
import FoundationEssentials
import HTTP
import JSON
import Navigation
import Testing

/// The description of the API and the server, compared both ways.
@Suite struct ContractTests {
    /// `GET /v1/sessions` and so on, with the operation's id.
    static func described() throws -> [String: String] {
        let data = try Data(contentsOf: StyleTests.root.appending(path: "openapi.yaml"))
        var (path, method) = ("", "")
        var found: [String: String] = [:]
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let indent = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indent)
            if indent == 0, !text.hasPrefix("#") { path = text == "paths:" ? "/" : "" }
            guard !path.isEmpty else { continue }
            if indent == 2, text.hasPrefix("/") { path = String(text.dropLast()) }
            if indent == 4 { method = text.dropLast().uppercased() }
            if indent == 6, text.hasPrefix("operationId: ") {
                found["\(method) \(anonymous(path))"] = String(text.dropFirst(13))
            }
        }
        return found
    }

    /// The template without the names of its variables.
    static func anonymous(_ template: String) -> String {
        template.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("{") ? "{}" : String($0) }.joined(separator: "/")
    }

    static let served = Set(
        Endpoint.all.map { "\($0.method.name) \(anonymous($0.template))" })

    /// The parts that the console and the API page load: nobody calls them by themselves.
    static let pageParts: Set<String> = [
        "GET /console.css", "GET /console/{}", "GET /docs.js", "GET /docs.css",
        "GET /display/{}",
    ]

    @Test func `what is served is described`() throws {
        let described = try Self.described()
        #expect(described.count > 30)
        for endpoint in Self.served.subtracting(Self.pageParts) {
            #expect(described[endpoint] != nil, "\(endpoint)")
        }
    }

    @Test func `the description has the version that the server answers, and all features`() throws
    {
        let data = try Data(contentsOf: StyleTests.root.appending(path: "openapi.yaml"))
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains("\n  version: \"\(Contract.version)\"\n"))
        for feature in Contract.Feature.allCases {
            #expect(text.contains("| `\(feature.rawValue)` |"), "\(feature)")
        }
    }

    @Test func `what is described is served`() throws {
        for (endpoint, id) in try Self.described() {
            #expect(Self.served.contains(endpoint), "\(endpoint) \(id)")
        }
    }

    // MARK: - Commands

    static func document() throws -> JSON {
        let data = try Data(
            contentsOf: StyleTests.root.appending(path: "Sources/Assets/openapi.json"))
        return try JSON(parsing: Array(data))
    }

    /// The members of a command's body by their names.
    static func members(of name: CommandName, in document: JSON) throws -> [String] {
        let path = "/v1/sessions/{id}/\(name.rawValue)"
        let content = document["paths"]?[path]?["post"]?["requestBody"]?["content"]
        let schema = content?["application/json"]?["schema"]?["$ref"]?.string ?? ""
        let type = schema.split(separator: "/").last.map(String.init) ?? ""
        guard case .object(let members)? = document["components"]?["schemas"]?[type]?["properties"]
        else {
            Issue.record("openapi.yaml has no schema for the body of \(name)")
            return []
        }
        return members.members.map(\.key)
    }

    @Test(arguments: CommandName.allCases)
    func `a command knows the members that are described, and no others`(
        name: CommandName
    ) throws {
        let described = try Self.members(of: name, in: Self.document())
        var body = JSONObject(described.map { ($0, .null) })
        body["noSuchMember"] = .null
        let error = #expect(throws: RejectionError.self) {
            try Command(name, body: body, limits: Limits(), work: WorkBudget())
        }
        guard case .invalidRequest(let faults)? = error else { return }
        let unknown = faults.filter { $0.detail.hasPrefix("is unknown") }.map(\.pointer)
        #expect(unknown == ["/noSuchMember"], "Command+Reading.swift and openapi.yaml differ")
    }
}

extension JSON {
    fileprivate subscript(key: String) -> JSON? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    fileprivate var string: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
