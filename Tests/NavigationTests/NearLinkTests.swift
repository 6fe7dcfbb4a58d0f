import JSON
import Navigation
import Testing

/// The links that a URL nearly matches.
@Suite struct NearLinkTests {
    private let links = #"""
        {"routes":{"order":{"params":{"required":["id"],"properties":{"id":{"type":"integer"}}}},
          "user":{"params":{"properties":{"name":{"minLength":2},"at":{"type":"string",
            "pattern":"^[a-z]+$"}}}},"plain":{},
          "list":{"params":{"properties":{"ids":{"type":"array","maxItems":2,"items":{"type":"integer"}}}}},
          "either":{"params":{"anyOf":[{"required":["a"]},{"required":["b"]}],
            "properties":{"a":{"type":"string"}}}},
          "ask":{"presentation":"sheet","params":{"properties":{"n":{"type":"integer"}}},
            "routes":["order"]}},
         "tabs":[{"id":"t","routes":["order","user","plain","either","list"]}],
         "links":[
          {"pattern":"/orders/{id}","path":[{"route":"order","params":{"id":"{id}"}}]},
          {"pattern":"/orders/{id}/{rest*}","path":[{"route":"order","params":{"id":"{id}"}}]},
          {"pattern":"/@{name}","path":[{"route":"user","params":{"name":"{name}"}}]},
          {"pattern":"/u-{at}","path":[{"route":"user","params":{"at":"x{at}"}}]},
          {"pattern":"/either?a={a}","path":[{"route":"either","params":{"a":"{a}"}}]},
          {"pattern":"/go?to={to}","redirect":"/orders/{to}"},
          {"pattern":"/ask/{n}","present":{"route":"ask","params":{"n":"{n}"},
            "path":[{"route":"order","params":{"id":"{n}"}}]}},
          {"pattern":"/?id=form","path":["plain"]},
          {"pattern":"/?id=list&mode=wide","path":["plain"]},
          {"pattern":"/h#/a/{n}?x=1","path":[{"route":"order","params":{"id":"{n}"}}]},
          {"pattern":"/{rest*}/end","path":[]},
          {"pattern":"/m/{at},{id}z","path":[{"route":"order","params":{"id":"{id}"}}]},
          {"pattern":"/ids?id={ids}","path":[{"route":"list","params":{"ids":"{ids}"}}]},
          {"pattern":"/Any","caseSensitive":false,"path":[]},
          {"pattern":"https://{who}.h/plain","path":[]},
          {"pattern":"app://host/plain","path":["plain"]},
          {"pattern":"app://host/plait","path":["plain"]},
          {"pattern":"app://host/plaid","path":["plain"]},
          {"pattern":"app://host/plaiz","path":["plain"]}]}
        """#

    private func near(_ url: String, work: WorkBudget = WorkBudget()) throws -> [String] {
        try app(links).nearLinks(to: url, work: work)
            .map { "\($0.pattern) \($0.why.rawValue) \($0.at): \($0.detail)" }
    }

    static let found: [(url: String, near: String)] = [
        ("/orders/007", "/orders/{id} unfit id: id is 007, which is not an integer (7 is)"),
        ("/orders/x/y", "/orders/{id}/{rest*} unfit id: id is x, which is not an integer"),
        ("/@", "/@{name} unfit name: name is empty"),
        ("/@é", "/@{name} unfit name: name is é, but must have at least 2 characters"),
        ("/u-7", "/u-{at} unfit at: at is 7, but the param must match the pattern ^[a-z]+$"),
        ("/either", "/either?a={a} absent a: the query value a is not there"),
        ("/go", "/go?to={to} absent to: the query value to is not there"),
        ("/go?to=x", "/orders/{id} unfit id: id is x, which is not an integer"),
        ("/ask/1.5", "/ask/{n} unfit n: n is 1.5, which is not an integer"),
        ("/U-abc", "/u-{at} case U-abc: U-abc has to be u-{at}, for case counts"),
        ("/odrers/7", "/orders/{id} spelling odrers: odrers has to be orders"),
        ("APP://HOST/Plain", "app://host/plain case Plain: Plain has to be plain, for case counts"),
        ("/?id=other", "/?id=form differs id: the query value id has to be form"),
        ("/?id=list", "/?id=list&mode=wide absent mode: the query value mode is not there"),
        (
            "/?id=list&mode=x",
            "/?id=list&mode=wide differs mode: the query value mode has to be wide"
        ),
        ("/", "/?id=form absent id: the query value id is not there"),
        ("/h", "/h#/a/{n}?x=1 differs #: the fragment has to match #/a/{n}?x=1"),
        ("/h#/b/1?x=1", "/h#/a/{n}?x=1 differs #: the fragment has to match #/a/{n}?x=1"),
        ("/h#/a/1", "/h#/a/{n}?x=1 absent x: the query value x is not there"),
        ("/h#/a/1?x=2", "/h#/a/{n}?x=1 differs x: the query value x has to be 1"),
        ("/a/b/edn", "/{rest*}/end spelling edn: edn has to be end"),
        ("/a/b/End", "/{rest*}/end case End: End has to be end, for case counts"),
        ("/m/x,az", "/m/{at},{id}z unfit id: id is a, which is not an integer"),
        ("/m/,7z", "/m/{at},{id}z unfit at: at is empty"),
        ("/m/x,z", "/m/{at},{id}z unfit id: id is empty"),
        ("/m/x,7Z", "/m/{at},{id}z case x,7Z: x,7Z has to be {at},{id}z, for case counts"),
        ("/ids?id=1&id=b", "/ids?id={ids} unfit ids: ids is b, which is not an integer"),
        (
            "/ids?id=1&id=2&id=3",
            "/ids?id={ids} unfit ids: ids is 1, 2, 3, but the param must have at most 2 elements"
        ),
        ("/ANi", "/Any spelling ANi: ANi has to be Any"),
        (
            "https://w.h/Plain",
            "https://{who}.h/plain case Plain: Plain has to be plain, for case counts"
        ),
    ]

    @Test(arguments: found)
    func `the nearest link says what differs`(_ url: String, _ expected: String) throws {
        #expect(try near(url).first == expected)
    }

    @Test func `at most three are told, the nearest first and else as they are tried`() throws {
        #expect(
            try near("app://host/plaix").map { String($0.prefix { $0 != " " }) }
                == ["app://host/plain", "app://host/plait", "app://host/plaid"])
    }

    @Test(arguments: [
        "/nothing/like/it", "/orders", "https://h/orders/x", "app://hots/plain", "nonsense", "/%zz",
    ])
    func `another number of segments, scheme or host is not near`(_ url: String) throws {
        #expect(try near(url).isEmpty)
    }

    @Test func `without units for hints nothing is told, and the refusal is the same`() throws {
        let work = WorkBudget()
        let long = "/orders/" + String(repeating: "x", count: 30_000)
        while try !near(long, work: work).isEmpty {}
        #expect(try near("/orders/007", work: work).isEmpty)
        #expect(try app(links).resolve("/orders/007", work: work) == nil)
    }
}
