import API
import HTTP
import TestSupport
import Testing

/// The scripts of the pages, which are modules that import each other.
@Suite struct ModuleTests {
    private static func served(_ path: String) throws -> String {
        let answer = try Client().call("GET", path)
        #expect(answer.status == 200 && answer.response.contentType == .javaScript, "\(path)")
        return answer.text
    }

    /// The paths of the modules that a module imports, all of which are written `./a.js` or
    /// `../a.js`.
    private static func imports(of path: String) throws -> [String] {
        try served(path).split(separator: "\n").filter { $0.hasPrefix("import ") }.map { line in
            var folders = path.split(separator: "/").dropLast().map(String.init)
            let name = try #require(line.split(separator: "\"").dropFirst().first)
            for part in name.split(separator: "/") where part != "." {
                if part == ".." { folders.removeLast() } else { folders.append(String(part)) }
            }
            return "/" + folders.joined(separator: "/")
        }
    }

    private static func modules(of path: String) throws -> Set<String> {
        var found: Set = [path]
        var open = [path]
        while let module = open.popLast() {
            for name in try imports(of: module) where found.insert(name).inserted {
                open.append(name)
            }
        }
        return found
    }

    @Test(arguments: EmbeddedDocument.scripts)
    func `each embedded script is served with what it imports`(path: String) throws {
        for module in try Self.imports(of: path) {
            #expect(EmbeddedDocument.scripts.contains(module), "\(path) imports \(module)")
        }
    }

    @Test(arguments: ["/", "/display", "/docs", "/problems", "/problems/at-root"])
    func `a page names one module, and each that it needs to be loaded at once`(
        path: String
    ) throws {
        let page = try Client().call("GET", path, nil, ["Accept": "text/html"]).text
        func names(_ mark: String) -> [String] {
            page.split(separator: "\n").filter { $0.contains(mark) }
                .compactMap { $0.split(separator: "\"").first { $0.hasPrefix("/") } }
                .map(String.init)
        }
        let module = try #require(names("type=\"module\"").first)
        #expect(names("type=\"module\"").count == 1)
        let preloaded = names("rel=\"modulepreload\"")
        #expect(Set(preloaded).count == preloaded.count)
        #expect(try Set(preloaded + [module]) == Self.modules(of: module))
    }

    @Test func `the modules of the console are one file`() throws {
        let bundle = try Self.served("/console/start.js")
        let lines = bundle.split(separator: "\n")
        #expect(!lines.contains { $0.hasPrefix("import ") || $0.hasPrefix("export ") })
        #expect(!lines.contains { $0.contains("import(\"./") && !$0.contains("@") })
        let modules = try Self.modules(of: "/console/main.js")
            .union(Self.modules(of: "/console/apps.js"))
        for path in modules {
            #expect(lines.count { $0 == "// \(path)" } == 1, "\(path)")
        }
        #expect(lines.count { $0.hasPrefix("// /") && $0.hasSuffix(".js") } == modules.count)
        #expect(bundle.contains("Promise.resolve().then(m"))
        #expect(bundle.contains("return import(\"/rules-session.js\")"))
        #expect(lines.last == "m0();")
    }
}
