import Bytes
import FoundationEssentials
import Testing

/// What the house style asks for and a machine can see.
@Suite struct StyleTests {
    struct Source: CustomTestStringConvertible {
        var room: String
        var name: String
        var lines: [String]
        var testDescription: String { "\(room)/\(name)" }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// All Swift files below a folder, whose own folders are the rooms.
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
                Source(room: String(path[..<slash]), name: name, lines: lines.map(String.init)))
        }
        try #require(found.count > 40, "the sources were not found")
        return found
    }

    /// The table of the rooms: who may import whom.
    static let arrows: [String: Set<String>] = [
        "Bytes": ["CBytes"],
        "JSON": ["Bytes"],
        "Navigation": ["JSON", "Bytes"],
        "HTTP": ["Bytes"],
        "Sessions": ["Navigation", "JSON", "Bytes"],
        "API": ["Sessions", "Navigation", "JSON", "HTTP", "Assets", "Bytes"],
        "POSIX": ["CLinux", "Glibc"],
        "Storage": ["Sessions", "Navigation", "JSON", "POSIX", "Bytes"],
        "Server": [
            "API", "HTTP", "JSON", "Navigation", "POSIX", "Sessions", "Storage", "Bytes",
        ],
        "navstate": [
            "API", "HTTP", "JSON", "Navigation", "POSIX", "Server", "Sessions", "Storage",
            "Bytes",
        ],
    ]

    @Test func `rooms import only what the table allows`() throws {
        for source in try Self.files(below: "Sources") {
            let allowed = Self.arrows[source.room, default: []]
                .union(["Synchronization", "FoundationEssentials"])
            for line in source.lines {
                let words = line.split(separator: " ")
                guard let place = words.firstIndex(of: "import"), place <= 1 else { continue }
                let module = String(words[place + 1])
                #expect(allowed.contains(module), "\(source.testDescription) imports \(module)")
            }
        }
    }

    @Test func `no file is longer than 500 lines`() throws {
        for source in try Self.files(below: "Sources") + Self.files(below: "Tests") {
            #expect(source.lines.count <= 500, "\(source.testDescription)")
        }
    }

    @Test func `no function is longer than 60 lines`() throws {
        for source in try Self.files(below: "Sources") {
            var start: (line: Int, indent: Substring)?
            for (number, line) in source.lines.enumerated() {
                let indent = line.prefix { $0 == " " }
                let text = line.dropFirst(indent.count)
                if start == nil, text.contains("func ") || text.contains("init("),
                    !text.hasPrefix("//")
                {
                    start = (number, indent)
                }
                guard let begun = start, indent == begun.indent, text.hasPrefix("}") else {
                    continue
                }
                #expect(number - begun.line <= 60, "\(source.testDescription):\(begun.line + 1)")
                start = nil
            }
        }
    }

    @Test(arguments: [
        "try!", "as!", "@unchecked Sendable", "nonisolated(unsafe)", "TODO", "FIXME",
        "import Foundation\n",
    ])
    func `words that the style forbids are nowhere`(word: String) throws {
        for source in try Self.files(below: "Sources") {
            let text = source.lines.joined(separator: "\n")
            #expect(!text.contains(word), "\(source.testDescription) has \(word)")
        }
    }

    @Test func `unsafe code is written where memory and the kernel are reached`() throws {
        let sources = try Self.files(below: "Sources").filter {
            $0.room != "POSIX" && $0.room != "Bytes"
        }
        for source in sources {
            for (number, line) in source.lines.enumerated() where !line.contains("//") {
                let words = line.split { !$0.isLetter && $0 != "_" }
                #expect(!words.contains("unsafe"), "\(source.testDescription):\(number + 1)")
            }
        }
    }
}
