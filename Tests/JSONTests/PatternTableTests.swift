import JSON
import Testing

/// The grammar and the meaning of patterns, by the sections of ECMA-262 (with the `u` flag).
@Suite struct PatternTableTests {
    /// A pattern, texts in which it is found, and texts in which it is not.
    struct Row: Sendable, CustomTestStringConvertible {
        var pattern: String
        var found: [String]
        var missed: [String]
        var testDescription: String { pattern }

        init(_ pattern: String, _ found: [String], not missed: [String]) {
            self.pattern = pattern
            self.found = found
            self.missed = missed
        }
    }

    private func check(_ row: Row) throws {
        let pattern = try Pattern(row.pattern)
        #expect(pattern.source == row.pattern)
        for text in row.found { #expect(pattern.matches(text) == .matches, "\(text)") }
        for text in row.missed { #expect(pattern.matches(text) == .doesNotMatch, "\(text)") }
    }

    /// §22.2.2.4
    @Test(arguments: [
        Row("^", ["", "a", "\n"], not: []),
        Row("^a", ["a", "ab"], not: ["ba", "\na"]),
        Row("a$", ["a", "ba"], not: ["ab", "a\n"]),
        Row("^$", [""], not: ["\n", " "]),
        Row("a^b", [], not: ["ab", "a\nb"]),
        Row(#"\ba"#, ["a", "b a", "-a"], not: ["ba", "_a", "1a"]),
        Row(#"a\b"#, ["a", "a b", "aé"], not: ["ab", "a1"]),
        Row(#"\B"#, ["", "ab", "-"], not: ["a"]),
        Row(#"a\Bb"#, ["ab"], not: ["a b"]),
        Row("(?=a)a", ["a", "ba"], not: ["b"]),
        Row("(?!a).", ["b", "ab"], not: ["a", ""]),
        Row("(?<=a)$", ["a", "ba"], not: ["ab", ""]),
        Row("(?<!a)$", ["", "ab"], not: ["a"]),
        Row("^(?=.*b)a", ["ab", "aab"], not: ["a", "ba"]),
        Row("(?<=^|,)x", ["x", "a,x"], not: ["ax"]),
    ])
    func `assertions`(_ row: Row) throws { try check(row) }

    /// §22.2.2.3
    @Test(arguments: [
        Row("^a*$", ["", "a", "aaa"], not: ["b", "ab"]),
        Row("^a+$", ["a", "aa"], not: ["", "b"]),
        Row("^a?$", ["", "a"], not: ["aa"]),
        Row("^a{0}$", [""], not: ["a"]),
        Row("^a{3}$", ["aaa"], not: ["aa", "aaaa"]),
        Row("^a{2,}$", ["aa", "aaaaa"], not: ["a"]),
        Row("^a{2,3}$", ["aa", "aaa"], not: ["a", "aaaa"]),
        Row("^a{02}$", ["aa"], not: ["a"]),
        Row("^a*?$", ["", "aa"], not: ["b"]),
        Row("^a+?b$", ["ab", "aab"], not: ["b"]),
        Row("^a??b$", ["b", "ab"], not: ["aab"]),
        Row("^a{1,2}?b$", ["ab", "aab"], not: ["b", "aaab"]),
        Row("^(?:ab)+$", ["ab", "abab"], not: ["aba"]),
        Row("^(?:a|b){2}$", ["ab", "ba"], not: ["a", "abc"]),
        Row("^(?:a*)*$", ["", "aaa"], not: ["ab"]),
        Row("^(?:a?){3}$", ["", "aaa"], not: ["aaaa"]),
        Row("^(?:)*a$", ["a"], not: ["b"]),
        Row("^(?:.*?,){2}x$", ["a,b,x", ",,x"], not: ["a,x"]),
    ])
    func `repetitions`(_ row: Row) throws { try check(row) }

    /// §22.2.2.7 and the notes in §22.2.2.3 about cleared captures.
    @Test(arguments: [
        Row(#"^(a)\1$"#, ["aa"], not: ["a", "ab"]),
        Row(#"^(a*)b\1$"#, ["b", "aba"], not: ["ab", "abaa"]),
        Row(#"^(?:(a)|b)\1$"#, ["aa", "b"], not: ["ab", "ba"]),
        Row(#"^(?<year>\d)-\k<year>$"#, ["1-1"], not: ["1-2"]),
        Row(#"^\k<x>(?<x>a)$"#, ["a"], not: ["aa"]),
        Row(#"^(?<$>a)(?<_b>b)\k<_b>\k<$>$"#, ["abba"], not: ["abab"]),
        Row(#"^(a(b)?)+\2$"#, ["aba", "abb"], not: ["abc"]),
        Row(#"^(?:(a)|(b)|c)+\1\2$"#, ["abc", "ac", "bc"], not: ["abca"]),
        Row(#"(?=(a+))\1b"#, ["aab"], not: ["b"]),
        Row(#"^(?!(a)b)\1c"#, ["c"], not: ["ac"]),
        Row(#"^(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)\10$"#, ["123456789xx"], not: ["123456789x1"]),
        Row("^(\u{e9})\\1$", ["\u{e9}\u{e9}"], not: ["\u{e9}e\u{301}"]),
    ])
    func `captures and references`(_ row: Row) throws { try check(row) }

    /// §22.2.1, ClassRanges.
    @Test(arguments: [
        Row("^[abc]$", ["a", "c"], not: ["d", "ab", ""]),
        Row("^[a-c]$", ["a", "b", "c"], not: ["d", "-"]),
        Row("^[a-]$", ["a", "-"], not: ["b"]),
        Row("^[-a]$", ["a", "-"], not: ["b"]),
        Row("^[^a]$", ["b", "\n", "😀"], not: ["a", ""]),
        Row("^[]$", [], not: ["", "a"]),
        Row("^[^]$", ["a", "\n", "\u{2028}"], not: [""]),
        Row("^[a^]$", ["a", "^"], not: ["b"]),
        Row(#"^[\]\\]$"#, ["]", #"\"#], not: ["["]),
        Row("^[.*+?(){}|/$]$", [".", "*", "$", "|"], not: ["a"]),
        Row(#"^[\d.]$"#, ["1", "."], not: ["a"]),
        Row(#"^[\w\s]$"#, ["a", " ", "_"], not: ["-"]),
        Row(#"^[^\d]$"#, ["a"], not: ["1"]),
        Row(#"^[\D\d]$"#, ["a", "1"], not: [""]),
        Row(#"^[\n-\r]$"#, ["\n", "\u{b}", "\r"], not: ["\t"]),
        Row(#"^[\x41-\u0043]$"#, ["A", "B", "C"], not: ["D"]),
        Row("^[α-ω]$", ["β"], not: ["a", "Ω"]),
        Row("^[c-ea-b]$", ["a", "b", "c", "e"], not: ["f"]),
        Row("^[a-cb-d]$", ["a", "d"], not: ["e"]),
    ])
    func `classes`(_ row: Row) throws { try check(row) }

    /// §22.2.1, AtomEscape and CharacterEscape.
    @Test(arguments: [
        Row(#"^\t\n\v\f\r$"#, ["\t\n\u{b}\u{c}\r"], not: ["tnvfr"]),
        Row(#"^\cA\cz$"#, ["\u{1}\u{1a}"], not: ["cAcz"]),
        Row(#"^\0$"#, ["\0"], not: ["0"]),
        Row(#"^\x7e\xE9$"#, ["~\u{e9}"], not: ["x7exE9"]),
        Row(#"^\u007E$"#, ["~"], not: ["u007E"]),
        Row(#"^\u{7E}\u{00007e}$"#, ["~~"], not: ["~"]),
        Row(#"^\u{10FFFF}$"#, ["\u{10FFFF}"], not: ["\u{FFFD}"]),
        Row(#"^\uD834\uDD1E$"#, ["𝄞"], not: ["\u{FFFD}"]),
        Row(#"^\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/$"#, [#"^$\.*+?()[]{}|/"#], not: ["^"]),
        Row(#"^\d\D\w\W\s\S$"#, ["1a_- x"], not: ["a1_- x", "1a_-xx"]),
        Row("^.$", ["a", "\u{85}", "𝄞"], not: ["\n", "\r", "\u{2028}", "\u{2029}", ""]),
    ])
    func `escapes and the dot`(_ row: Row) throws { try check(row) }

    /// The white space and line terminators of §12.2 and §12.3.
    @Test(
        arguments: [
            0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0xA0, 0x1680, 0x2000, 0x200A, 0x2028, 0x2029,
            0x202F,
            0x205F, 0x3000, 0xFEFF,
        ] as [UInt32])
    func `white space`(_ value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        #expect(try search(#"^\s$"#, String(Character(scalar))) == .matches)
        #expect(try search(#"^\S$"#, String(Character(scalar))) == .doesNotMatch)
    }

    @Test(arguments: [0x08, 0x0E, 0x1F, 0x21, 0x85, 0x180E, 0x200B, 0x200D, 0x2060] as [UInt32])
    func `characters that are not white space`(_ value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        #expect(try search(#"^\s$"#, String(Character(scalar))) == .doesNotMatch)
    }

    /// Tables 67 to 70 of ECMA-262: the names of UAX #44.
    @Test(arguments: [
        Row(#"^\p{Lu}$"#, ["A", "Ä", "Ω"], not: ["a", "\u{1C5}", "1"]),
        Row(#"^\p{Uppercase_Letter}$"#, ["A"], not: ["a"]),
        Row(#"^\p{General_Category=Lu}$"#, ["A"], not: ["a"]),
        Row(#"^\p{Lt}$"#, ["\u{1C5}"], not: ["A"]),
        Row(#"^\p{LC}$"#, ["a", "A", "\u{1C5}"], not: ["ª", "中"]),
        Row(#"^\p{L}$"#, ["a", "中", "ª"], not: ["1", "_"]),
        Row(#"^\p{M}$"#, ["\u{301}"], not: ["a"]),
        Row(#"^\p{Nd}$"#, ["1", "٣"], not: ["½", "Ⅷ"]),
        Row(#"^\p{N}$"#, ["1", "½", "Ⅷ"], not: ["a"]),
        Row(#"^\p{Pd}$"#, ["-", "—"], not: ["_"]),
        Row(#"^\p{P}$"#, ["!", "_", "«"], not: ["+", "a"]),
        Row(#"^\p{Sc}$"#, ["$", "€"], not: ["+"]),
        Row(#"^\p{Sm}$"#, ["+", "<"], not: ["-"]),
        Row(#"^\p{Zs}$"#, [" ", "\u{A0}"], not: ["\t", "\n"]),
        Row(#"^\p{Cc}$"#, ["\u{0}", "\u{7f}", "\n"], not: [" "]),
        Row(#"^\p{Any}$"#, ["a", "\u{10FFFF}"], not: [""]),
        Row(#"^\p{ASCII}$"#, ["a", "\u{7f}"], not: ["\u{80}"]),
        Row(#"^\p{Assigned}$"#, ["a"], not: ["\u{378}"]),
        Row(#"^\p{Alphabetic}$"#, ["a", "Ⅷ"], not: ["1"]),
        Row(#"^\p{White_Space}$"#, [" ", "\u{85}"], not: ["\u{FEFF}"]),
        Row(#"^\p{AHex}+$"#, ["09afAF"], not: ["g", "Ａ"]),
        Row(#"^\p{ID_Start}\p{IDC}*$"#, ["a1", "Ω"], not: ["1a"]),
        Row(#"^\P{Lu}$"#, ["a", "1"], not: ["A"]),
        Row(#"^[\p{Lu}\p{Nd}]$"#, ["A", "1"], not: ["a"]),
        Row(#"^[^\p{Lu}]$"#, ["a"], not: ["A"]),
    ])
    func `properties`(_ row: Row) throws { try check(row) }

    /// A pattern, the error, and the number of scalars before it.
    @Test(arguments: [
        (#"ab\"#, "at character 4: the pattern ends unexpectedly"),
        ("ab(", "at character 3: missing ) at the end of a group"),
        ("ab(c", "at character 3: missing ) at the end of a group"),
        ("abc)", "at character 4: unmatched ); write \\) for the character"),
        ("a[b", "at character 2: missing ] at the end of a class"),
        ("a{", "at character 2: write \\{ for the character {"),
        ("ab}", "at character 3: write \\} for the character }"),
        ("a|*", "at character 3: there is nothing to repeat"),
        ("x(?=y)*", "at character 2: there is nothing to repeat"),
        ("a{3,1}", "at character 2: the numbers in {n,m} are out of order"),
        ("a{1048577}", "at character 9: the maximum number of repetitions is 1048576"),
        ("(?x)", "at character 1: after (? only : = ! <= <! and <name> are supported"),
        ("(?<a>b)(?<a>c)", "at character 8: two groups are named a"),
        (#"\k<b>"#, "at character 1: there is no group b"),
        (#"ab\q"#, #"at character 3: \q is not a valid escape"#),
        (#"[z-a]"#, "at character 2: the range is out of order"),
        (
            #"[\w-z]"#,
            "at character 2: a range cannot end in a class; write \\- for the character -"
        ),
        (#"\p{Nope}"#, "at character 1: the property Nope is unknown"),
        (#"\p{sc=Latn}"#, "at character 1: scripts are not supported in \\p{…}"),
    ])
    func `an error has a position and a sentence`(_ source: String, _ expected: String) {
        let error = #expect(throws: PatternError.self) { try Pattern(source) }
        #expect(error?.description == expected)
    }

    @Test func `the steps of a search grow with the length of its text`() throws {
        let pattern = try Pattern("^(?:[a-z]+,)*[a-z]+$")
        var costs: [Int] = []
        for count in [100, 200, 400] {
            let text = Array(repeating: "abc", count: count).joined(separator: ",")
            var steps = 1_000_000
            #expect(pattern.matches(text, steps: &steps) == .matches)
            costs.append(1_000_000 - steps)
        }
        #expect(costs[1] < 3 * costs[0] && costs[2] < 3 * costs[1])
    }
}
