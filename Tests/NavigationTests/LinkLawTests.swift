import JSON
import Navigation
import TestSupport
import Testing

/// A random link with a URL that is written as `link` writes URLs.
private struct WrittenLink {
    var pattern = ""
    var url = ""
    var properties: [String] = []
    var params: [String] = []
    private var numbers: SplitMix64
    private var count = 0

    /// Values without `-`, `,` and `.`, which stand between captures.
    private static let words = [
        "x", "Y", "7", "~", "%20", "%2F", "%25", "%C3%A9", "%2B", "%7Bx%7D", "%3F", "_", "0", "%26",
    ]
    /// A literal of a pattern, and what a URL has for it.
    private static let literals = [
        ("lit", "lit"), ("@", "@"), ("%40", "%40"), ("é", "%C3%A9"), ("a%20b", "a%20b"),
        ("a b", "a%20b"),
        ("c!$&'()*+;=:", "c!$&'()*+;=:"), ("%c3%a9", "%c3%a9"), ("[1]", "%5B1%5D"),
    ]

    init(_ numbers: inout SplitMix64) {
        self.numbers = SplitMix64(seed: numbers.next())
        let form = self.numbers.below(6)
        switch form {
        case 0: add("https://h.example", "https://h.example")
        case 1:
            add("https://", "https://")
            let name = capture(#"{"type":"string"}"#)
            add(
                "{\(name)}.h.example:8", self.numbers.one(of: ["w", "a-b", "1_2"]) + ".h.example:8")
        case 2: add("app://", "app://")
        case 3: add("app:", "app:")
        default: break
        }
        if form == 3 { add("first", "first") }
        addPath()
        addQuery()
        if self.numbers.oneIn(3) {
            add("#", "#")
            if self.numbers.oneIn(2) { add("top", "top") }
            addPath()
            addQuery()
        }
    }

    private mutating func add(_ pattern: String, _ url: String) {
        self.pattern += pattern
        self.url += url
    }

    private mutating func capture(_ schema: String) -> String {
        let name = "c\(count)"
        count += 1
        properties.append("\"\(name)\":\(schema)")
        params.append("\"\(name)\":\"{\(name)}\"")
        return name
    }

    private mutating func word() -> String {
        (0...numbers.below(3)).map { _ in numbers.one(of: Self.words) }.joined()
    }

    private mutating func addPath() {
        let segments = 1 + numbers.below(3)
        let rest = numbers.oneIn(3) ? numbers.below(segments) : -1
        for index in 0..<segments {
            add("/", "/")
            if index == rest { addRest() } else { addSegment() }
        }
        if numbers.oneIn(5) { add("/", "/") }
    }

    private mutating func addRest() {
        let name = capture(#"{"type":"string"}"#)
        let words = (0...numbers.below(3)).map { _ in word().replacing("%2F", with: "x") }
        let (before, after) = (numbers.oneIn(3) ? "v." : "", numbers.oneIn(3) ? ".png" : "")
        add("\(before){\(name)*}\(after)", before + words.joined(separator: "/") + after)
    }

    private mutating func addSegment() {
        switch numbers.below(6) {
        case 0:
            let (pattern, url) = numbers.one(of: Self.literals)
            add(pattern, url)
        case 1:
            // An empty segment; the last one needs its slash.
            add("x/", "x/")
            add("/y", "/y")
        case 2:
            let name = capture(#"{"type":"string"}"#)
            add("@{\(name)}.html", "@" + word() + ".html")
        case 3:
            let (a, b) = (capture(#"{"type":"string"}"#), capture(#"{"type":"integer"}"#))
            add("{\(a)}-{\(b)}", word() + "-\(numbers.below(100))")
        case 4:
            let name = capture(#"{"type":"number"}"#)
            add(
                "{\(name)}",
                numbers.one(of: ["0", "7", "-3", "7.5", "-0.25", "0.00001", "100000000000000000"]))
        default:
            let name = capture(numbers.oneIn(2) ? #"{"type":"string"}"# : "true")
            add("{\(name)}", word())
        }
    }

    private mutating func addQuery() {
        var (pattern, url): ([String], [String]) = ([], [])
        for key in ["q", "a%20b", "n+m", "%C3%A9"].prefix(numbers.below(5)) {
            switch numbers.below(5) {
            case 0:
                pattern.append("\(key)=\(key)")
                url.append("\(key)=\(key)")
            case 1:
                pattern.append(key)
                url.append(key)
            case 2:
                let schema = #"{"type":"array","items":{"type":["string","integer"]}}"#
                pattern.append("\(key)={\(capture(schema))}")
                url += (0...numbers.below(3)).map { _ in "\(key)=\(word())" }
            case 3:
                pattern.append("\(key)={\(capture(#"{"type":"boolean"}"#))?}")
                url.append("\(key)=\(numbers.oneIn(2))")
            default:
                pattern.append("\(key)={\(capture(#"{"type":"string"}"#))}")
                if !numbers.oneIn(3) { url.append("\(key)=\(numbers.oneIn(4) ? "" : word())") }
            }
        }
        add(
            pattern.isEmpty ? "" : "?" + pattern.joined(separator: "&"),
            url.isEmpty ? "" : "?" + url.joined(separator: "&"))
    }

    /// An app whose link makes a param of each capture.
    func document() -> String {
        #"""
        {"routes":{"r":{"params":{"properties":{\#(properties.joined(separator: ","))}}}},
         "tabs":[{"id":"t","routes":["r"]}],
         "links":[{"pattern":\#(JSON.string(pattern).text),
          "path":[{"route":"r","params":{\#(params.joined(separator: ","))}}]}]}
        """#
    }
}

/// The way to a state by a link and back.
@Suite(.seeded) struct LinkLawTests {
    @Test func `the link of what a URL opened is that URL`() throws {
        var numbers = SplitMix64(stream: 32)
        for _ in SplitMix64.worlds(600) {
            let link = WrittenLink(&numbers)
            let app = try app(link.document())
            var world = try World(app: app)
            try world.run(.open, #"{"url":\#(JSON.string(link.url).text)}"#)
            let back = try app.link(to: world.session.state, work: WorkBudget())
            #expect(back == link.url, "\(link.pattern)")
            let again = try world.run(.open, #"{"url":\#(JSON.string(link.url).text)}"#)
            #expect(!again.changed)
        }
    }

    @Test func `with several links, the link of what a URL opened opens it again`() throws {
        var numbers = SplitMix64(stream: 33)
        for _ in SplitMix64.worlds(150) {
            let links = (0..<4).map { _ in WrittenLink(&numbers) }
            let routes = links.enumerated().map { index, link in
                "\"r\(index % 2)\":{\"params\":{}}"
            }
            let items = links.enumerated().map { index, link in
                #"{"pattern":\#(JSON.string(link.pattern).text),"path":[{"route":"r\#(index % 2)","#
                    + #""params":{\#(link.params.joined(separator: ","))}}]}"#
            }
            let app = try app(
                #"""
                {"routes":{\#(routes.prefix(2).joined(separator: ","))},
                 "tabs":[{"id":"t","routes":["r0","r1"]}],"links":[\#(items.joined(separator: ","))]}
                """#)
            for link in links {
                var world = try World(app: app)
                try world.run(.open, #"{"url":\#(JSON.string(link.url).text)}"#)
                guard let back = try app.link(to: world.session.state, work: WorkBudget()) else {
                    continue
                }
                let again = try world.run(.open, #"{"url":\#(JSON.string(back).text)}"#)
                #expect(!again.changed, "\(link.url) and \(back)")
                #expect(try app.link(to: world.session.state, work: WorkBudget()) == back)
            }
        }
    }

    @Test func `longer texts are divided into their captures`() throws {
        let app = try app(
            #"""
            {"routes":{"r":{"params":{"properties":{"v":{"type":"string"},"w":{}}}}},
             "tabs":[{"id":"t","routes":["r"]}],
             "links":[
              {"pattern":"/one/{a}","path":[{"route":"r","params":{"v":"no. {a}!"}}]},
              {"pattern":"/two/{a}/{b}","path":[{"route":"r","params":{"v":"{b}, {a}"}}]},
              {"pattern":"/both/{a}/{b}","path":[{"route":"r","params":{"w":"{b}","v":"{a}{b}."}}]},
              {"pattern":"/q?a={a}","path":[{"route":"r","params":{"w":7,"v":"<{a}>"}}]}]}
            """#)
        for url in ["/one/x%20y", "/two/1/2", "/both/1/x", "/q?a=1", "/q?a="] {
            var world = try World(app: app)
            try world.run(.open, #"{"url":"\#(url)"}"#)
            #expect(try app.link(to: world.session.state, work: WorkBudget()) == url)
        }
    }
}
