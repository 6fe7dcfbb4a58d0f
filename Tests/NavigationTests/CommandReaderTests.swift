import JSON
import Navigation
import TestSupport
import Testing

/// Bodies of the wrong shape: all that is wrong, each with its place.
@Suite struct CommandReaderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: CommandName
        var body: String
        var pointers: [String]
        init(_ name: CommandName, _ body: String, _ pointers: String...) {
            self.name = name
            self.body = body
            self.pointers = pointers
        }
        var testDescription: String { "\(name) \(body)" }
    }

    static let wrong: [Case] = [
        Case(.navigate, "{}", "/route"),
        Case(.navigate, #"{"route":""}"#, "/route"),
        Case(.navigate, #"{"route":1}"#, "/route"),
        Case(.navigate, #"{"route":null}"#, "/route"),
        Case(.navigate, #"{"route":"a b"}"#, "/route"),
        Case(.navigate, #"{"route":"x","params":[]}"#, "/params"),
        Case(.navigate, #"{"route":"x","params":null}"#, "/params"),
        Case(.navigate, #"{"route":"x","mode":"pop"}"#, "/mode"),
        Case(.navigate, #"{"route":"x","sheets":true,"in":3}"#, "/in", "/sheets"),
        Case(.navigate, #"{"route":"x","parms":{}}"#, "/parms"),
        Case(.navigate, #"{"route":"x","a/b~c":{}}"#, "/a~1b~0c"),
        Case(.navigate, #"{"route":"x","mark":"a b"}"#, "/mark"),
        Case(.back, #"{"count":0}"#, "/count"),
        Case(.back, #"{"count":-1}"#, "/count"),
        Case(.back, #"{"count":1.5}"#, "/count"),
        Case(.back, #"{"count":"1"}"#, "/count"),
        Case(.back, #"{"count":1e300}"#, "/count"),
        Case(.back, #"{"count":1,"to":{"route":"x"}}"#, "/count"),
        Case(.back, #"{"to":{}}"#, "/to"),
        Case(.back, #"{"to":{"entry":"e1","route":"x"}}"#, "/to"),
        Case(.back, #"{"to":{"entry":"e1","mark":"m"}}"#, "/to"),
        Case(.back, #"{"to":{"mark":""}}"#, "/to/mark"),
        Case(.back, #"{"to":{"mark":"m"},"count":2}"#, "/count"),
        Case(.back, #"{"to":{"entry":1}}"#, "/to/entry"),
        Case(.back, #"{"to":{"route":"?"}}"#, "/to/route"),
        Case(.back, #"{"to":{"tab":"a"}}"#, "/to/tab"),
        Case(.back, #"{"to":"e1"}"#, "/to"),
        Case(.back, #"{"inclusive":true}"#, "/inclusive"),
        Case(.back, #"{"to":{"route":"x"},"inclusive":1}"#, "/inclusive"),
        Case(.back, #"{"within":"sheet"}"#, "/within"),
        Case(.root, #"{"scope":"sheet"}"#, "/scope"),
        Case(.root, #"{"to":1}"#, "/to"),
        Case(.present, "{}", "/route"),
        Case(.present, #"{"route":"s","style":"push"}"#, "/style"),
        Case(.present, #"{"route":"s","tag":"","detents":"m"}"#, "/tag", "/detents"),
        Case(.present, #"{"route":"s","detents":["medium",1,""]}"#, "/detents/1", "/detents/2"),
        Case(.present, #"{"route":"s","dismissible":"no"}"#, "/dismissible"),
        Case(.present, #"{"route":"s","path":{}}"#, "/path"),
        Case(
            .present, #"{"route":"s","mark":1,"path":[{"route":"x","mark":"-"}]}"#,
            "/mark", "/path/0/mark"),
        Case(.present, #"{"route":"s","path":["x"]}"#, "/path/0"),
        Case(
            .present, #"{"route":"s","path":[{"route":"x","id":"e1"},{"params":1}]}"#,
            "/path/0/id", "/path/1/route", "/path/1/params"),
        Case(.dismiss, #"{"sheet":"e1","tag":"t"}"#, ""),
        Case(.dismiss, #"{"sheet":"e1","all":true}"#, ""),
        Case(.dismiss, #"{"sheet":1}"#, "/sheet"),
        Case(.dismiss, #"{"all":1,"force":1}"#, "/all", "/force"),
        Case(.select, "{}", "/tab"),
        Case(.select, #"{"tab":"a","reselect":"pop"}"#, "/reselect"),
        Case(.open, "{}", "/url"),
        Case(.open, #"{"url":1,"sheets":"drop"}"#, "/url", "/sheets"),
        Case(.setPath, "{}", "/in", "/path"),
        Case(.setPath, #"{"in":"a"}"#, "/path"),
        Case(.setPath, #"{"path":[]}"#, "/in"),
        Case(.setPath, #"{"in":"a","path":[{"route":"x","id":1}]}"#, "/path/0/id"),
        Case(.setPath, #"{"in":"a","path":[[],{"route":"x","x":1}]}"#, "/path/0", "/path/1/x"),
        Case(.setParams, "{}", "/params"),
        Case(.setParams, #"{"params":1,"entry":2,"mode":"patch"}"#, "/entry", "/params", "/mode"),
        Case(.setBadge, "{}", "/tab", "/badge"),
        Case(.setBadge, #"{"tab":"a"}"#, "/badge"),
        Case(.setBadge, #"{"tab":"a","badge":-1}"#, "/badge"),
        Case(.setBadge, #"{"tab":"a","badge":1.5}"#, "/badge"),
        Case(.setBadge, #"{"tab":"a","badge":true}"#, "/badge"),
        Case(.setBadge, #"{"tab":"a","badge":"123456789012345678901234567890123"}"#, "/badge"),
        Case(.undo, #"{"count":0}"#, "/count"),
        Case(.redo, #"{"steps":1}"#, "/steps"),
        Case(.batch, "{}", "/commands"),
        Case(.batch, #"{"commands":{}}"#, "/commands"),
        Case(.batch, #"{"commands":[],"x":1}"#, "/commands", "/x"),
    ]

    @Test(arguments: wrong)
    func `a body of the wrong shape is told with every place`(_ example: Case) throws {
        let refusal = try World().refusal(example.name, example.body)
        #expect(refusal.problem == "invalid-request")
        #expect(refusal.pointers == example.pointers)
    }

    @Test func `an unknown member's detail names the one that was meant`() throws {
        let refusal = try World().refusal(.navigate, #"{"route":"x","parms":{}}"#)
        #expect(
            refusal
                == .invalidRequest([
                    InputFault(
                        pointer: "/parms",
                        detail: "is unknown (did you mean params?)")
                ]))
    }

    /// Members of all commands with values that fit one of them or none, in any order.
    @Test(.seeded) func `a body is read from its text as from its value`() throws {
        var numbers = SplitMix64()
        let names = [
            "route", "params", "in", "mark", "mode", "sheets", "count", "to", "inclusive", "within",
            "scope", "style", "tag", "detents", "dismissible", "path", "sheet", "all", "force",
            "result", "tab", "reselect", "url", "entry", "badge", "order", "hidden", "facts",
            "command", "commands", "é", "a\"b", "i", "parms",
        ]
        let values = [
            "1", "0", "-3", "2.0", "1.5", "true", "false", "null", #""x""#, #""a b""#, #""é""#,
            #""a\nb""#, #""push""#, #""any""#, #""sheet""#, #""e1""#, "{}", #"{"n":1.50}"#, "[]",
            #"["a"]"#, #"[{"route":"x","params":{"a":[1,{}]}}]"#, #"{"entry":"e1"}"#,
            #"[{"command":"navigate","route":"x"},{"command":"back"}]"#, #"{"mark":"m"}"#,
        ]
        var readCount = 0
        for _ in 0..<2000 {
            var body = JSONObject()
            let name = numbers.one(of: CommandName.allCases)
            for _ in 0..<numbers.below(5) + (numbers.oneIn(20) ? 6 : 0) {
                body[numbers.one(of: names)] = try JSON(
                    parsing: Array(numbers.one(of: values).utf8))
            }
            if numbers.oneIn(2) { body["route"] = .string("x") }
            if (try? readTwice(name, body)) != nil { readCount += 1 }
        }
        #expect(readCount > 40, "too few commands are valid")
    }

    static let inBatch: [(item: String, index: Int, pointers: [String])] = [
        ("1", 1, ["/commands/1"]),
        ("{}", 1, ["/commands/1/command"]),
        (#"{"command":"fly"}"#, 1, ["/commands/1/command"]),
        (#"{"command":1}"#, 1, ["/commands/1/command"]),
        (#"{"command":"batch","commands":[]}"#, 1, ["/commands/1/command"]),
        (#"{"command":"undo"}"#, 1, ["/commands/1/command"]),
        (#"{"command":"redo"}"#, 1, ["/commands/1/command"]),
        (#"{"command":"navigate"}"#, 1, ["/commands/1/route"]),
        (#"{"command":"navigate","route":"x","y":1}"#, 1, ["/commands/1/y"]),
        (#"{"command":"back","to":{"x":1}}"#, 1, ["/commands/1/to/x"]),
        (
            #"{"command":"setPath","in":"active","path":[1,{}]}"#, 1,
            ["/commands/1/path/0", "/commands/1/path/1/route"]
        ),
    ]

    @Test(arguments: inBatch)
    func `in a batch the index and the pointers lead to the command`(
        _ item: String, _ index: Int, _ pointers: [String]
    ) throws {
        let refusal = try World().refusal(
            .batch, #"{"commands":[{"command":"root"},\#(item)]}"#)
        guard case .inBatch(index, .invalidRequest) = refusal else {
            Issue.record("refused as \(refusal)")
            return
        }
        #expect(refusal.pointers == pointers)
    }

    @Test func `a batch has 100 commands at most`() throws {
        let item = #"{"command":"root"}"#
        let hundred = Array(repeating: item, count: 100).joined(separator: ",")
        #expect(
            try World().trial(.batch, #"{"commands":[\#(hundred)]}"#).answer.changed == false)
        let refusal = try World().refusal(.batch, #"{"commands":[\#(hundred),\#(item)]}"#)
        #expect(refusal.pointers == ["/commands"])
    }

    @Test func `an integer may be written as a double`() throws {
        let body = try object(#"{"count":2.0}"#)
        #expect(
            try Command(.back, body: body, limits: Limits(), work: WorkBudget())
                == .back(.steps(2, within: .any)))
    }
}
