import Bytes
import JSON
import Testing

/// JSON Pointer, by the examples of RFC 6901.
@Suite struct PointerTableTests {
    private static let document =
        #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#

    /// §5
    @Test(arguments: [
        ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/foo/1", #""baz""#), ("/", "0"),
        ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"), (#"/i\j"#, "5"),
        (#"/k"l"#, "6"), ("/ ", "7"), ("/m~0n", "8"),
    ])
    func `a pointer finds its value`(_ text: String, _ expected: String) throws {
        let pointer = try #require(JSONPointer(text))
        #expect(try parse(Self.document).value(at: pointer)?.text == expected)
        #expect(pointer.description == text)
    }

    /// §6
    @Test(arguments: [
        ("#", ""), ("#/foo", "/foo"), ("#/foo/0", "/foo/0"), ("#/", "/"), ("#/a~1b", "/a~1b"),
        ("#/c%25d", "/c%d"), ("#/e%5Ef", "/e^f"), ("#/g%7Ch", "/g|h"), ("#/i%5Cj", #"/i\j"#),
        ("#/k%22l", #"/k"l"#), ("#/%20", "/ "), ("#/m~0n", "/m~0n"), ("#/%7E1", "/~1"),
        ("#/a+b", "/a+b"), ("#/%C3%A9", "/\u{e9}"), ("#/%00", "/\0"),
    ])
    func `a fragment is decoded to a pointer`(_ fragment: String, _ pointer: String) {
        #expect(JSONPointer(fragment: fragment) == JSONPointer(pointer))
    }

    @Test(arguments: [
        "", "/foo", "foo", "#foo", "#/~", "#/~2", "#/%7E2", "#/%", "#/%4", "#/%zz", "#/%C3",
        "#/%FF",
    ])
    func `other fragments are no pointers`(_ fragment: String) {
        #expect(JSONPointer(fragment: fragment) == nil)
    }

    /// §4: evaluation.
    @Test(arguments: [
        "/foo/2", "/foo/-", "/foo/-1", "/foo/00", "/foo/1.0", "/foo/ 1", "/foo/x", "/foo/0/0",
        "/bar", "/FOO", "/foo/", "//", "/a", "/m~01n",
    ])
    func `a pointer to nothing finds nothing`(_ text: String) throws {
        let pointer = try #require(JSONPointer(text))
        #expect(try parse(Self.document).value(at: pointer) == nil)
    }

    @Test func `pointers are equal by their scalars and can be keys`() {
        let composed = JSONPointer().appending("\u{e9}")
        let decomposed = JSONPointer().appending("e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, JSONPointer("/\u{e9}")]).count == 2)
        #expect(JSONPointer().isEmpty && !composed.isEmpty)
        #expect(JSONPointer().appending(1).appending("a").steps == ["1", "a"])
    }
}

/// Merge patches, by RFC 7396.
@Suite struct MergePatchTableTests {
    /// §3
    @Test func `the example of the specification`() throws {
        let document = """
            {"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"},
             "tags":["example","sample"],"content":"This will be unchanged"}
            """
        let patch = """
            {"title":"Hello!","phoneNumber":"+01-123-456-7890","author":{"familyName":null},
             "tags":["example"]}
            """
        let expected = """
            {"title":"Hello!","author":{"givenName":"John"},"tags":["example"],
             "content":"This will be unchanged","phoneNumber":"+01-123-456-7890"}
            """
        #expect(try parse(document).merging(parse(patch)) == parse(expected))
    }

    @Test(arguments: [
        ("1", "{}", "{}"), ("[]", "{}", "{}"), ("{}", "1", "1"), ("{}", "[]", "[]"),
        ("{}", #"{"a":null}"#, "{}"), ("1", #"{"a":null}"#, "{}"),
        (#"{"a":1}"#, "{}", #"{"a":1}"#), (#"{"a":1}"#, #"{"a":1}"#, #"{"a":1}"#),
        (#"{"a":1}"#, #"{"a":{"b":null}}"#, #"{"a":{}}"#),
        (#"{"a":{"b":1}}"#, #"{"a":{"c":2}}"#, #"{"a":{"b":1,"c":2}}"#),
        (#"{"a":{"b":1}}"#, #"{"a":{"b":null}}"#, #"{"a":{}}"#),
        (#"{"a":[{"b":1}]}"#, #"{"a":[null]}"#, #"{"a":[null]}"#),
        (#"{"a":1,"b":2,"c":3}"#, #"{"b":null,"d":4}"#, #"{"a":1,"c":3,"d":4}"#),
        (#"{"\u00e9":1}"#, #"{"e\u0301":null}"#, #"{"é":1}"#),
    ])
    func `members are replaced, merged, removed or added`(
        _ target: String, _ patch: String, _ expected: String
    ) throws {
        let merged = try parse(target).merging(parse(patch))
        #expect(merged == (try parse(expected)))
        #expect(merged.merging(try parse(patch)) == merged, "twice is the same as once")
    }
}

/// Comparing, listing and proposing text.
@Suite struct TextTableTests {
    @Test(arguments: [
        ("", "", true), ("a", "a", true), ("a", "b", false), ("a", "aa", false),
        ("\u{e9}", "\u{e9}", true), ("\u{e9}", "e\u{301}", false), ("K", "\u{212A}", false),
        ("\u{1100}\u{1161}", "\u{AC00}", false), ("abcdefgh", "abcdefgh", true),
        ("abcdefghi", "abcdefghj", false), ("\0", "", false),
    ])
    func `exact strings are equal scalar by scalar`(_ a: String, _ b: String, _ isSame: Bool) {
        #expect((ExactString(a) == ExactString(b)) == isSame)
        #expect(Set([ExactString(a), ExactString(b)]).count == (isSame ? 1 : 2))
    }

    private enum Word: String, CaseIterable { case plain, accented = "\u{e9}" }

    @Test func `a case is found by its exact name`() {
        #expect(Word(named: "plain") == .plain)
        #expect(Word(named: "\u{e9}") == .accented)
        #expect(Word(named: "e\u{301}") == nil)
        #expect(Word(named: "Plain") == nil)
    }

    @Test func `a long text is clipped`() {
        let short = String(repeating: "x", count: 80)
        #expect(short.clipped == short)
        #expect((short + "x").clipped == String(repeating: "x", count: 60) + "…")
        #expect(String(repeating: "é", count: 41).clipped.unicodeScalars.count == 42)
    }

    @Test(arguments: [
        ("hoem", ["home"]), ("HOME", ["home"]), ("hom", ["home"]), ("homes", ["home"]),
        ("settigns", ["settings"]), ("profil", ["profile"]), ("xyz", []), ("", []),
        ("detail2", ["detail", "detail1", "detail3"]),
    ])
    func `near names are proposed, the nearest first`(_ name: String, _ expected: [String]) {
        let known = ["home", "settings", "profile", "detail", "detail1", "detail3"]
        #expect(Spelling.near(name, among: known, work: WorkBudget()) == expected)
        let proposal = expected.first.map { " (did you mean \($0)?)" } ?? ""
        #expect(Spelling.proposal(for: name, among: known, work: WorkBudget()) == proposal)
    }

    @Test func `without units for hints nothing is proposed`() {
        let name = String(repeating: "a", count: 120)
        let known = (0..<1_000).map { _ in name + "b" }
        let work = WorkBudget()
        _ = Spelling.near(name, among: known, work: work)
        #expect(work.unitsLeft == WorkBudget.unitsMax, "hints have units of their own")
        #expect(work.unitsSpent > 100_000)
        #expect(Spelling.near(name, among: known, work: work) == [])
        work.renew()
        #expect(Spelling.near(name, among: [name + "b"], work: work) == [name + "b"])
    }

    @Test func `a list stops at a number and at a length`() {
        var short = BoundedList<Int>()
        #expect(short.isEmpty)
        for number in 0..<200 { short.append(number, bytes: 1) }
        #expect(short.all == Array(0..<100))
        #expect(short.isFull)
        var long = BoundedList<Int>()
        for number in 0..<10 { long.append(number, bytes: 100 << 10) }
        #expect(long.all == [0, 1, 2])
        #expect(long.isFull && !long.isEmpty)
    }
}

/// The units of a request.
@Suite struct WorkBudgetTests {
    @Test(arguments: [
        (Work.steps(7), 7), (.entries(7), 28), (.parsing(bytes: 7), 7), (.moving(bytes: 64), 2),
        (.moving(bytes: 31), 0),
    ])
    func `each kind of work has its cost`(_ work: Work, _ units: Int) throws {
        #expect(work.units == units)
        let budget = WorkBudget(units: 100)
        try budget.spend(work)
        #expect(budget.unitsLeft == 100 - units)
        #expect(budget.unitsSpent == units)
    }

    @Test func `a budget is used up by the first work that it cannot afford`() throws {
        let budget = WorkBudget(units: 10)
        #expect(budget.canAfford(.steps(10)) && !budget.canAfford(.steps(11)))
        try budget.spend(.steps(4))
        #expect(throws: WorkBudgetError.self) { try budget.spend(.steps(7)) }
        #expect(budget.unitsLeft == 0)
        #expect(throws: WorkBudgetError.self) { try budget.spend(.steps(1)) }
        try budget.spend(.steps(0))
        budget.renew(units: 5)
        try budget.spend(.steps(5))
        #expect(budget.unitsSpent == 15, "units before a renewal count, too")
    }
}

/// Adding to an object and to a text.
@Suite struct ObjectTableTests {
    @Test(arguments: [0, 1, 15, 16, 17, 100])
    func `members are found however many there are`(_ count: Int) throws {
        let object = JSONObject((0..<count).map { ("k\($0)", JSON.integer(Int64($0))) })
        #expect(object.count == count && object.isEmpty == (count == 0))
        for index in 0..<count { #expect(object["k\(index)"] == .integer(Int64(index))) }
        #expect(object["k\(count)"] == nil)
        #expect(!object.contains("K0"))
        let text = JSON.object(object).text
        #expect(try parse(text) == .object(object))
        #expect(object == JSONObject(object.members.reversed().map { ($0.key, $0.value) }))
    }

    @Test(arguments: [
        (1.0, "1.0"), (-1.5, "-1.5"), (1e21, "1e+21"), (1e-7, "1e-07"), (123456.789, "123456.789"),
        (0.1 + 0.2, "0.30000000000000004"), (.pi, "3.141592653589793"), (-0.0, "-0.0"),
        (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
    ])
    func `a double is written so that it reads back the same`(
        _ number: Double, _ expected: String
    ) throws {
        var out = ByteWriter()
        out.append(number)
        let text = out.string
        #expect(text == expected)
        #expect(try parse(text) == .double(number))
    }
}
