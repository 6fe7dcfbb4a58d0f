import JSON
import Navigation
import TestSupport
import Testing

/// A second matcher for paths, which tries everything: it divides a segment in all ways, and
/// gives a rest any number of segments.
private struct NaiveMatcher {
    /// A piece of a segment: a literal, or a capture.
    enum Piece {
        case text([Character])
        case capture(String)
    }

    /// Whether a capture takes only an integer's characters.
    var isInteger: (String) -> Bool

    /// The pieces of a pattern's segment, and whether its capture is a rest.
    static func pieces(_ segment: String) -> (pieces: [Piece], isRest: Bool) {
        var pieces: [Piece] = []
        var isRest = false
        for part in segment.split(separator: "}", omittingEmptySubsequences: false) {
            let open = part.firstIndex(of: "{") ?? part.endIndex
            let plain = part[..<open]
            if !plain.isEmpty { pieces.append(.text(Array(plain))) }
            guard open < part.endIndex else { continue }
            let name = part[open...].dropFirst()
            isRest = isRest || name.hasSuffix("*")
            pieces.append(.capture(String(name.prefix { $0 != "*" })))
        }
        return (pieces, isRest)
    }

    func captures(_ pattern: [String], _ url: [String]) -> [String: String]? {
        guard let first = pattern.first else { return url.isEmpty ? [:] : nil }
        let (pieces, isRest) = Self.pieces(first)
        let rest = Array(pattern.dropFirst())
        if isRest {
            for count in stride(from: 1, through: url.count, by: 1) {
                guard let own = ofRest(pieces, Array(url.prefix(count))),
                    let more = captures(rest, Array(url.dropFirst(count)))
                else { continue }
                return own.merging(more) { own, _ in own }
            }
            return nil
        }
        guard let segment = url.first, let own = ofSegment(pieces[...], Array(segment)[...]),
            let more = captures(rest, Array(url.dropFirst()))
        else { return nil }
        return own.merging(more) { own, _ in own }
    }

    private func ofSegment(
        _ pieces: ArraySlice<Piece>, _ text: ArraySlice<Character>
    ) -> [String: String]? {
        guard let first = pieces.first else { return text.isEmpty ? [:] : nil }
        switch first {
        case .text(let plain):
            guard text.starts(with: plain) else { return nil }
            return ofSegment(pieces.dropFirst(), text.dropFirst(plain.count))
        case .capture(let name):
            for count in stride(from: 1, through: text.count, by: 1) {
                let value = String(text.prefix(count))
                guard !isInteger(name) || value.wholeMatch(of: /-?[0-9]+/) != nil,
                    let more = ofSegment(pieces.dropFirst(), text.dropFirst(count))
                else { continue }
                return more.merging([name: value]) { _, own in own }
            }
            return nil
        }
    }

    private func ofRest(_ pieces: [Piece], _ url: [String]) -> [String: String]? {
        var (prefix, suffix) = ("", "")
        var found: String?
        for piece in pieces {
            switch piece {
            case .text(let plain):
                if found == nil { prefix = String(plain) } else { suffix = String(plain) }
            case .capture(let name): found = name
            }
        }
        guard let name = found, let first = url.first, let last = url.last,
            first.hasPrefix(prefix), last.hasSuffix(suffix)
        else { return nil }
        if !prefix.isEmpty || !suffix.isEmpty {
            let beside = url.count == 1 ? prefix.count + suffix.count : prefix.count
            guard prefix.isEmpty || first.count > beside,
                suffix.isEmpty || last.count > (url.count == 1 ? beside : suffix.count)
            else { return nil }
        }
        let whole = url.joined(separator: "/")
        return [name: String(whole.dropFirst(prefix.count).dropLast(suffix.count))]
    }
}

/// The matcher against one that tries everything, in small worlds.
@Suite(.seeded) struct LinkOracleTests {
    private static let forms = [
        "a", "", "{1}", "a{1}", "{1}a", "{1}a{2}", "{n}a{1}", "{1}a{n}", "a{1}aa{2}", "{n}a{m}",
        "{1}aa{2}a{3}", "{n}", "{1*}", "{1*}a", "a{1*}", "a{1*}a",
    ]
    private static let texts = ["", "a", "1", "aa", "1a", "a1", "aaa", "1a1", "-1a", "a1a2aa"]

    /// The forms as a path, each with names of its own. Nil if it has two rests.
    private func pattern(_ forms: [String]) -> [String]? {
        guard forms.count(where: { $0.contains("*") }) < 2 else { return nil }
        return forms.enumerated().map { index, form in
            form.replacing("{1", with: "{x\(index)").replacing("{2", with: "{y\(index)")
                .replacing("{3", with: "{z\(index)").replacing("{n", with: "{n\(index)")
                .replacing("{m", with: "{m\(index)")
        }
    }

    private func check(_ pattern: [String], urls: [[String]], fragment: Bool) throws {
        let names = pattern.joined().split(separator: "{", omittingEmptySubsequences: false)
            .dropFirst().map { part in
                String(part.prefix { !"}*".contains($0) })
            }
        let text = (fragment ? "/p#" : "a://h/") + pattern.joined(separator: "/") + "/"
        let params = names.map { "\"\($0)\":\"{\($0)}\"" }.joined(separator: ",")
        let types = names.map {
            "\"\($0)\":{\"type\":\"\("nm".contains($0.prefix(1)) ? "integer" : "string")\"}"
        }
        let app = try app(
            #"""
            {"routes":{"r":{"params":{"properties":{\#(types.joined(separator: ","))}}}},
             "tabs":[{"id":"t","routes":["r"]}],
             "links":[{"pattern":"\#(text)","path":[{"route":"r","params":{\#(params)}}]}]}
            """#)
        for url in urls {
            let path = (fragment ? "/p#" : "a://h/") + url.joined(separator: "/") + "/"
            let found = try app.resolve(path, work: WorkBudget())?.path?.first?.params.object
            #expect(
                found.map { texts($0) } == expected(pattern, url), "\(text) and \(path)")
        }
    }

    private func texts(_ object: JSONObject) -> [String: String] {
        Dictionary(uniqueKeysWithValues: object.members.map { ($0.key, texts(of: $0.value)) })
    }

    private func texts(of value: JSON) -> String {
        if case .string(let text) = value { text } else { value.text }
    }

    private func expected(_ pattern: [String], _ url: [String]) -> [String: String]? {
        let isInteger = { (name: String) in "nm".contains(name.prefix(1)) }
        let found = NaiveMatcher(isInteger: isInteger).captures(pattern, url)
        let fits = found?.allSatisfy { name, value in
            !isInteger(name) || Int(value).map(String.init) == value
        }
        return fits == true ? found : nil
    }

    @Test func `one pattern and one URL of up to two segments, each with each`() throws {
        let texts = ["", "1", "aa", "a1", "1a1", "a1a2aa"]
        let urls = texts.map { [$0] } + texts.flatMap { first in texts.map { [first, $0] } }
        for first in Self.forms {
            try check(try #require(pattern([first])), urls: urls, fragment: false)
            for second in Self.forms {
                guard let pattern = pattern([first, second]) else { continue }
                try check(pattern, urls: urls, fragment: false)
            }
        }
    }

    @Test func `random patterns and URLs of up to five segments, also as fragments`() throws {
        var numbers = SplitMix64(stream: 31)
        for _ in 0..<200 {
            let forms = (0...numbers.below(4)).map { _ in numbers.one(of: Self.forms) }
            guard let pattern = pattern(forms) else { continue }
            let urls = (0..<20).map { _ in
                (0..<forms.count + numbers.below(3)).map { _ in numbers.one(of: Self.texts) }
            }
            try check(pattern, urls: urls, fragment: numbers.oneIn(2))
        }
    }
}

// MARK: - Work

/// Patterns that would take a matcher which tries again very long.
@Suite struct LinkWorkTests {
    private func app(_ patterns: [String]) throws -> App {
        let links = patterns.map { #"{"pattern":"\#($0)","path":["r"]}"# }
        return try NavigationTests.app(
            #"""
            {"routes":{"r":{}},"tabs":[{"id":"t","routes":["r"]}],
             "links":[\#(links.joined(separator: ","))]}
            """#)
    }

    static let slow: [(pattern: String, url: String)] = [
        ("/{a}a{b}a{c}a{d}a{e}a{f}a{g}a{h}b", "/" + String(repeating: "a", count: 400)),
        ("/{a}aaaaaaaaaaaaaaab{b}", "/" + String(repeating: "a", count: 400)),
        ("/{p*}/{a}a{b}/b", String(repeating: "/aaaa", count: 100)),
        ("/x#{a}a{b}a{c}a{d}ab", "/x#" + String(repeating: "a", count: 400)),
    ]

    @Test(arguments: slow)
    func `two hundred of them are cheap`(_ pattern: String, _ url: String) throws {
        let app = try app((0..<200).map { pattern.replacing("{a}", with: "{a\($0)}") })
        let work = WorkBudget()
        #expect(try app.resolve(url, work: work) == nil)
        #expect(work.unitsSpent < 200 * url.utf8.count * 12)
    }

    @Test func `the work grows with the length of the URL, and its budget is the end of it`() throws
    {
        let app = try app((0..<200).map { "/{a\($0)}a{b}a{c}a{d}a{e}a{f}a{g}a{h}b" })
        func spent(_ count: Int) throws -> Int {
            let work = WorkBudget.unlimited
            #expect(
                try app.resolve("/" + String(repeating: "a", count: count) + "b", work: work) != nil
            )
            let all = WorkBudget.unlimited
            #expect(
                try app.resolve("/" + String(repeating: "a", count: count), work: all) == nil)
            return all.unitsSpent
        }
        let (short, long) = (try spent(1000), try spent(4000))
        #expect(long < short * 5)
        #expect(throws: WorkBudgetError.self) {
            try app.resolve(
                "/" + String(repeating: "a", count: 40_000) + "b/", work: WorkBudget(units: 100_000)
            )
        }
    }
}
