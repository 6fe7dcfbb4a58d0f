import JSON
import Navigation
import Testing

/// The forms of patterns, and which URLs they match.
@Suite struct LinkFormTests {
    /// An app with one link that makes params of the captures a to i (texts), n and m (integers),
    /// t (a list of texts) and k (a list of integers).
    private func linked(_ pattern: String, _ more: String = "") throws -> App {
        let names = pattern.split(separator: "{").dropFirst().map { part in
            part.prefix { !"}*?".contains($0) }
        }
        let params = names.map { "\"\($0)\":\"{\($0)}\"" }.joined(separator: ",")
        return try app(
            #"""
            {"routes":{"r":{"params":{"additionalProperties":{"type":"string"},"properties":{
              "n":{"type":"integer"},"m":{"type":"integer"},
              "t":{"type":"array","items":{"type":"string"}},
              "k":{"type":"array","items":{"type":"integer"}}}}}},
             "tabs":[{"id":"t","routes":["r"]}],
             "links":[{"pattern":"\#(pattern)"\#(more),
              "path":[{"route":"r","params":{\#(params)}}]}]}
            """#)
    }

    /// The params to which a URL leads, or nil if it leads nowhere.
    private func params(_ url: String, _ app: App) throws -> String? {
        try app.resolve(url, work: WorkBudget())?.path?.first
            .map { JSON.object($0.params.object).text }
    }

    static let segments: [(pattern: String, url: String, params: String?)] = [
        // Several captures, an earlier one as short as possible.
        ("/{a}-{b}", "/x-y", #"{"a":"x","b":"y"}"#),
        ("/{a}-{b}", "/x-y-z", #"{"a":"x","b":"y-z"}"#),
        ("/{a}-{b}", "/--z", #"{"a":"-","b":"z"}"#),
        ("/{a}-{b}", "/-z", nil), ("/{a}-{b}", "/x-", nil), ("/{a}-{b}", "/-", nil),
        ("/{a}-{b}", "/x", nil), ("/{a}-{b}", "/x/-y", nil),
        ("/{a}-{b}", "/x%2Dy", #"{"a":"x","b":"y"}"#),
        ("/{a}ab{b}abc{c}", "/1abab2abc3abc4", #"{"a":"1","b":"ab2","c":"3abc4"}"#),
        ("/{a}é{b}", "/%C3%A9é%C3%A9", #"{"a":"é","b":"é"}"#),
        ("/@{a},{b},{n}z", "/@1.5,2.5,9z", #"{"a":"1.5","b":"2.5","n":9}"#),
        ("/@{a},{b},{n}z", "/@1.5,2.5,9", nil), ("/@{a},{b},{n}z", "/@1.5,,9z", nil),
        // An integer takes only the characters of one.
        ("/{n}-{a}", "/12-my-shoe", #"{"n":12,"a":"my-shoe"}"#),
        ("/{a}-{n}", "/my-shoe-12", #"{"a":"my-shoe","n":12}"#),
        ("/{a}-{n}", "/my-2-12", #"{"a":"my-2","n":12}"#),
        ("/{a}-{n}", "/my--12", #"{"a":"my","n":-12}"#),
        ("/{n}-{m}", "/-1--2", #"{"n":-1,"m":-2}"#), ("/{n}-{m}", "/1-2-3", nil),
        ("/{a}-{n}", "/my-shoe", nil), ("/{n}-{a}", "/007-x", nil),
        ("/{n}x{a}", "/1x2x3", #"{"n":1,"a":"2x3"}"#), ("/{n}x{a}", "/ax1x2", nil),
        ("/{a}-{n}-{b}", "/x-y-1-z-2-w", #"{"a":"x-y","n":1,"b":"z-2-w"}"#),
        (
            "/{a}.{b}.{c}.{d}.{e}.{f}.{g}.{h}", "/1.2.3.4.5.6.7.8.9",
            #"{"a":"1","b":"2","c":"3","d":"4","e":"5","f":"6","g":"7","h":"8.9"}"#
        ),
        // Empty segments.
        ("/near//{n}", "/near//3", #"{"n":3}"#), ("/near//{n}", "/near//3/", #"{"n":3}"#),
        ("/near//{n}", "/near/3", nil), ("/near//{n}", "/near/x/3", nil),
        ("/near/{a}/{n}", "/near//3", nil), ("/a//", "/a//", "{}"), ("/a//", "/a/", nil),
        ("/a//", "/a///", nil), ("app://h//x", "app://h//x", "{}"),
        // A rest anywhere.
        ("/{a*}/new", "/x/y/new", #"{"a":"x/y"}"#), ("/{a*}/new", "/new", nil),
        ("/{a*}/new", "/new/new", #"{"a":"new"}"#), ("/{a*}/new", "/x/newest", nil),
        ("/{a*}/{b}/c/{d}", "/1/2/3/c/c/c", #"{"a":"1/2/3","b":"c","d":"c"}"#),
        ("/p/{a*}.png", "/p/x/y.png", #"{"a":"x/y"}"#), ("/p/{a*}.png", "/p/x.png/y", nil),
        ("/p/{a*}.png", "/p/x/.png", nil), ("/p/{a*}.png", "/p/.png", nil),
        ("/p/{a*}.png", "/p//x.png", #"{"a":"/x"}"#), ("/p/{a*}.png", "/p", nil),
        ("/p/v{a*}", "/p/v1/2", #"{"a":"1/2"}"#), ("/p/v{a*}", "/p/v/2", nil),
        ("/p/x{a*}x", "/p/xx", nil), ("/p/x{a*}x", "/p/x-x", #"{"a":"-"}"#),
        ("/p/x{a*}x", "/p/x1/2x", #"{"a":"1/2"}"#), ("/p/x{a*}x", "/p/x/2x", nil),
        ("/p/x{a*}x", "/p/x1/x", nil), ("/p/{a*}/", "/p/x//", #"{"a":"x/"}"#),
    ]

    @Test(arguments: segments)
    func `segments are divided and counted`(_ pattern: String, _ url: String, _ expected: String?)
        throws
    {
        #expect(try params(url, linked(pattern)) == expected)
    }

    static let hosts: [(pattern: String, url: String, params: String?)] = [
        ("https://{a}.x.y/p", "https://w.x.y/p", #"{"a":"w"}"#),
        ("https://{a}.X.y/p", "HTTPS://W-1_2.x.Y/p", #"{"a":"w-1_2"}"#),
        ("https://{A}.x/p", "https://w.x/p", #"{"A":"w"}"#),
        ("https://{a}.x.y/p", "https://v.w.x.y/p", nil),
        ("https://{a}.x.y/p", "https://.x.y/p", nil),
        ("https://{a}.x.y/p", "https://x.y/p", nil),
        ("https://{a}.x.y/p", "https://w.x.y.z/p", nil),
        ("https://{a}.x.y/p", "https://w.x.y:8/p", nil),
        ("https://{a}.x.y/p", "https://u@w.x.y/p", nil),
        ("https://{a}.x.y/p", "https://%41.x.y/p", nil),
        ("https://{a}.x.y/p", "https://é.x.y/p", nil),
        ("https://w.{a}.y:8/p", "https://w.x.y:8/p", #"{"a":"x"}"#),
        ("https://w.{a}.y:8/p", "https://w.x.y/p", nil),
        ("https://w.{a}/p", "https://w.x/p", #"{"a":"x"}"#),
        ("app://{a}/{b}", "app://post/1", #"{"a":"post","b":"1"}"#),
        ("app://{a}/{b}", "app:///post/1", nil), ("app://{a}/{b}", "app:post/1", nil),
        (
            "https://{a}.x/p", "https://\(String(repeating: "w", count: 63)).x/p",
            #"{"a":"\#(String(repeating: "w", count: 63))"}"#
        ),
        ("https://{a}.x/p", "https://\(String(repeating: "w", count: 64)).x/p", nil),
        // Without a host, and without slashes.
        ("app:///x/{a}", "app:///x/1", #"{"a":"1"}"#), ("app:///x/{a}", "App:/x/1", #"{"a":"1"}"#),
        ("app:///x/{a}", "app://x/1", nil), ("app:///x/{a}", "app:x/1", nil),
        ("app:///x/{a}", "/x/1", nil), ("app:/x/{a}", "app:///x/1", #"{"a":"1"}"#),
        ("app://", "app:///", "{}"), ("app:///", "app://", "{}"), ("app://", "app:/", "{}"),
        ("app://?t={a}", "app:///?t=1", #"{"a":"1"}"#), ("app://", "app:", nil),
        ("app:x/{a}", "app:x/1", #"{"a":"1"}"#), ("app:x/{a}", "app:x/1/", #"{"a":"1"}"#),
        ("app:x/{a}", "app:/x/1", nil), ("app:x/{a}", "app://x/1", nil),
        ("app:x/{a}", "x/1", nil), ("app:{a}?q={b}", "app:1?q=2#3", #"{"a":"1","b":"2"}"#),
        ("app:", "app:", "{}"), ("app:", "app:?x#y", "{}"), ("app:", "app:/", nil),
        ("x:y", "X:y", "{}"),
    ]

    @Test(arguments: hosts)
    func `schemes and hosts are compared`(_ pattern: String, _ url: String, _ expected: String?)
        throws
    {
        #expect(try params(url, linked(pattern)) == expected)
    }

    static let queries: [(pattern: String, url: String, params: String?)] = [
        ("/?id=form", "/?id=form", "{}"), ("/?id=form", "/?x=1&id=form&id=list", "{}"),
        ("/?id=form", "/?id=list&id=form", nil), ("/?id=form", "/", nil),
        ("/?id=form", "/?id=Form", nil), ("/?id=form", "/?ID=form", nil),
        ("/?id", "/?id", "{}"), ("/?id", "/?id=", "{}"), ("/?id=", "/?id", "{}"),
        ("/?id", "/?id=x", nil), ("/?id", "/?x", nil), ("/?a=b+c%26", "/?a=b%20c%26", "{}"),
        ("/?a=1&b={b}", "/?b=2&a=1", #"{"b":"2"}"#), ("/?a=b=c", "/?a=b=c", "{}"),
        ("/?a=b?c/d", "/?a=b?c/d", "{}"), ("/?b={b?}", "/?b=1", #"{"b":"1"}"#),
        ("/?b={b?}", "/", "{}"),
        // Lists.
        ("/?t={t}", "/?t=a&t=b", #"{"t":["a","b"]}"#), ("/?t={t}", "/?t=a", #"{"t":["a"]}"#),
        ("/?t={t}", "/?t=", #"{"t":[""]}"#), ("/?t={t}", "/", "{}"),
        ("/?k={k}&t={t}", "/?k=3&t=a&k=4", #"{"k":[3,4],"t":["a"]}"#),
        ("/?k={k}", "/?k=3&k=x", nil), ("/?b={b}", "/?b=1&b=2", #"{"b":"1"}"#),
        ("/#?t={t}", "/#?t=a&t=b", #"{"t":["a","b"]}"#),
    ]

    @Test(arguments: queries)
    func `query values are compared and captured`(
        _ pattern: String, _ url: String, _ expected: String?
    ) throws {
        #expect(try params(url, linked(pattern)) == expected)
    }

    static let fragments: [(pattern: String, url: String, params: String?)] = [
        ("/x#/runs/{a}", "/x#/runs/1", #"{"a":"1"}"#),
        ("/x#/runs/{a}", "/x#/runs/1/", #"{"a":"1"}"#),
        ("/x#/runs/{a}", "/x#runs/1", nil), ("/x#/runs/{a}", "/x", nil),
        ("/x#/runs/{a}", "/x/runs/1", nil), ("/x#/runs/{a}", "/x/#/runs/1", #"{"a":"1"}"#),
        ("/x#{a}", "/x#top", #"{"a":"top"}"#), ("/x#{a}", "/x#", nil), ("/x#{a}", "/x#a/b", nil),
        ("/x#{a}", "/x#%20", #"{"a":" "}"#), ("/x#{a}", "/x#%zz", nil), ("/x", "/x#%zz", "{}"),
        ("/x#{a}", "/x?q#a?b=1", #"{"a":"a"}"#), ("/x#top", "/x#top", "{}"),
        ("/x#/s?q={b}&z=1", "/x#/s?z=1&q=a+b", #"{"b":"a b"}"#),
        ("/x#/s?q={b}&z=1", "/x?z=1&q=a#/s", nil), ("/x#/s?q={b}", "/x#/s", "{}"),
        ("/x?q={a}#{b}", "/x?q=1#2", #"{"a":"1","b":"2"}"#),
        ("/{a*}/x#{b*}.y", "/1/2/x#3/4.y", #"{"a":"1/2","b":"3/4"}"#),
        ("/x#/", "/x#/", "{}"), ("/x#/", "/x#", nil), ("/x#?q={b}", "/x#?", "{}"),
        ("/x#{a}-{n}", "/x#v-w-7", #"{"a":"v-w","n":7}"#),
    ]

    @Test(arguments: fragments)
    func `fragments are read like paths`(_ pattern: String, _ url: String, _ expected: String?)
        throws
    {
        #expect(try params(url, linked(pattern)) == expected)
    }

    static let spellings: [(pattern: String, url: String, params: String?)] = [
        ("/Ab/{a}", "/aB/Xy", #"{"a":"Xy"}"#), ("/x-{a}Y", "/X-BcDy", #"{"a":"BcD"}"#),
        ("/{a}x{b}", "/AXBxC", #"{"a":"A","b":"BxC"}"#), ("/?Id=Form", "/?iD=fORM", "{}"),
        ("/?q={b}", "/?Q=X", #"{"b":"X"}"#), ("/?q={b}", "/?Q=X&q=y", #"{"b":"X"}"#),
        ("/?t={t}", "/?T=X&t=y", #"{"t":["X","y"]}"#), ("/x#Top/{a}", "/X#tOP/Q", #"{"a":"Q"}"#),
        ("/{a*}/New", "/A/neW", #"{"a":"A"}"#), ("/{a*}.PNG", "/A.png", #"{"a":"A"}"#),
        ("/É", "/é", nil), ("/ß", "/SS", nil),
    ]

    @Test(arguments: spellings)
    func `literal text matches without case where the link says so`(
        _ pattern: String, _ url: String, _ expected: String?
    ) throws {
        #expect(try params(url, linked(pattern, #","caseSensitive":false"#)) == expected)
        let withCase = try params(url, linked(pattern))
        #expect(expected == nil || withCase != expected)
    }

    // MARK: - Refused

    static let refused: [(pattern: String, detail: String)] = [
        ("/{a}{b}", "must have literal text between {a} and {b}"),
        ("/{a}-{b}-{c}-{d}-{e}-{f}-{g}-{h}-{i}", "must have at most 8 captures in a segment"),
        ("/{a*}/x/{b*}", "must have at most one {name*} in its path and one in its fragment"),
        ("/x#{a*}/{b*}", "must have at most one {name*} in its path and one in its fragment"),
        ("/{a*}-{b}", "must have no other capture in the segment of {name*}"),
        ("{a}://h/x", "must have at most one {name} in the host, as a whole label"),
        ("https://{a}.{b}.c/", "must have at most one {name} in the host, as a whole label"),
        ("https://x{a}.c/", "must have at most one {name} in the host, as a whole label"),
        ("https://{a}x.c/", "must have at most one {name} in the host, as a whole label"),
        ("https://c:{a}/", "must have at most one {name} in the host, as a whole label"),
        ("https://{a}.c:{b}/", "must have at most one {name} in the host, as a whole label"),
        ("https://{a}.u@c/", "must have at most one {name} in the host, as a whole label"),
        ("https://u@{a}.c/", "must have at most one {name} in the host, as a whole label"),
        ("/x?q=a{b}", "must have query values that are fixed, {name} or {name?}"),
        ("/x?q={b}{c}", "must have query values that are fixed, {name} or {name?}"),
        ("/x?{b}", "must have query values that are fixed, {name} or {name?}"),
        ("/x#", "must have something behind #"), ("/x#?", "must have something behind #"),
        ("//h/x", "must not begin with //, which other programs take for a host"),
        ("x/{a}", "must begin with a scheme and : or with /"),
        ("", "must begin with a scheme and : or with /"),
        ("{a}/x", "must begin with a scheme and : or with /"),
        ("/{a}#{a}", "must not capture the same name twice"),
        ("https://{a}.c/{a}", "must not capture the same name twice"),
        ("/?q={a}&q=1", "must not have the same query key twice"),
        ("/%zz", "has an invalid escape or brace"), ("/x#%zz", "has an invalid escape or brace"),
        ("/x?q=%zz", "has an invalid escape or brace"),
        ("/x?=1", "must have query keys that are not empty"),
    ]

    @Test(arguments: refused)
    func `a pattern that is none is refused with the reason`(
        _ pattern: String, _ detail: String
    ) throws {
        let found = try report(
            #"{"tabs":[{"id":"t"}],"links":[{"pattern":"\#(pattern)","path":[]}]}"#)
        #expect(found.errors.map { "\($0.pointer) \($0.detail)" } == ["/links/0/pattern \(detail)"])
    }

    @Test func `eight captures, a port behind a capture and a brace that is escaped are fine`()
        throws
    {
        for pattern in [
            "/{a}-{b}-{c}-{d}-{e}-{f}-{g}-{h}", "https://{a}.example.com:8443/x#{b}?c=d", "/a//b",
            "/%7Bx%7D", "x:y", "x:///y", "/?a=%7B",
        ] {
            let found = try report(
                #"{"tabs":[{"id":"t"}],"links":[{"pattern":"\#(pattern)","path":[]}]}"#)
            #expect(found.errors == [])
        }
    }
}
