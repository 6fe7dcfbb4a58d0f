import API
import HTTP
import TestSupport
import Testing

/// Scripts and the modules that they import, as one text.
@Suite struct ModuleJoinerTests {
    /// The script `/a.js` of these modules.
    private static func joined(_ modules: [String: String]) throws(ModuleError) -> String {
        let bytes = try ModuleJoiner.script(at: "/a.js") { path in
            modules[path].map { Array($0.utf8) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func served(_ path: String) throws -> String {
        let answer = try Client().call("GET", path)
        #expect(answer.status == 200 && answer.response.contentType == .javaScript, "\(path)")
        return answer.text
    }

    @Test(arguments: [
        "", "\n", "start();", "export const a = 1;\n\n", "// import { a } from \"./b.js\";\n",
        " import x\n/** @type {import(\"./b.js\").B} */\nimports();\nexported();\r\n",
        "export async function a() {}\nexport class B {\n}\n", "const text = \"ä\0\";\n",
    ])
    func `a script that imports nothing is not changed`(text: String) throws {
        #expect(try Self.joined(["/a.js": text]) == text)
    }

    @Test func `what a script imports is in front of it, as functions that are called`() throws {
        let text = try Self.joined([
            "/a.js": """
            // The page.
            import { b, Other } from "./parts/b.js";
            import { c } from "./parts/c.js";
            export const d = await b(c);

            """,
            "/parts/b.js": """
            import { c } from "./c.js";
            export async function b(x) {
                return x + c;
            }
            export class Other {}

            """,
            "/parts/c.js": "export const c = 1, hidden = 2;",
        ])
        let expected = """
            // /parts/c.js
            const $1 = (() => {
            const c = 1, hidden = 2;
            return { c };
            })();
            // /parts/b.js
            const $2 = (() => {
            const { c } = $1;
            async function b(x) {
                return x + c;
            }
            class Other {}

            return { b, Other };
            })();
            // The page.
            const { b, Other } = $2;
            const { c } = $1;
            export const d = await b(c);

            """
        #expect(text == expected)
    }

    @Test func `modules run in the order in which a browser runs them`() throws {
        // A browser runs a module after its imports, and those in the order of their lines.
        let imports = ["/a.js": "db", "/b.js": "ce", "/c.js": "e", "/d.js": "c", "/e.js": ""]
        let modules = imports.mapValues { names in
            names.map { "import { \($0) } from \"./\($0).js\";\n" }.joined()
        }
        let texts = modules.map { path, text in
            (path, text + "export const \(path.dropFirst().dropLast(3)) = 0;")
        }
        let text = try Self.joined(Dictionary(uniqueKeysWithValues: texts))
        let order = text.split(separator: "\n").filter { $0.hasPrefix("// /") }
        #expect(order == ["// /e.js", "// /c.js", "// /d.js", "// /b.js"])
    }

    @Test(
        arguments: [
            ("/one/two/a.js", "./b.js", "/one/two/b.js"), ("/one/a.js", "../b.js", "/b.js"),
            ("/one/two/a.js", "../../b.js", "/b.js"), ("/one/a.js", "./x/b.js", "/one/x/b.js"),
            ("/a.js", "./b.js", "/b.js"), ("/one/a.js", "./../b.js", "/b.js"),
        ])
    func `a reference is resolved as in a URL`(from: String, target: String, path: String) throws {
        var asked: [String] = []
        let text = Array("import { b } from \"\(target)\";".utf8)
        #expect(throws: ModuleError.missing(path)) {
            _ = try ModuleJoiner.script(at: from) { other in
                asked.append(other)
                return other == from ? text : nil
            }
        }
        #expect(asked == [from, path])
    }

    @Test(arguments: [
        "import { a as b } from \"./b.js\";", "import b from \"./b.js\";", "import \"./b.js\";",
        "import * as b from \"./b.js\";", "import { b } from './b.js';",
        "import {b} from \"./b.js\";",
        "import { b } from \"./b.js\"", "import { b } from \"./b.js\"; // why", "import {",
        "import { b } from \"b.js\";", "import { b } from \"/b.js\";", "import { b } from \"\";",
        "import { b } from \"../b.js\";", "import { b } from \"./\";",
        "import { } from \"./b.js\";",
        "import { 1b } from \"./b.js\";", "import { b, } from \"./b.js\";",
        "import { b } from \"./.../b.js\";", "import { $1 } from \"./b.js\";",
        "export default b;", "export { b };", "export * from \"./b.js\";", "export let b = 1;",
        "export var b = 1;", "export const { b } = c;", "export function* b() {}", "export async",
        "export const", "export function (", "export const $1 = 1;", "export ",
    ])
    func `any other form is refused`(line: String) {
        #expect(throws: ModuleError.unknownForm(line, in: "/a.js")) {
            try Self.joined(["/a.js": "// first\n\(line)\n", "/b.js": "export const b = 1;"])
        }
    }

    @Test func `modules that import each other are refused`() {
        let modules = [
            "/a.js": "import { b } from \"./b.js\";", "/b.js": "import { c } from \"./c.js\";",
            "/c.js": "import { b } from \"./b.js\";\nexport const c = 1;",
        ]
        #expect(throws: ModuleError.circular("/b.js")) { try Self.joined(modules) }
        #expect(throws: ModuleError.circular("/a.js")) {
            try Self.joined(["/a.js": "import { a } from \"./a.js\";\nexport const a = 1;"])
        }
    }

    @Test func `a name that a module does not export is refused`() {
        let script = "import { b, c } from \"./b.js\";"
        let module = "export function b() {}\nconst c = 1;"
        #expect(throws: ModuleError.notExported("c", by: "/b.js")) {
            try Self.joined(["/a.js": script, "/b.js": module])
        }
    }

    @Test func `a module that is missing is named`() {
        let script = "import { b } from \"./b.js\";"
        #expect(throws: ModuleError.missing("/b.js")) { try Self.joined(["/a.js": script]) }
        #expect(throws: ModuleError.missing("/a.js")) { try Self.joined([:]) }
    }

    @Test(arguments: EmbeddedDocument.scripts)
    func `each embedded script is served with what it imports`(path: String) throws {
        let lines = try Self.served(path).split(separator: "\n")
        #expect(!lines.isEmpty)
        // In front of a module is its path; an `import` would be another request.
        #expect(!lines.contains { $0.hasPrefix("import ") })
        let modules = lines.filter { $0.hasPrefix("// /") }
        #expect(Set(modules).count == modules.count)
        #expect(lines.count { $0.hasPrefix("const $") } == modules.count)
        // The joiner's names are no module's own.
        let own = lines.filter { !$0.hasPrefix("const $") && !$0.contains("} = $") }
        #expect(!own.contains { $0.hasPrefix("const $") || $0.hasPrefix("function $") })
    }

    @Test(arguments: ["/", "/display", "/docs", "/problems"])
    func `a page names one module, and needs no other`(path: String) throws {
        let accept = ["Accept": "text/html"]
        let page = try Client().call("GET", path, nil, accept).text
        let modules = page.split(separator: "\n").filter { $0.contains("type=\"module\"") }
        #expect(modules.count == 1)
        #expect(!page.contains("modulepreload"))
        let name = try #require(modules.first?.split(separator: "\"").first { $0.hasPrefix("/") })
        #expect(EmbeddedDocument.scripts.contains(String(name)))
    }

    @Test func `the console is one script, with the client for JavaScript in it`() throws {
        let console = try Self.served("/console/main.js")
        for module in ["/navstate.js", "/console/dom.js", "/console/sessions.js"] {
            #expect(console.contains("\n// \(module)\n") || console.hasPrefix("// \(module)\n"))
        }
        #expect(console.contains("follow();\n"))
        // The client is also served by itself, as a module that exports its function.
        #expect(try Self.served("/navstate.js").contains("\nexport function createClient("))
    }
}
