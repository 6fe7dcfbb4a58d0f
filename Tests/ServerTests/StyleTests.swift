import Bytes
import FoundationEssentials
import Testing

/// The rules of the house style that a machine can see.
@Suite struct StyleTests {
    struct Source: CustomTestStringConvertible {
        var target: String
        var name: String
        var lines: [String]
        var testDescription: String { "\(target)/\(name)" }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// All Swift files below a folder, whose own folders are the targets.
    static func files(below folder: String) throws -> [Source] {
        let base = root.appending(path: folder)
        var found: [Source] = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: base.path()).sorted()
        where path.hasSuffix(".swift") {
            guard let slash = path.firstIndex(of: "/") else { continue }
            let data = try Data(contentsOf: base.appending(path: path))
            let lines = String(decoding: data, as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false)
            let name = String(path[path.index(after: slash)...])
            found.append(
                Source(target: String(path[..<slash]), name: name, lines: lines.map(String.init)))
        }
        try #require(found.count > 40, "the sources were not found")
        return found
    }

    /// The targets, and what each of them may import.
    static let arrows: [String: Set<String>] = [
        "Bytes": ["CBytes"],
        "JSON": ["Bytes"],
        "Navigation": ["JSON", "Bytes"],
        "HTTP": ["Bytes"],
        "NATS": ["JSON", "Bytes"],
        "Sessions": ["Navigation", "JSON", "Bytes"],
        "API": ["Sessions", "Navigation", "JSON", "HTTP", "Assets", "Bytes"],
        "POSIX": ["CLinux", "Glibc", "Bytes"],
        "Storage": ["Sessions", "Navigation", "JSON", "POSIX", "Bytes"],
        "Cluster": ["NATS", "Sessions", "Navigation", "JSON", "POSIX", "Bytes"],
        "Server": [
            "API", "HTTP", "JSON", "Navigation", "POSIX", "Sessions", "Bytes",
        ],
        "navstate": [
            "API", "HTTP", "JSON", "Navigation", "POSIX", "Server", "Sessions", "Storage",
            "Cluster", "Bytes", "AppTools", "NavstateRules", "Assets",
        ],
        "NavstateRules": ["Sessions", "Navigation", "JSON", "Bytes"],
        // It is compiled by its own script, for WebAssembly.
        "RulesModule": ["NavstateRules", "JSON", "Bytes", "CRulesModule"],
        "AppTools": ["NavstateRules", "Navigation", "JSON", "Bytes"],
        // It is built on Apple's platforms too, where there is no FoundationEssentials.
        "NavstateClient": [
            "NavstateRules", "JSON", "Foundation", "FoundationNetworking", "Observation",
            "SwiftUI",
        ],
        "NavstateTesting": [
            "NavstateClient", "NavstateRules", "Foundation", "Observation", "Testing", "XCTest",
        ],
    ]

    @Test func `targets import only what the table allows`() throws {
        for source in try Self.files(below: "Sources") {
            let allowed = Self.arrows[source.target, default: []]
                .union(["Synchronization", "FoundationEssentials"])
            for line in source.lines {
                let words = line.split(separator: " ")
                guard let keyword = words.firstIndex(of: "import"), keyword <= 1 else { continue }
                let module = String(words[keyword + 1])
                #expect(allowed.contains(module), "\(source.testDescription) imports \(module)")
            }
        }
    }

    /// The compiler inlines nothing across targets that is declared as `package`. Other packages
    /// can import only the products, which offer each other a few such declarations.
    @Test func `declarations for other targets are public, except those of products`() throws {
        let exempt = ["NavstateClient", "NavstateRules", "navstate"]
        for source in try Self.files(below: "Sources") where !exempt.contains(source.target) {
            for (number, line) in source.code.enumerated() {
                let words = line.split(separator: " ").drop { $0.hasPrefix("@") }
                #expect(words.first != "package", "\(source.testDescription):\(number + 1)")
            }
        }
    }

    @Test func `the rules have no key paths, which Embedded Swift does not know`() throws {
        let targets = ["Bytes", "JSON", "Navigation", "Sessions", "NavstateRules"]
        for source in try Self.files(below: "Sources") where targets.contains(source.target) {
            for (number, line) in source.code.enumerated() {
                #expect(
                    !line.contains("(\\.") && !line.contains(": \\."),
                    "\(source.testDescription):\(number + 1)")
            }
        }
    }

    @Test func `no source file is longer than 400 lines, and no test file than 500`() throws {
        for source in try Self.files(below: "Sources") {
            #expect(source.lines.count <= 401, "\(source.testDescription)")
        }
        for source in try Self.files(below: "Tests") {
            #expect(source.lines.count <= 501, "\(source.testDescription)")
        }
    }

    @Test func `no function is longer than 60 lines`() throws {
        for source in try Self.files(below: "Sources") {
            for function in source.functions {
                #expect(
                    function.lines.count <= 60,
                    "\(source.testDescription):\(function.lines.lowerBound + 1)")
            }
        }
    }

    @Test func `a function has at most five parameters, two of them without labels`() throws {
        for source in try Self.files(below: "Sources") {
            for function in source.declarations where function.name != "subscript" {
                let unlabelled = function.parameters.filter { $0.hasPrefix("_ ") }
                #expect(unlabelled.count <= 2, "\(source.testDescription):\(function.line)")
                // An initializer that only assigns has as many as there are properties.
                if function.name.hasPrefix("init"), !source.decides(after: function.line) {
                    continue
                }
                #expect(
                    function.parameters.count <= 5, "\(source.testDescription):\(function.line)")
            }
        }
    }

    @Test func `a type has at most twelve stored properties`() throws {
        for source in try Self.files(below: "Sources") {
            for type in source.types {
                #expect(type.properties <= 12, "\(source.testDescription): \(type.name)")
            }
        }
    }

    @Test func `lines have at most 100 columns`() throws {
        let sources = try Self.files(below: "Sources") + Self.files(below: "Tests")
        for source in sources {
            for (number, line) in source.lines.enumerated() where line.count > 100 {
                // String literals are not broken.
                let isLiteral = line.contains("\"") && !line.contains("//")
                #expect(isLiteral, "\(source.testDescription):\(number + 1)")
            }
        }
    }

    @Test func `no optional is unwrapped by force`() throws {
        for source in try Self.files(below: "Sources") {
            for (number, line) in source.code.enumerated() {
                var before: Character = " "
                var isForced = false
                for (index, character) in zip(line.indices, line) {
                    defer { before = character }
                    guard character == "!",
                        before.isLetter || before.isNumber || ")]_".contains(before)
                    else { continue }
                    let after = line[line.index(after: index)...].first ?? " "
                    isForced = isForced || after != "="
                }
                #expect(!isForced, "\(source.testDescription):\(number + 1)")
            }
        }
    }

    /// Switches over cases that begin with a dot, and have a default nevertheless, because the type
    /// belongs to the standard library or to C.
    static let foreignSwitches: Set<String> = []

    @Test func `a switch over an enum of ours names all its cases`() throws {
        for source in try Self.files(below: "Sources") {
            let code = source.code
            for (number, line) in code.enumerated() {
                let indent = line.prefix { $0 == " " }
                guard line.dropFirst(indent.count).hasPrefix("default:") else { continue }
                let before = code[..<number].reversed().prefix { other in
                    let isInside = other.isEmpty || other.hasPrefix(indent)
                    return isInside && !other.contains("switch ")
                }
                let hasEnumCase = before.contains { $0.hasPrefix(indent + "case .") }
                #expect(
                    !hasEnumCase || Self.foreignSwitches.contains(source.testDescription),
                    "\(source.testDescription):\(number + 1)")
            }
        }
    }

    /// A property is documented where its name and type do not say everything, which no test can
    /// judge.
    @Test func `types and functions that other targets can use have a doc comment`() throws {
        let kinds: Set<Substring> = [
            "func", "struct", "class", "enum", "protocol", "typealias",
        ]
        // These are requirements of the standard library.
        let exempt = ["func ==", "func hash(", "func encode(to", "func makeAsyncIterator("]
        for source in try Self.files(below: "Sources") {
            for (number, line) in source.lines.enumerated() {
                let text = line.drop { $0 == " " }
                guard text.hasPrefix("package ") || text.hasPrefix("public "),
                    text.split(separator: " ").prefix(4).contains(where: kinds.contains),
                    !text.contains(" import "), !exempt.contains(where: text.contains)
                else { continue }
                let above = source.lines[..<number].last {
                    !$0.drop(while: { $0 == " " }).hasPrefix("@")
                }
                let isDocumented = above?.drop { $0 == " " }.hasPrefix("///") == true
                #expect(isDocumented, "\(source.testDescription):\(number + 1)")
            }
        }
    }

    @Test func `every target is compiled with the strict settings`() throws {
        let url = Self.root.appending(path: "Package.swift")
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        let expected = """
            let strict: [SwiftSetting] = [
                .swiftLanguageMode(.v6),
                .strictMemorySafety(),
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                uncheckedExclusivity,
            ]
            """
        #expect(text.contains(expected))
        let unchecked = """
            let uncheckedExclusivity = SwiftSetting.unsafeFlags(
                ["-enforce-exclusivity=unchecked"], .when(configuration: .release))
            """
        #expect(text.contains(unchecked))
        // The other unsafe flags are for the linker and for what the tests' simulator runs most.
        #expect(text.split(separator: ".unsafeFlags").count == 4)
        #expect(
            text.contains(#"[.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]"#))
        let optimized = """
            let optimized = SwiftSetting.unsafeFlags(
                ["-O", "-assert-config", "Debug"], .when(configuration: .debug))
            """
        #expect(text.contains(optimized))
        #expect(text.split(separator: "strict + [optimized]").count == 2)
        // Only the target of generated code has no settings.
        let targets = ["target(", "Target("].flatMap { text.split(separator: $0).dropFirst() }
        let plain = targets.filter { !$0.prefix(600).contains("swiftSettings: strict") }
        let others = plain.filter { !$0.hasPrefix("name: \"Assets\")") }
        // The client's settings are the same without the unsafe flag, which SwiftPM refuses in a
        // package that others depend on.
        let client = "name: \"NavstateClient\", swiftSettings: portable)"
        #expect(others.allSatisfy { $0.hasPrefix(client) }, "\(others)")
        let settings = expected.split(separator: "\n").filter { !$0.contains("uncheckedExcl") }
        // A warning that only Apple's SDK has must not stop the build of a package there.
        let portable = settings.joined(separator: "\n").replacing("strict:", with: "portable:")
            .replacing("as: .error)", with: "as: .error, .when(platforms: [.linux]))")
        #expect(text.contains(portable))
    }

    private static let forbidden = [
        "try!", "as!", "@unchecked Sendable", "nonisolated(unsafe)", "TODO", "FIXME",
        "import Foundation\n",
        // See `String.withBytes`.
        ".utf8.span", "utf8Span",
    ]

    @Test func `words that the style forbids are nowhere`() throws {
        for source in try Self.files(below: "Sources") {
            let text = source.lines.joined(separator: "\n") + "\n"
            let mayImport = source.target == "NavstateClient" || source.target == "NavstateTesting"
            for word in Self.forbidden where !(mayImport && word.hasPrefix("import")) {
                #expect(!text.contains(word), "\(source.testDescription) has \(word)")
            }
        }
    }

    /// A comment begins with the thing that it describes.
    @Test(arguments: ["Sources", "Tests"])
    func `no comment begins with a noun clause`(folder: String) throws {
        for source in try Self.files(below: folder) {
            for (number, line) in source.lines.enumerated() where line.contains("/ What ") {
                let start = line.drop { $0 == " " }
                #expect(
                    !start.hasPrefix("// What ") && !start.hasPrefix("/// What "),
                    "\(source.testDescription):\(number + 1)")
            }
        }
    }

    @Test func `unsafe code is written where memory and the kernel are reached`() throws {
        let sources = try Self.files(below: "Sources").filter {
            $0.target != "POSIX" && $0.target != "Bytes"
        }
        for source in sources {
            for (number, line) in source.code.enumerated() {
                let words = line.split { !$0.isLetter && $0 != "_" }
                #expect(!words.contains("unsafe"), "\(source.testDescription):\(number + 1)")
            }
        }
    }
}

extension StyleTests.Source {
    /// The lines without comments and without the contents of string literals.
    var code: [String] {
        var isInText = false
        return lines.map { line in
            // A text of several lines begins at the end of a line.
            if isInText {
                if line.drop(while: { $0 == " " }).hasPrefix("\"\"\"") { isInText = false }
                return ""
            }
            isInText = line.hasSuffix("\"\"\"")
            return Self.withoutText(line)
        }
    }

    private static func withoutText(_ line: String) -> String {
        var code = ""
        var isInText = false
        var before: Character = " "
        for character in line {
            if isInText {
                if character == "\"", before != "\\" { isInText = false }
                before = before == "\\" ? " " : character
                continue
            }
            if character == "/", before == "/" { return String(code.dropLast()) }
            isInText = character == "\""
            if !isInText { code.append(character) }
            before = character
        }
        return code
    }

    static let modifiers: Set<String> = [
        "package", "public", "private", "fileprivate", "internal", "static", "mutating",
        "consuming",
        "borrowing", "nonisolated", "final", "override", "convenience", "@inline(__always)",
        "@discardableResult",
    ]

    /// The functions and initializers, from the first line to the closing brace.
    var functions: [(name: String, lines: Range<Int>)] {
        var found: [(name: String, lines: Range<Int>)] = []
        var start: (line: Int, indent: Substring)?
        for (number, line) in code.enumerated() where !line.isEmpty {
            let indent = line.prefix { $0 == " " }
            let words = line.split(separator: " ").drop { Self.modifiers.contains(String($0)) }
            let isFunction = words.first.map { $0 == "func" || $0.hasPrefix("init") } ?? false
            if let begun = start, indent.count < begun.indent.count { start = nil }
            // A requirement of a protocol has no closing brace.
            if isFunction, start.map({ indent == $0.indent }) ?? true {
                start = nil
                if !line.hasSuffix("}") { start = (number, indent) }
            }
            let text = line.dropFirst(indent.count)
            guard let begun = start, indent == begun.indent, text.hasPrefix("}") else { continue }
            found.append((String(lines[begun.line]), begun.line..<number + 1))
            start = nil
        }
        return found
    }
}
