import API
import HTTP
import JSON
import Navigation
import TestSupport
import Testing

/// Text of clients is compared byte by byte: canonically equivalent spellings are different, and
/// text of combining characters, which is slow to compare in any other way, costs what it has
/// bytes.
@Suite struct ExactTextTests {
    private static let composed = "\u{E9}"
    private static let decomposed = "e\u{301}"
    let client: Client

    init() throws {
        client = try Client()
        try client.call("POST", "/v1/sessions", #"{"id":"a","tabs":["x","y"]}"#)
    }

    @Test func `tags are different if their bytes are`() throws {
        func present(_ tag: String) throws -> Client.Answer {
            try client.command("a", "present", #"{"route":"r","tag":"\#(tag)"}"#)
        }
        #expect(try present(Self.composed).session.picture == "x* [] y [] | r []")
        #expect(try present(Self.decomposed).session.picture == "x* [] y [] | r [] r []")
        #expect(try present(Self.decomposed).json["reason"]?.string == "same-entry")
        let gone = try client.command("a", "dismiss", #"{"tag":"\#(Self.decomposed)"}"#)
        #expect(gone.json["removed"]?.text == #"["e2"]"#)
        let missing = try client.command("a", "dismiss", #"{"tag":"\#(Self.decomposed)"}"#)
        #expect(missing.problem == "sheet-not-found")
    }

    @Test(arguments: ["tag", "badge", "labels"])
    func `a change between equivalent spellings is a change`(_ member: String) throws {
        func state(_ text: String) -> String {
            let sheet = member == "tag" ? ",\"tag\":\"\(text)\"" : ""
            let badge = member == "badge" ? ",\"badge\":\"\(text)\"" : ""
            let labels = member == "labels" ? ",\"labels\":{\"k\":\"\(text)\"}" : ""
            return
                #"{"tabs":[{"id":"x"\#(badge)}],"sheets":[{"id":"e1","route":"r"\#(sheet)}]\#(labels)}"#
        }
        for (revision, text) in [(2, Self.composed), (3, Self.decomposed), (3, Self.decomposed)] {
            let answer = try client.call("PUT", "/v1/sessions/a", state(text))
            #expect(answer.json["revision"]?.integer == revision)
            #expect(answer.text.utf8.firstRange(of: Array(text.utf8)) != nil)
        }
    }

    @Test func `setBadge and PATCH see the spelling`() throws {
        for (revision, text) in [(2, Self.composed), (4, Self.decomposed)] {
            let body = #"{"tab":"x","badge":"\#(text)"}"#
            let badge = try client.command("a", "setBadge", body)
            #expect(badge.session["revision"]?.integer == revision)
            #expect(try client.command("a", "setBadge", body).json["changed"] == .bool(false))
            let patch = #"{"labels":{"k":"\#(text)"}}"#
            let labels = try client.call("PATCH", "/v1/sessions/a", patch)
            #expect(labels.json["revision"]?.integer == revision + 1)
        }
    }

    @Test func `groups of a pattern are different if the bytes of their names are`() throws {
        let pattern = "^(?<e\u{301}>a)(?<\u{E9}>b)\\\\k<e\u{301}>$"
        let app =
            #"{"routes":{"r":{"params":{"properties":{"v":{"pattern":"\#(pattern)"}}}}},"#
            + #""tabs":[{"id":"t","routes":["r"]}]}"#
        #expect(try client.call("PUT", "/v1/apps/p", app).status == 201)
        try client.call("POST", "/v1/sessions", #"{"id":"p","app":"p"}"#)
        func navigate(_ value: String) throws -> Int {
            try client.command("p", "navigate", #"{"route":"r","params":{"v":"\#(value)"}}"#).status
        }
        #expect(try navigate("aba") == 200)
        #expect(try navigate("abb") == 422)
    }

    // MARK: - Long text

    /// A name of combining characters, compared byte by byte within a second. Each comparison by
    /// equivalence would take about a minute.
    private static let marks = String(
        repeating: "\u{345}\u{301}\u{315}\u{316}\u{334}", count: 30_000)

    static let members: [(target: String, body: String)] = [
        ("/sessions/a/navigate", #"{"route":"r","mode":"@"}"#),
        ("/sessions/a/navigate", #"{"route":"r","in":"@"}"#),
        ("/sessions/a/navigate", #"{"route":"@"}"#),
        ("/sessions/a/present", #"{"route":"r","style":"@"}"#),
        ("/sessions/a/present", #"{"route":"r","tag":"@"}"#),
        ("/sessions/a/dismiss", #"{"tag":"@"}"#), ("/sessions/a/dismiss", #"{"sheet":"@"}"#),
        ("/sessions/a/select", #"{"tab":"@"}"#), ("/sessions/a/root", #"{"scope":"@"}"#),
        ("/sessions/a/back", #"{"to":{"entry":"@"}}"#), ("/sessions/a/back", #"{"@":1}"#),
        ("/sessions/a/setParams", #"{"entry":"@","params":{}}"#),
        ("/sessions/a/setBadge", #"{"tab":"@","badge":1}"#),
        ("/sessions/a/setBadge", #"{"tab":"x","badge":"@"}"#),
        ("/sessions/a/setPath", #"{"in":"@","path":[]}"#),
        ("/sessions/a/setPath", #"{"in":"x","path":[{"route":"r","id":"@"}]}"#),
        ("/sessions/a/batch", #"{"commands":[{"command":"@"}]}"#),
        ("/sessions/a/open", #"{"url":"@"}"#), ("/sessions/a/tokens", #"{"scope":"@"}"#),
        ("/sessions", #"{"selectedTab":"@"}"#), ("/sessions", #"{"labels":{"@":"v"}}"#),
        ("PATCH /sessions/a", #"{"labels":{"@":"v"}}"#),
        ("PUT /sessions/a", #"{"tabs":[{"id":"@"}]}"#),
        ("PUT /sessions/a", #"{"tabs":[{"id":"x"}],"selectedTab":"@"}"#),
        ("PUT /apps/b", #"{"tabs":[{"id":"t","routes":["@"]}]}"#),
        ("PUT /apps/b", #"{"tabs":[{"id":"t","routes":["\u0040@"]}]}"#),
        ("PUT /apps/b", #"{"tabs":[{"id":"t"}],"groups":{"@":[]}}"#),
        ("PUT /apps/b", #"{"tabs":[{"id":"t"}],"routes":{"r":{"params":{"type":"@"}}}}"#),
        ("PUT /apps/b", #"{"tabs":[{"id":"t"}],"routes":{"r":{"params":{"$ref":"@"}}}}"#),
        (
            "PUT /apps/b",
            #"{"tabs":[{"id":"t"}],"routes":{"r":{"params":{"pattern":"(?<a@>a)(?<b@>b)\\k<@>"}}}}"#
        ),
        ("PUT /apps/b", #"{"tabs":[{"id":"t"}],"routes":{"r":{"params":{"pattern":"\\p{@}"}}}}"#),
        ("PUT /apps/b", #"{"tabs":[{"id":"t"}],"links":[{"pattern":"/{@}","path":[]}]}"#),
    ]

    @Test(arguments: members)
    func `a long run of combining characters is refused at once`(
        _ target: String, _ body: String
    ) throws {
        try client.command("a", "present", #"{"route":"r","tag":"\#(Self.composed)"}"#)
        let words = target.split(separator: " ")
        let method = words.count > 1 ? String(words[0]) : "POST"
        let parts = body.split(separator: "@", omittingEmptySubsequences: false)
        let before = secondsOfThread
        let answer = try client.call(
            method, "/v1" + words[words.count - 1], parts.joined(separator: Self.marks))
        #expect(secondsOfThread - before < 10, "the work grows with the square of the length")
        #expect((400..<500).contains(answer.status))
        #expect(answer.response.body.count < 3 * Self.marks.utf8.count)
    }
}
