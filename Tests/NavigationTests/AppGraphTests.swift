import JSON
import Navigation
import TestSupport
import Testing

/// Groups that include groups, and which routes can be reached.
@Suite struct AppGraphTests {
    private func routes(_ document: String) throws -> [String] {
        let app = try app(document)
        return try #require(app.tabs.first).routes.map(\.rawValue).sorted()
    }

    @Test func `a group has the routes of the groups that it includes`() throws {
        let document = #"""
            {"routes":{"a":{},"b":{},"c":{},"d":{}},
             "groups":{"all":["@more","c"],"more":["@few","b"],"few":["a","a"],"other":["d"]},
             "tabs":[{"id":"t","routes":["@all","@few"]}]}
            """#
        #expect(try routes(document) == ["a", "b", "c"])
    }

    @Test func `a chain of groups may be long, and be declared in any order`() throws {
        for order in [Array(0..<2000), (0..<2000).reversed()] {
            let groups = order.map { number in
                let item = number == 0 ? "a" : "@g\(number - 1)"
                return #""g\#(number)":["\#(item)"]"#
            }
            let document =
                #"{"routes":{"a":{}},"groups":{\#(groups.joined(separator: ","))},"#
                + #""tabs":[{"id":"t","routes":["@g1999"]}]}"#
            #expect(try routes(document) == ["a"])
        }
    }

    @Test(arguments: [
        (#"{"g":["@g"]}"#, ["g"]),
        (#"{"g":["@h"],"h":["@i"],"i":["@g"]}"#, ["g", "h", "i"]),
        (#"{"into":["@g"],"g":["@h","@out"],"h":["@g"],"out":["a"]}"#, ["g", "h"]),
        (#"{"g":["@g","@between"],"between":["@h"],"h":["@h"]}"#, ["g", "h"]),
    ])
    func `a group that reaches itself is an error, and one that only leads there is not`(
        _ groups: String, _ wrong: [String]
    ) throws {
        let report = try report(
            #"{"routes":{"a":{}},"groups":\#(groups),"tabs":[{"id":"t","routes":["a"]}]}"#)
        #expect(report.app == nil)
        #expect(report.errors.map(\.pointer) == wrong.map { "/groups/" + $0 })
    }

    @Test func `groups that double in size are refused for the work they take`() throws {
        let routes = (0..<1000).map { "\"r\($0)\":{}" }.joined(separator: ",")
        let all = (0..<1000).map { "\"r\($0)\"" }.joined(separator: ",")
        let groups = (1..<20_000).map { "\"g\($0)\":[\"@g\($0 - 1)\"]" }.joined(separator: ",")
        let document = try object(
            #"{"routes":{\#(routes)},"groups":{"g0":[\#(all)],\#(groups)},"tabs":[{"id":"t"}]}"#)
        #expect(throws: WorkBudgetError.self) {
            try AppReader.read(
                .object(document), id: AppID(trusted: "x"), limits: Limits(),
                work: WorkBudget(units: WorkBudget.unitsMaxOfApp))
        }
    }

    // MARK: - Random graphs

    /// An app as the model knows it.
    private struct Graph {
        struct Route {
            var presentation: String
            var list: [String]?
        }
        var routes: [Route] = []
        var groups: [[String]] = []
        var tabs: [(root: String, list: [String])] = []

        init(_ random: inout SplitMix64) {
            let count = 1 + random.below(6)
            let names = (0..<count).map { "r\($0)" } + (0..<3).map { "@g\($0)" }
            func list(_ groupsMax: Int) -> [String] {
                (0..<random.below(3)).map { _ in
                    random.one(of: Array(names.prefix(count + groupsMax)))
                }
            }
            let presentations = ["push", "push", "push", "sheet", "fullScreenCover", "any"]
            for _ in 0..<count {
                routes.append(
                    Route(
                        presentation: random.one(of: presentations),
                        list: random.oneIn(2) ? list(3) : nil))
            }
            // A group includes groups before it alone.
            for number in 0..<3 { groups.append(list(number)) }
            for _ in 0...random.below(2) {
                tabs.append((root: random.oneIn(3) ? "r0" : "home", list: list(3)))
            }
        }

        var document: String {
            func text(_ list: [String]) -> String { JSON.array(list.map(JSON.string)).text }
            let routes = routes.enumerated().map { index, route in
                let list = route.list.map { #","routes":\#(text($0))"# } ?? ""
                return #""r\#(index)":{"presentation":"\#(route.presentation)"\#(list)}"#
            }
            let groups = groups.enumerated().map { "\"g\($0)\":\(text($1))" }
            let tabs = tabs.enumerated().map {
                #"{"id":"t\#($0)","root":"\#($1.root)","routes":\#(text($1.list))}"#
            }
            return """
                {"routes":{\(routes.joined(separator: ","))},
                 "groups":{\(groups.joined(separator: ","))},"tabs":[\(tabs.joined(separator: ","))]}
                """
        }

        /// The part of a list that may be pushed, groups looked up again each time.
        private func pushable(_ list: [String]) -> Set<String> {
            var found: Set<String> = []
            for name in list {
                if name.hasPrefix("@g"), let number = Int(name.dropFirst(2)) {
                    found.formUnion(pushable(groups[number]))
                } else if let number = Int(name.dropFirst()),
                    ["push", "any"].contains(routes[number].presentation)
                {
                    found.insert(name)
                }
            }
            return found
        }

        /// Goes on from the tabs' roots, one screen at a time, until nothing new is shown.
        var reachable: Set<String> {
            var shown = Set(tabs.map(\.root))
            var sheets: Set<Int> = []
            var pushed: Set<String> = []
            while true {
                let before = (shown, sheets, pushed)
                for tab in tabs { pushed.formUnion(pushable(tab.list)) }
                for (number, route) in routes.enumerated() where route.presentation != "push" {
                    shown.insert("r\(number)")
                    sheets.insert(number)
                }
                for sheet in sheets {
                    if let list = routes[sheet].list { pushed.formUnion(pushable(list)) }
                }
                // A route that lies on a path lists the routes that may lie on it; a root leaves
                // that to its tab.
                for name in pushed {
                    let number = Int(name.dropFirst()) ?? 0
                    if let list = routes[number].list { pushed.formUnion(pushable(list)) }
                }
                shown.formUnion(pushed)
                if (shown, sheets, pushed) == before { return shown }
            }
        }
    }

    @Test func `a root that is pushed again leads on by its own list`() throws {
        let report = try report(
            """
            {"routes":{"r0":{"routes":["r2"]},"r1":{"routes":["r0"]},"r2":{}},
             "tabs":[{"id":"t","root":"r0","routes":["r1"]}]}
            """)
        #expect(report.warnings.isEmpty)
    }

    @Test(.seeded) func `the warnings name the routes that a model cannot reach`() throws {
        var random = SplitMix64(stream: 41)
        for _ in 0..<2000 {
            let graph = Graph(&random)
            let report = try report(graph.document)
            let lost = graph.routes.indices.map { "r\($0)" }
                .filter { !graph.reachable.contains($0) }
            #expect(report.errors == [], "\(graph.document)")
            #expect(
                report.warnings.map(\.pointer).filter { $0.hasPrefix("/routes/") }
                    == lost.map { "/routes/" + $0 },
                "\(graph.document)")
        }
    }
}
