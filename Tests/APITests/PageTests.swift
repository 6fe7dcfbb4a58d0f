import API
import FoundationEssentials
import HTTP
import JSON
import Navigation
import TestSupport
import Testing

/// The pages: the display, and those about problems.
@Suite struct PageTests {
    /// The request of a browser when somebody opens an address.
    private static let browser = [
        "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    ]

    private static func problems() throws -> [JSON] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = try Data(contentsOf: root.appending(path: "Sources/Assets/problems.json"))
        guard case .array(let items) = try JSON(parsing: Array(file)) else {
            Issue.record("the file is no list")
            return []
        }
        return items
    }

    @Test func `every problem has its cause and its advice, in sentences`() throws {
        let items = try Self.problems()
        let types = items.compactMap { $0["type"]?.string }
        #expect(Set(types) == Set(ProblemKind.allCases.map(\.rawValue)))
        #expect(types.count == ProblemKind.allCases.count)
        for item in items {
            let type = item["type"]?.string ?? ""
            for name in ["cause", "advice"] {
                let text = item[name]?.string ?? ""
                #expect(text.count > 40 && text.hasSuffix("."), "\(type) \(name)")
            }
        }
    }

    @Test func `the examples show the problem that they are about`() throws {
        for item in try Self.problems() {
            let type = item["type"]?.string ?? ""
            let kind = try #require(ProblemKind(rawValue: type))
            guard let answer = item["answer"], answer != .null else {
                #expect(item["request"]?.string == "", "\(type)")
                continue
            }
            #expect(item["request"]?.string?.contains("http://localhost:8080/") == true)
            #expect(answer["type"]?.string == "/problems/\(type)")
            #expect(answer["title"]?.string == kind.title)
            #expect(answer["status"] == .integer(Int64(kind.status.code)))
        }
    }

    @Test func `the problems are listed by status, each with a link to its page`() throws {
        let client = try Client()
        let page = try client.call("GET", "/problems", nil, Self.browser)
        #expect(page.status == 200)
        #expect(page.response.contentType == .html)
        #expect(page.response.value(of: "Vary") == "Accept")
        var statuses: [Int] = []
        for item in try Self.problems() {
            let type = item["type"]?.string ?? ""
            #expect(page.text.contains("href=\"/problems/\(type)\""), "\(type)")
            let code = ProblemKind(rawValue: type)?.status.code ?? 0
            if statuses.last != code { statuses.append(code) }
        }
        #expect(statuses == Set(statuses).sorted(), "the order of the file")
    }

    @Test(arguments: ProblemKind.allCases)
    func `each problem has a page that needs no script`(kind: ProblemKind) throws {
        let client = try Client()
        let page = try client.call("GET", "/problems/\(kind.rawValue)", nil, Self.browser)
        #expect(page.status == 200)
        #expect(page.text.contains("<code>\(kind.rawValue)</code>"))
        #expect(page.text.contains("\(kind.status.code) \(kind.status.reason)"))
        #expect(page.text.contains("<h2>Cause</h2>") && page.text.contains("<h2>What to do</h2>"))
        #expect(page.text.contains("href=\"/problems\""))
        #expect(!page.text.contains("<script>") && !page.text.contains("style="))
        let policy = page.response.value(of: "Content-Security-Policy")
        #expect(policy?.hasPrefix("default-src 'none'; script-src 'self';") == true)
    }

    @Test func `the rules are WebAssembly that is sent compressed`() throws {
        let answer = try Client().call("GET", "/rules.wasm")
        #expect(answer.response.contentType?.value == "application/wasm")
        #expect(answer.response.value(of: "Content-Encoding") == "gzip")
        #expect(answer.response.value(of: "X-Content-Type-Options") == "nosniff")
        #expect(answer.response.value(of: "Vary") == "Accept-Encoding")
        #expect(answer.response.body.starts(with: [0x1F, 0x8B]))
    }

    @Test func `the rules are shorter for clients that take Brotli`() throws {
        let client = try Client()
        let packed = try client.call("GET", "/rules.wasm").response
        let shorter = try client.call(
            "GET", "/rules.wasm", nil, ["Accept-Encoding": "gzip, deflate, br"]
        ).response
        #expect(shorter.contentType?.value == "application/wasm")
        #expect(shorter.value(of: "Content-Encoding") == "br")
        #expect(shorter.value(of: "Vary") == "Accept-Encoding")
        #expect(shorter.body.count <= 450 << 10 && shorter.body.count < packed.body.count)
        #expect(shorter.etag != packed.etag)
        #expect(try client.call("GET", "/rules.wasm.br").status == 404)
    }

    @Test func `only pages that have the rules may carry out WebAssembly`() throws {
        let client = try Client()
        for (path, mayRun) in [("/display", true), ("/", false), ("/docs", false)] {
            let page = try client.call("GET", path, nil, Self.browser).response
            let policy = page.value(of: "Content-Security-Policy") ?? ""
            #expect(policy.contains("script-src 'self' 'wasm-unsafe-eval';") == mayRun, "\(path)")
            #expect(policy.contains("script-src 'self'") && !policy.contains("'unsafe-eval'"))
        }
    }

    @Test func `what is in an example is text, and not markup`() throws {
        let client = try Client()
        let page = try client.call("GET", "/problems/limit-exceeded", nil, Self.browser).text
        #expect(page.contains("&quot;"))
        for item in try Self.problems() {
            let request = item["request"]?.string ?? ""
            #expect(request.contains("<") == false, "the quickest way to a broken page")
        }
    }

    @Test(arguments: [nil, "*/*", "text/plain", "application/json", "text/html;q=0.1, */*"])
    func `others than browsers get a short page`(accept: String?) throws {
        let client = try Client()
        let fields = accept.map { ["Accept": $0] } ?? [:]
        let page = try client.call("GET", "/problems/at-root", nil, fields)
        #expect(page.status == 200)
        #expect(page.text.contains("<h1>Already at the root</h1>"))
        #expect(!page.text.contains("Cause"))
        #expect(page.response.value(of: "Vary") == "Accept")
        let list = try client.call("GET", "/problems", nil, fields)
        #expect(list.status == 200 && list.text.contains("href=\"/problems/at-root\""))
    }

    @Test func `an unknown problem is not found, and the list is named`() throws {
        let client = try Client()
        let answer = try client.call("GET", "/problems/at-rot")
        #expect(answer.problem == "not-found")
        #expect(answer.json["detail"]?.string?.contains("/problems") == true)
    }

    @Test(arguments: ["/nope", "/problems/at-rot", "/docs//", "/docs/x", "/v1/nope", "/v1/apps/"])
    func `a browser gets a page with a way on for an address that leads nowhere`(
        path: String
    ) throws {
        let client = try Client()
        let page = try client.call("GET", path, nil, Self.browser)
        #expect(page.status == 404 && page.response.contentType == .html)
        #expect(page.response.value(of: "Vary") == "Accept")
        #expect(page.response.caching == .never)
        for way in ["/", "/docs", "/problems"] {
            #expect(page.text.contains("href=\"\(way)\""), "\(way)")
        }
        #expect(try client.call("GET", path, nil, ["Accept": "*/*"]).problem == "not-found")
        let posted = try client.call("POST", path, "{}", Self.browser)
        #expect(posted.response.contentType == .problemJSON)
    }

    @Test(arguments: ["/docs", "/display", "/problems", "/openapi.json"])
    func `a slash at the end of a page's address does not count`(path: String) throws {
        let client = try Client()
        let plain = try client.call("GET", path, nil, Self.browser)
        let slashed = try client.call("GET", path + "/", nil, Self.browser)
        #expect(plain.status == 200 && slashed.status == 200)
        #expect(slashed.text == plain.text && slashed.etag == plain.etag)
        #expect(try client.call("GET", path + "//", nil, Self.browser).status == 404)
        #expect(try client.call("GET", "/livez/").problem == "not-found")
    }

    @Test func `the display and its parts are served without a token, like every page`() throws {
        let client = try Client.guarded(by: "owner admin\n")
        let page = try client.call("GET", "/display")
        #expect(page.status == 200 && page.response.contentType == .html)
        var parts = page.text.split(separator: "\"").map(String.init)
            .filter { $0.hasPrefix("/") && $0.contains(".") }
        #expect(parts.contains("/display/display.css") && parts.contains("/display/main.js"))
        #expect(parts.contains("/navstate-display.js"))
        parts += ["/console/problems.css", "/console/problems.js", "/console/docs-search.js"]
        for part in parts { #expect(try client.call("GET", part).status == 200, "\(part)") }
        #expect(try client.call("GET", "/display/none.js").problem == "not-found")
        // A file that is embedded for the program itself is no page.
        for path in ["/apps/chat", "/problems.html", "/agents.json", "/display/../apps/chat"] {
            #expect(try client.call("GET", path).problem == "not-found", "\(path)")
        }
    }

    @Test(
        arguments: [
            ("/sessions", "/v1/sessions"), ("/sessions/", "/v1/sessions"), ("/apps", "/v1/apps"),
            ("/sessions/s/back", "/v1/sessions/s/back"), ("/session", nil), ("/v2", nil),
            ("/x/y", nil),
        ] as [(String, String?)])
    func `a path without the version is proposed with it`(path: String, near: String?) throws {
        let answer = try Client().call("GET", path)
        #expect(answer.problem == "not-found")
        #expect(answer.json["near"]?[0]?.string == near)
    }
}
