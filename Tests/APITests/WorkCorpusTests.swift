import API
import HTTP
import JSON
import TestSupport
import Testing

/// Requests that take far more work than their bytes. What each would take is known here, so that
/// work which is not charged to the budget is found without a clock.
@Suite struct WorkCorpusTests {
    struct Costly: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The app of the session `s`.
        var app = #"{"routes":{"r":{"params":{}}},"tabs":[{"id":"t","routes":["r"]}]}"#
        var method = "POST"
        var target: String
        var body: String?
        /// Comparisons, nodes, members, or bytes that are parsed: at least so many are looked at,
        /// unless the request is refused before.
        var steps: Int
    }

    private static func list(_ count: Int, _ item: (Int) -> String) -> String {
        "[" + (0..<count).map(item).joined(separator: ",") + "]"
    }

    private static func object(_ count: Int, _ member: (Int) -> String) -> String {
        "{" + (0..<count).map(member).joined(separator: ",") + "}"
    }

    /// An app with one route of these params.
    private static func app(_ params: String, definitions: String = "{}") -> String {
        #"{"$defs":\#(definitions),"routes":{"r":{"params":\#(params)},"s":{"presentation":"sheet"}},"#
            + #""tabs":[{"id":"t","routes":["r"]}]}"#
    }

    private static func path(_ count: Int, _ params: (Int) -> String) -> String {
        list(count) { #"{"route":"r","params":\#(params($0))}"# }
    }

    // MARK: - Changes of sessions

    private static let validations: [Costly] = {
        let doubling = object(21) {
            $0 == 20
                ? #""D20":{"type":"string"}"#
                : ##""D\##($0)":{"anyOf":[{"$ref":"#/$defs/D\##($0 + 1)"},{"$ref":"#/$defs/D\##($0 + 1)"}]}"##
        }
        let long = String(repeating: "x", count: 50)
        let choice = list(1000) { "\"\(long)\($0)\"" }
        let defaults = object(5000) { #""p\#($0)":{"default":0}"# }
        return [
            Costly(
                testDescription: "alternatives that double",
                app: app(##"{"properties":{"a":{"$ref":"#/$defs/D0"}}}"##, definitions: doubling),
                target: "/navigate", body: #"{"route":"r","params":{"a":1}}"#, steps: 1 << 20),
            Costly(
                testDescription: "unique items",
                app: app(#"{"properties":{"a":{"uniqueItems":true}}}"#), target: "/setPath",
                body:
                    #"{"in":"t","path":\#(path(40) { _ in #"{"a":\#(list(1000) { "\"\($0)\"" })}"# })}"#,
                steps: 40_000),
            Costly(
                testDescription: "a choice among long strings",
                app: app(#"{"properties":{"a":{"enum":\#(choice)}}}"#), target: "/setPath",
                body: #"{"in":"t","path":\#(path(256) { _ in #"{"a":"\#(long)999"}"# })}"#,
                steps: 256_000),
            Costly(
                testDescription: "a pattern that backtracks",
                app: app(#"{"properties":{"a":{"pattern":"^(\\w+\\s?)*$"}}}"#), target: "/setPath",
                body: #"{"in":"t","path":\#(path(250) { _ in #"{"a":"\#(long)!"}"# })}"#,
                steps: 10_000_000),
            Costly(
                testDescription: "defaults of params that are refused for something else",
                app: app(#"{"required":["q"],"properties":\#(defaults)}"#), method: "PUT",
                target: "",
                body: #"{"app":"x","tabs":[{"id":"t","path":\#(path(256) { _ in "{}" })}]}"#,
                steps: 1_280_000),
        ]
    }()

    private static let commands: [Costly] = {
        let blob = String(repeating: "y", count: 60_000)
        let merge = #"{"command":"setParams","params":{"b":\#("\"" + blob + "\"")}}"#
        let small = #"{"command":"setParams","params":{"c":1}}"#
        let big = #"{"command":"navigate","route":"r","params":{"b":"\#(blob)"}}"#
        let sheet = #"{"presentation":"sheet","routes":["r2"]}"#
        let routes = object(1000) { #""r\#($0)":\#($0 == 0 ? sheet : "{}")"# }
        return [
            Costly(
                testDescription: "params that are merged again and again", target: "/batch",
                body:
                    #"{"commands":[\#(big),\#(merge),\#(Array(repeating: small, count: 90).joined(separator: ","))]}"#,
                steps: 90 * 60_000),
            Costly(
                testDescription: "labels that are all new", method: "PATCH", target: "",
                body: #"{"labels":\#(object(20_000) { #""k\#($0)":"v""# })}"#,
                steps: 20_000 * 10_000),
            Costly(
                testDescription: "routes that are not allowed, beside params that are wrong",
                app: #"{"routes":\#(routes),"tabs":[{"id":"t","routes":["r0"]}]}"#,
                target: "/present",
                body:
                    #"{"route":"r0","params":{"x":1},"path":\#(list(10_000) { _ in #"{"route":"r1"}"# })}"#,
                steps: 10_000 * 1000),
            Costly(
                testDescription: "a whole state of many entries", method: "PUT", target: "",
                body: #"{"app":"x","tabs":[{"id":"t","path":\#(path(256) { #"{"n":\#($0)}"# })}]}"#,
                steps: 256),
        ]
    }()

    // MARK: - Apps

    private static let apps: [Costly] = {
        func put(_ name: String, _ app: String, steps: Int) -> Costly {
            Costly(
                testDescription: name, method: "PUT", target: "/v1/apps/y?dryRun=true", body: app,
                steps: steps)
        }
        let names = list(1000) { "\"r\($0)\"" }
        let routes = object(1000) { #""r\#($0)":{}"# }
        let chain = (1..<20_000).map { #""g\#($0)":["@g\#($0 - 1)"]"# }.joined(separator: ",")
        let required = list(12_000) { "\"p\($0)\"" }
        let members = object(12_000) { #""p\#($0)":1"# }
        let anyOf = list(8_000) { _ in "true" }
        let shared = ##"{"params":{"$ref":"#/$defs/D"}}"##
        let affixed = (0..<60).map { "{a\($0)}" }.joined(separator: "/")
        return [
            put(
                "groups that pass a thousand routes on",
                #"{"routes":\#(routes),"groups":{"g0":\#(names),\#(chain)},"tabs":[{"id":"t"}]}"#,
                steps: 20_000_000),
            put(
                "a link that sets very many params",
                #"{"routes":{"r":{"params":{"required":\#(required)}}},"tabs":[{"id":"t","routes":["r"]}],"#
                    + #""links":[{"pattern":"/r","path":[{"route":"r","params":\#(members)}]}]}"#,
                steps: 12_000 * 6_000),
            put(
                "alternatives that say nothing of very many members",
                #"{"routes":{"r":{"params":{"anyOf":\#(anyOf)}}},"tabs":[{"id":"t","routes":["r"]}],"#
                    + #""links":[{"pattern":"/r","path":[{"route":"r","params":\#(object(8_000) { #""p\#($0)":{}"# })}]}]}"#,
                steps: 8_000 * 8_000),
            put(
                "links that differ in their last segment alone",
                #"{"routes":{"r":{}},"tabs":[{"id":"t","routes":["r"]}],"links":\#(list(1000) { #"{"pattern":"/\#(affixed)/x\#(1000 + $0){z}","path":["r"]}"# })}"#,
                steps: 1000 * 10 * 60),
            put(
                "a large definition that all routes refer to",
                #"{"$defs":{"D":{"properties":\#(object(5_000) { #""p\#($0)":{"type":"string"}"# })}},"#
                    + #""routes":\#(object(1000) { "\"r\($0)\":\(shared)" }),"tabs":[{"id":"t"}]}"#,
                steps: 5_000),
        ]
    }()

    @Test(arguments: validations + commands + apps)
    func `work is charged to the budget, or the request is refused for it`(
        _ costly: Costly
    ) throws {
        let client = try Client()
        #expect(try client.call("PUT", "/v1/apps/x", costly.app).status == 201)
        #expect(try client.call("POST", "/v1/sessions", #"{"id":"s","app":"x"}"#).status == 201)
        let isApp = costly.target.hasPrefix("/v1")
        let target = isApp ? costly.target : "/v1/sessions/s" + costly.target
        let answer = try client.call(costly.method, target, costly.body)
        let left = client.service.work.unitsLeft
        let unitsMax = isApp ? WorkBudget.unitsMaxOfApp : WorkBudget.unitsMax
        #expect(left >= 0 && left <= unitsMax)
        let known = ["limit-exceeded", "invalid-params", "invalid-app"]
        if let problem = answer.problem { #expect(known.contains(problem), "\(answer.text)") }
        #expect(
            left == 0 || unitsMax - left >= costly.steps,
            "\(unitsMax - left) units for \(costly.steps) steps: \(answer.text.prefix(300))")
    }

    @Test(arguments: [false, true]) func `groups in groups take work in proportion to their number`(
        isRing: Bool
    ) throws {
        let count = 16_000
        let groups = Self.object(count) {
            #""g\#($0)":["\#($0 + 1 < count ? "@g\($0 + 1)" : isRing ? "@g0" : "r")"]"#
        }
        let app = #"{"tabs":[{"id":"t","routes":["@g0"]}],"routes":{"r":{}},"groups":\#(groups)}"#
        let client = try Client()
        let before = secondsOfThread
        let answer = try client.call("PUT", "/v1/apps/x?dryRun=true", app)
        #expect(secondsOfThread - before < 10, "the work grows with the square of the number")
        #expect([200, 201, 422].contains(answer.status), "\(answer.text.prefix(300))")
    }

    // MARK: - Lists of faults

    private static let faulty: [Costly] = {
        let unknown = object(40_000) { #""member\#($0)":1"# }
        let routes = object(1000) { #""route\#($0)":{}"# }
        return [
            Costly(
                testDescription: "unknown members of a state", method: "PUT", target: "",
                body: unknown, steps: 0),
            Costly(
                testDescription: "unknown members of a command", target: "/present", body: unknown,
                steps: 0),
            Costly(
                testDescription: "params of a route that takes none",
                app: #"{"routes":{"r":{}},"tabs":[{"id":"t","routes":["r"]}]}"#,
                target: "/navigate",
                body: #"{"route":"r","params":\#(unknown)}"#, steps: 0),
            Costly(
                testDescription: "unknown routes of a group", method: "PUT",
                target: "/v1/apps/y?dryRun=false",
                body:
                    #"{"routes":\#(routes),"groups":{"g":\#(list(40_000) { "\"ruote\($0)\"" })},"tabs":[{"id":"t"}]}"#,
                steps: 0),
        ]
    }()

    @Test(arguments: faulty)
    func `a refusal tells a bounded number of faults`(_ costly: Costly) throws {
        let client = try Client()
        try client.call("PUT", "/v1/apps/x", costly.app)
        try client.call("POST", "/v1/sessions", #"{"id":"s","app":"x"}"#)
        let isApp = costly.target.hasPrefix("/v1")
        let target = isApp ? costly.target : "/v1/sessions/s" + costly.target
        let answer = try client.call(costly.method, target, costly.body)
        #expect(answer.status == 422)
        #expect(answer.json["errors"]?.array.count == 100)
        #expect(answer.response.body.count < 64 << 10)
    }
}
