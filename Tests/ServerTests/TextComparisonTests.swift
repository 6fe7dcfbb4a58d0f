import API
import FoundationEssentials
import Navigation
import Testing

/// Strings are compared by their bytes (`Sources/Bytes/Text.swift`). The operators of the standard
/// library compare by canonical equivalence: a text of combining marks, which any client can send,
/// then takes minutes on the event loop.
///
/// The compiler decides which operator is meant, so this test reads its decision: the symbols to
/// which the compiled files refer. A finding is mended like this:
///
/// - `import Bytes` in the file, which replaces `==`, `<`, `switch`, `hasPrefix` and the like.
/// - `ExactString` as the key of a dictionary or the element of a set.
/// - `init(named:)` instead of `init(rawValue:)` of an enum.
/// - `text.utf8.index(after:)` to go on behind a separator.
@Suite struct TextComparisonTests {
    /// A reference that means a comparison by canonical equivalence.
    struct Finding: Equatable {
        var file: String
        var comparison: String
    }

    /// The functions that compare text, by parts of the mangled names that the standard library's
    /// ABI fixes.
    static let comparisons: [(symbol: String, meaning: String)] = [
        ("$sSS2eeoiySbSS_SStFZ", "== of String"), ("$sSS1loiySbSS_SStFZ", "< of String"),
        ("$sSJ2eeoiySbSJ_SJtFZ", "== of Character"), ("$sSJ1loiySbSJ_SJtFZ", "< of Character"),
        ("$sSSSQsWP", "generic == of String"), ("$sSSSLsWP", "generic order of String"),
        ("$sSSSHsWP", "String as a key"), ("$sSsSQsWP", "generic == of Substring"),
        ("$sSsSLsWP", "generic order of Substring"), ("$sSsSHsWP", "Substring as a key"),
        ("$sSJSQsWP", "generic == of Character"), ("$sSJSLsWP", "generic order of Character"),
        ("$sSJSHsWP", "Character as a key"), ("$sSS9hasPrefixySbSSF", "hasPrefix of String"),
        ("$sSS9hasSuffixySbSSF", "hasSuffix of String"),
        ("$sSysE9hasPrefixySbqd__SyRd__lF", "hasPrefix of text"),
        ("$sSysE9hasSuffixySbqd__SyRd__lF", "hasSuffix of text"),
        ("$sSysE2eeoiySbx_qd__tSyRd__lFZ", "== of two kinds of text"),
        ("$sSysE2neoiySbx_qd__tSyRd__lFZ", "!= of two kinds of text"),
        ("$sSS4hash4intoys6HasherVz_tF", "hash of String"),
        ("$ss27_stringCompareWithSmolCheck", "an inlined comparison"),
        ("$ss21_findStringSwitchCase", "a switch over text"),
        // A separator and the marks that follow it are one character, and are left out together.
        ("$sSS5index5after", "index(after:) of String"),
        ("$sSs5index5after", "index(after:) of Substring"),
    ]

    /// An enum whose raw values are strings refers to these without comparing any input.
    static let ofRawValues: Set = [
        "String as a key", "hash of String", "an inlined comparison", "a switch over text",
    ]

    /// Files that compare only text of the operator or of this program, and why.
    static let own: [String: String] = [
        "POSIX/Process.swift": "names of variables of the server's own environment",
        "NavstateClient/Transport/URLSessionTransport.swift":
            "names of header fields, which Foundation has read",
    ]
    /// The command line, the configuration and their help, which the operator and we write; the
    /// server of a test, which has only texts of that test; and the files of other systems that a
    /// developer imports, in which each character is looked at once.
    static let ownFolders = ["navstate/Options/", "NavstateTesting/", "AppTools/Import/"]

    /// The members of values are keys of a dictionary, which is a part of the client's interface.
    /// The server bounds names, and a value is compared by bytes.
    static func isAllowed(_ comparison: String, in target: String) -> Bool {
        target == "NavstateClient"
            && (comparison.hasPrefix("generic") || comparison.hasSuffix("as a key"))
    }

    @Test func `text is compared by its bytes`() throws {
        var missing: [String] = []
        // That target is compiled for WebAssembly alone, by its own script.
        let sources = try StyleTests.files(below: "Sources").filter { $0.target != "RulesModule" }
        for source in sources {
            guard let object = Self.object(of: source) else {
                missing.append(source.testDescription)
                continue
            }
            let symbols = try #require(ObjectFile(object), "not an object file: \(source)")
            for finding in Self.findings(in: symbols.undefined, of: source) {
                Issue.record("\(finding.file): \(finding.comparison)")
            }
        }
        #expect(missing.isEmpty, "the compiled files were not found")
    }

    @Test func `raw values are not made from input`() throws {
        for source in try StyleTests.files(below: "Sources") {
            let names = source.textEnums
            guard !names.isEmpty else { continue }
            for (number, line) in source.code.enumerated() where line.contains("(rawValue:") {
                let isMade = (names + ["Self", "."]).contains {
                    line.contains($0 + "(rawValue:") || line.contains($0 + ".init(rawValue:")
                }
                #expect(
                    !isMade || line.contains("init(rawValue: "),
                    "\(source.testDescription):\(number + 1)")
            }
        }
    }

    /// The comparisons that are planted here would be found in `Sources`.
    @Test func `the test sees each kind of comparison`() throws {
        let file = URL(filePath: #filePath)
        let symbols = try #require(
            Self.object(named: file.lastPathComponent, in: "ServerTests").flatMap(ObjectFile.init))
        let source = StyleTests.Source(target: "ServerTests", name: "Planted.swift", lines: [])
        let found = Set(Self.findings(in: symbols.undefined, of: source).map(\.comparison))
        let planted: Set = [
            "== of String", "String as a key", "generic == of String", "hasPrefix of String",
            "generic == of Character", "init(rawValue:) of an enum",
        ]
        #expect(planted.subtracting(found).isEmpty, "\(found)")
    }

    static func findings(
        in symbols: [String], of source: StyleTests.Source
    ) -> [Finding] {
        let file = source.testDescription
        let isOwn = own[file] != nil || ownFolders.contains { file.hasPrefix($0) }
        guard !isOwn else { return [] }
        var found = comparisons.filter { comparison in
            symbols.contains { $0.hasPrefix(comparison.symbol) }
        }.map(\.meaning)
        if !source.textEnums.isEmpty { found.removeAll { ofRawValues.contains($0) } }
        // `init(rawValue:)` of another file's enum, with a string.
        if symbols.contains(where: { $0.hasSuffix("8rawValueACSgSS_tcfC") }) {
            found.append("init(rawValue:) of an enum")
        }
        return found.filter { !isAllowed($0, in: source.target) }
            .map { Finding(file: file, comparison: $0) }
    }

    // MARK: - Compiled files

    private static let buildFolder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    private static func object(of source: StyleTests.Source) -> URL? {
        object(named: String(source.name.split(separator: "/").last ?? ""), in: source.target)
    }

    private static func object(named name: String, in target: String) -> URL? {
        let url = buildFolder.appending(path: "\(target).build/\(name).o")
        return FileManager.default.fileExists(atPath: url.path()) ? url : nil
    }
}

extension StyleTests.Source {
    /// The names of the enums in this file whose raw values are strings.
    fileprivate var textEnums: [String] {
        code.compactMap { line in
            let words = line.split { " :,{".contains($0) }
            guard let keyword = words.firstIndex(of: "enum"), keyword + 2 < words.count,
                words[keyword + 2] == "String"
            else { return nil }
            return String(words[keyword + 1])
        }
    }
}

// MARK: - Planted comparisons, which `the test sees each kind of comparison` looks for

private func plantedComparisons(_ text: String, _ names: [String: Int], _ list: [String]) -> Bool {
    text == list.first ?? "" || names[text] != nil || list.contains(text)
        || text.hasPrefix("a") || text.split(separator: ",").isEmpty
        || ProblemKind(rawValue: text) != nil
}

extension TextComparisonTests {
    static let planted = plantedComparisons
}
