import JSON
import Navigation
import Testing

@Suite struct NameTests {
    @Test(arguments: ["a", "7", "A-b_c.d~e", "0x", String(repeating: "n", count: 64)])
    func `a name has 1 to 64 letters, digits and some marks`(_ text: String) {
        #expect(RouteName(text)?.rawValue == text)
        #expect(AppID(text)?.rawValue == text)
        #expect(TabID(text)?.rawValue == text)
        #expect(SessionID(text)?.rawValue == text)
    }

    @Test(arguments: [
        "", "-a", ".a", "_a", "~a", "a b", "a/b", "a%", "é", "a\u{301}", "a\n", "a\u{0}", "@a",
        String(repeating: "n", count: 65),
    ])
    func `anything else is no name`(_ text: String) {
        #expect(RouteName(text) == nil)
        #expect(AppID(text) == nil)
        #expect(TabID(text) == nil)
    }

    @Test func `a session's name may be twice as long`() {
        #expect(SessionID(String(repeating: "s", count: 128)) != nil)
        #expect(SessionID(String(repeating: "s", count: 129)) == nil)
        #expect(SessionID("-s") == nil)
    }

    @Test(arguments: [
        "active", "visible", "e0", "e1", "e01", "e00", "e123456789012345", "e1234567890123456",
    ])
    func `a tab takes no word that commands need, nor e and digits`(_ text: String) {
        #expect(TabID(text) == nil)
        #expect(RouteName(text) != nil, "that is a matter of tabs alone")
    }

    @Test(arguments: ["e", "E1", "e1x", "ex1", "Active", "e-1", "e1."])
    func `a tab may look nearly like that`(_ text: String) {
        #expect(TabID(text) != nil)
    }

    @Test(arguments: [0, 1, 10, 42, EntryID.numberMax])
    func `an entry's id is e and a number`(_ number: Int) {
        #expect(EntryID("e\(number)") == EntryID(number: number))
        #expect(EntryID(number: number).description == "e\(number)")
    }

    @Test(arguments: [
        "", "e", "1", "E1", "e01", "e00", "e-1", "e+1", "e1 ", "e1x", "e1000000000000000",
        "e٣", "f1",
    ])
    func `anything else is no entry's id`(_ text: String) {
        #expect(EntryID(text) == nil)
    }

    @Test func `names are ordered by their text and ids by their number`() {
        #expect(RouteName(trusted: "a") < RouteName(trusted: "b"))
        #expect(EntryID(number: 9) < EntryID(number: 10))
    }
}

@Suite struct NearNameTests {
    static let declared = ["contactList", "contactDetail", "conversation", "settings", "a"]

    static let examples: [(name: String, near: [String])] = [
        ("contactDetial", ["contactDetail"]),
        ("ContactList", ["contactList"]),
        ("contactLst", ["contactList"]),
        ("setting", ["settings"]),
        ("conversatoin", ["conversation"]),
        ("b", ["a"]),
        ("nothing", []),
        ("", ["a"]),
    ]

    @Test(arguments: examples)
    func `the names that are told look like the one that was given`(
        _ name: String, _ near: [String]
    ) {
        #expect(Spelling.near(name, among: Self.declared, work: WorkBudget()) == near)
    }

    @Test func `at most three are told, the likest first, then by name`() {
        let names = ["paths", "pathss", "patsh", "path", "bath", "math"]
        #expect(
            Spelling.near("path", among: names, work: WorkBudget()) == ["path", "bath", "math"])
    }

    @Test func `a very long name is near to nothing and costs little`() {
        #expect(
            Spelling.near(
                String(repeating: "x", count: 100_000), among: Self.declared, work: WorkBudget())
                == [])
    }
}
