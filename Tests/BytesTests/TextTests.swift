import Bytes
import Testing

/// Strings are compared by their bytes, in every form in which a comparison can be written.
@Suite struct TextTests {
    private static let pairs: [(String, String, Bool)] = [
        ("", "", true), ("a", "a", true), ("a", "b", false), ("a", "aa", false),
        ("\u{e9}", "\u{e9}", true), ("\u{e9}", "e\u{301}", false), ("K", "\u{212A}", false),
        ("\u{1100}\u{1161}", "\u{AC00}", false), ("\0", "", false),
    ]

    private struct Record: Equatable {
        var text: String
        var other: String?
        var list: [String]
        var maybe: [String]?
    }

    private enum Choice: Equatable {
        case text(String)
    }

    @Test(arguments: pairs)
    func `strings are equal if their bytes are`(_ a: String, _ b: String, _ isSame: Bool) {
        let (first, second): (String?, String?) = (a, b)
        #expect((a == b) == isSame)
        #expect((a != b) != isSame)
        #expect((first == b) == isSame)
        #expect((first != b) != isSame)
        #expect((first == second) == isSame)
        #expect((first != second) != isSame)
        #expect(([a] == [b]) == isSame)
        #expect((Optional([a]) == Optional([b])) == isSame)
        #expect([a].contains(b) == isSame)
        #expect((Substring(a) == Substring(b)) == isSame)
        #expect((Substring(a) == b) == isSame)
        #expect((Choice.text(a) == .text(b)) == isSame)
        switch a {
        case b: #expect(isSame)
        default: #expect(!isSame)
        }
    }

    @Test(arguments: pairs)
    func `a synthesized comparison compares bytes`(_ a: String, _ b: String, _ isSame: Bool) {
        let record = Record(text: a, other: a, list: [a], maybe: [a])
        #expect((record == Record(text: b, other: a, list: [a], maybe: [a])) == isSame)
        #expect((record == Record(text: a, other: b, list: [a], maybe: [a])) == isSame)
        #expect((record == Record(text: a, other: a, list: [b], maybe: [a])) == isSame)
        #expect((record == Record(text: a, other: a, list: [a], maybe: [b])) == isSame)
        #expect(record != Record(text: a, other: nil, list: [a], maybe: [a]))
        #expect(record != Record(text: a, other: a, list: [a], maybe: nil))
    }

    @Test func `the same bytes are equal however a string holds them`() {
        for text in ["", "a", "fifteen bytes ..", "sixteen bytes ...", "zwölf", "é", "e\u{301}"] {
            var own = ""
            own.reserveCapacity(100)
            own += text
            #expect(own == text)
            #expect(own + "x" != text)
            #expect(own != text + "x")
        }
        #expect("é" != "e\u{301}")
    }

    @Test func `nothing equals what is missing`() {
        let none: String? = nil
        #expect(none != "")
        #expect(none == nil)
        #expect(none == none)
    }

    @Test func `strings are ordered, begin and end by their bytes`() {
        #expect("e\u{301}" < "\u{e9}")
        #expect(!("\u{e9}" < "e\u{301}"))
        #expect("" < "a")
        #expect("session-1" < "session-10" && !("session-10" < "session-1"))
        #expect("session-10" < "session-2" && "z" < "\u{e9}")
        #expect("a".order("a") == 0 && "a".order("b") < 0 && "b".order("a") > 0)
        #expect("\u{e9}x".hasPrefix("\u{e9}"))
        #expect(!"\u{e9}x".hasPrefix("e\u{301}"))
        #expect("e\u{301}".hasPrefix("e"))
        #expect("x\u{e9}".hasSuffix("\u{e9}"))
        #expect(!"x\u{e9}".hasSuffix("e\u{301}"))
        #expect(!"x".hasSuffix("xx"))
        #expect(Substring("ab").hasPrefix("a"))
        #expect(Substring("ab").hasSuffix("b"))
    }

    @Test func `characters are compared by their bytes`() {
        let other: Character = "e\u{301}"
        #expect("\u{e9}".contains("\u{e9}" as Character))
        #expect(!"\u{e9}".contains(other))
        #expect("\u{e9}".firstIndex(of: other) == nil)
        let parts: [Substring] = "a,b,,c".split(separator: "," as Character)
        #expect(parts == ["a", "b", "c"])
        let pair = "a,b", comma: Character = ","
        #expect(pair.firstIndex(of: comma) == pair.lastIndex(of: comma))
    }
}
