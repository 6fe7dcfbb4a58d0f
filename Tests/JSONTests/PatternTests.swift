import Bytes
import JSON
import TestSupport
import Testing

func search(_ pattern: String, _ text: String) throws -> Pattern.Result {
    try Pattern(pattern).matches(text)
}

@Suite struct PatternTests {
    @Test(
        arguments: [
            ("", ["", "x"], []), ("a", ["a", "xay"], ["", "b"]),
            ("^a$", ["a"], ["aa", "a\n", "\na"]),
            ("a|bc|", ["", "x"], []), ("^(a|bc)$", ["a", "bc"], ["b", "abc"]),
            ("^a*$", ["", "aaa"], ["ab"]), ("^a+?$", ["a", "aaa"], ["", "ab"]),
            ("^ab?c$", ["ac", "abc"], ["abbc"]), ("^a{2}$", ["aa"], ["a", "aaa"]),
            ("^a{2,}$", ["aa", "aaaa"], ["a"]), ("^(ab){1,2}?$", ["ab", "abab"], ["", "ababab"]),
            ("^(?:a{0,2}){2}$", ["", "aaaa"], ["aaaaa"]),
            ("^.$", ["x", "𝄞", "é"], ["\n", "\r", "\u{2028}"]),
            ("^\\d{3}-\\d{4}$", ["555-1234"], ["555-123", "５５５-1234"]),
            ("^\\w+$", ["aZ_9"], ["é", "a-b"]), ("^\\W$", ["é", "-"], ["a"]),
            ("^\\D$", ["x"], ["1"]),
            ("^\\s$", [" ", "\t", "\u{a0}", "\u{feff}", "\u{2029}", "\u{3000}"], ["\u{85}", "x"]),
            ("^\\S$", ["x"], ["\n"]), ("\\bfoo\\b", ["a foo b", "foo"], ["afoo", "foo_"]),
            ("\\Boo", ["foo"], ["oo"]), ("^[a-c-]$", ["a", "c", "-"], ["d"]),
            ("^[^a-c]$", ["d", "\n"], ["b"]),
            ("^[\\d_]+$", ["1_2"], ["a"]), ("^[^\\s]$", ["a"], [" "]),
            ("^[\\S\\s]$", ["a", "\n"], [""]),
            ("^[\\b]$", ["\u{8}"], ["b"]), ("^[]a", [], ["a", ""]), ("^[^]$", ["a", "\n"], [""]),
            ("^[\\-\\]]$", ["-", "]"], ["\\"]), ("^[[]$", ["["], []),
            ("^[--0]$", ["-", ".", "0"], ["1"]),
            ("^\\u0041\\x42\\cJ\\t\\0$", ["AB\n\t\0"], []), ("^\\u{1F600}$", ["😀"], []),
            ("^\\uD83D\\uDE00$", ["😀"], []), ("^[\\u{1F600}-\\u{1F64F}]$", ["😀"], ["a"]),
            ("^\\uD83D", [], ["😀"]), ("^[😀-😂]{2}$", ["😀😁"], ["😀"]),
            ("^\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/$", ["^$\\.*+?()[]{}|/"], []),
            ("a(?=b)", ["ab"], ["ac"]), ("a(?!b)", ["ac", "a"], ["ab"]),
            ("(?<=a)b", ["ab"], ["cb", "b"]),
            ("(?<!a)b", ["cb", "b"], ["ab"]), ("(?<=^ab+)c", ["abbc"], ["bc"]),
            ("^(?!.*(?:foo|bar)).+$", ["baz"], ["a bar"]), ("(?<=\\d{2})x", ["12x"], ["1x"]),
            ("^(?=.*\\d)(?=.*[a-z]).{4,8}$", ["abc1"], ["abcd", "1234", "ab1"]),
            ("^(a+)-\\1$", ["aa-aa"], ["aa-a"]), ("^(?<x>.)\\k<x>$", ["aa"], ["ab"]),
            ("^\\1(a)$", ["a"], ["aa"]), ("^(?:(a)|b)*\\1$", ["ab", "aa"], []),
            ("^(?:(a)|(b))+\\1$", ["ab"], []),
            ("(?<=(.)\\1)b", ["aab"], []), ("(?<=\\1(.))b", ["aab"], ["acb"]),
            ("^(a*)*$", ["", "aaa"], ["b"]), ("^(?:a?)*?b$", ["aab", "b"], ["a"]),
            ("^(){5}$", [""], ["a"]),
            ("^(?:a|ab)(?:c|bcd)(?:d*)$", ["abcd"], []),
            ("^(z)((a+)?(b+)?(c))*$", ["zaacbbbcac"], []),
            ("^\\p{Lu}\\p{Ll}+$", ["Ärger"], ["ärger"]), ("^\\p{Letter}+$", ["aÄク"], ["1"]),
            ("^\\P{L}$", ["1"], ["a"]), ("^[\\p{Nd}\\p{Emoji_Presentation}]$", ["٣", "😀"], ["a"]),
            ("^\\p{gc=Zs}$", [" "], ["\n"]), ("^[^\\p{L}]$", ["1"], ["é"]),
            ("^\\p{Alphabetic}$", ["ß"], ["!"]),
            ("^\\p{ASCII}+$", ["abc"], ["é"]), ("^e\u{301}$", ["e\u{301}"], ["\u{e9}"]),
            ("^.{1,4096}$", ["x"], [""]),
            ("^#([0-9a-fA-F]{3}){1,2}$", ["#fff", "#c0ffee"], ["#ffff"]),
            ("^[^@ ]+@[^@ ]+\\.[a-z]{2,}$", ["ada@example.org"], ["ada@", "a b@c.de"]),
        ] as [(String, [String], [String])])
    func `a pattern matches some texts and not others`(
        _ source: String, _ takes: [String], _ refuses: [String]
    )
        throws
    {
        let pattern = try Pattern(source)
        for text in takes { #expect(pattern.matches(text) == .matches, "\(text)") }
        for text in refuses { #expect(pattern.matches(text) == .doesNotMatch, "\(text)") }
    }

    @Test(arguments: [
        ("a{", PatternError.Reason.loneBracket("{")), ("{", .loneBracket("{")),
        ("}", .loneBracket("}")),
        ("a]", .loneBracket("]")), ("a{,5}", .loneBracket("{")), ("a{1", .loneBracket("{")),
        ("(a", .groupNotClosed), ("a)", .unmatchedParenthesis), ("[a", .classNotClosed),
        ("*a", .nothingToRepeat), ("a**", .nothingToRepeat), ("^*", .nothingToRepeat),
        ("(?=a)*", .nothingToRepeat), ("\\b+", .nothingToRepeat), ("a{2,1}", .repeatsOutOfOrder),
        ("a{9999999}", .tooManyRepeats), ("(?i:a)", .unknownGroup), ("(?#x)", .unknownGroup),
        ("(?<1>a)", .invalidGroupName), ("(?<>a)", .invalidGroupName),
        ("(?<a>x)(?<a>y)", .duplicateGroupName("a")), ("\\1", .unknownReference("1")),
        ("(a)\\2", .unknownReference("2")), ("\\k<a>", .unknownReference("a")),
        ("\\-", .invalidEscape("\\-")), ("\\a", .invalidEscape("\\a")),
        ("\\00", .invalidEscape("\\0")),
        ("\\xg1", .invalidEscape("\\x")), ("\\u12", .invalidEscape("\\u")),
        ("\\u{110000}", .invalidEscape("\\u")), ("\\c1", .invalidEscape("\\c")),
        ("a\\", .patternEnds),
        ("[b-a]", .rangeOutOfOrder), ("[\\d-a]", .classInRange), ("[a-\\w]", .classInRange),
        ("[\\B]", .invalidEscape("\\B")), ("[\\1]", .invalidEscape("\\1")),
        ("\\p{Foo}", .unknownProperty("Foo")), ("\\p{Script=Latin}", .scriptsNotSupported),
        ("\\pL", .invalidEscape("\\p without {…}")), ("\\p{L", .patternEnds), ("(?", .unknownGroup),
    ])
    func `an invalid pattern is refused with a reason`(
        _ source: String, _ expected: PatternError.Reason
    ) {
        let error = #expect(throws: PatternError.self) { try Pattern(source) }
        #expect(error?.reason == expected)
    }

    @Test func `a pattern's size is bounded`() {
        let groups = { (n: Int) in
            String(repeating: "(", count: n) + String(repeating: ")", count: n)
        }
        #expect(throws: Never.self) { try Pattern(groups(49)) }
        #expect(throws: PatternError.self) { try Pattern(groups(51)) }
        #expect(throws: PatternError.self) { try Pattern(String(repeating: "a", count: 2_001)) }
        #expect((try? Pattern(#"é(b"#)) == nil)
        let error = #expect(throws: PatternError.self) { try Pattern(#"é(b"#) }
        #expect(error?.description == "at character 2: missing ) at the end of a group")
    }

    @Test(arguments: [
        "^(a+)+$", "^(a|aa)+$", "^(a*)*$", "^(a|a)*$", "^(.*a){20}$", "(x+x+)+y",
        "^(([a-z])+.)+[A-Z]$",
        "^(?=(a+)+$)", "^(?:(?:a?){50}){50}$", "(a?){1000}$",
    ])
    func `exponential backtracking ends after the allowed steps`(_ source: String) throws {
        let pattern = try Pattern(source)
        for text in [
            String(repeating: "a", count: 40) + "!", String(repeating: "x", count: 2_000),
        ] {
            for allowed in [10, 1_000, 100_000] {
                var steps = allowed
                let result = pattern.matches(text, steps: &steps)
                #expect((result == .tookTooLong) == (steps == 0), "\(allowed)")
            }
        }
    }

    @Test func `the classic case of exponential backtracking takes too long`() throws {
        #expect(try search("^(a+)+$", String(repeating: "a", count: 40) + "!") == .tookTooLong)
    }

    @Test func `a long text does not overflow the stack, and a simple pattern can match it`() throws
    {
        let long = String(repeating: "ab", count: 32_768)
        #expect(try search("^(ab)*$", long) == .matches)
        #expect(try search("^(?:a|b)*$", long) == .matches)
        #expect(try search("^[ab]*$", long) == .matches)
        #expect(try search("^\\p{L}*$", long) == .matches)
        #expect(try search("ba$", long) == .doesNotMatch)
        #expect(try search("^((a|b)+)+$", long + "!") == .tookTooLong)
    }

    @Test(.seeded) func `a random pattern never traps`() {
        var generator = SplitMix64()
        let pieces = [
            "a", "b", "(", ")", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "[", "]", "[^", "-",
            "|",
            "*", "+", "?", "*?", "{2}", "{0,3}", "{1,}?", "\\1", "\\2", "\\k<n>", "\\b", "\\d",
            "\\w",
            "\\p{L}", "^", "$", ".", "é", "\\u0061", "\\", "{", "}",
        ]
        var compiled = 0
        for _ in 0..<3_000 {
            let length = Int.random(in: 1...8, using: &generator)
            let source = (0..<length).map { _ in
                pieces[Int.random(in: pieces.indices, using: &generator)]
            }.joined()
            guard let pattern = try? Pattern(source) else { continue }
            compiled += 1
            for text in ["", "a", "abba", "éab", "aaaaab"] {
                _ = pattern.matches(text, stepsMax: 5_000)
            }
        }
        #expect(compiled > 100)
    }
}
