import JSON
import Navigation
import TestSupport
import Testing

/// Chains of guards that lead back to their beginning, which are refused when an app is stored.
@Suite struct GuardRingTests {
    private func faults(_ guards: String, _ routes: String, facts: String) throws -> [String] {
        let names = try object("{\(routes)}").members.map { "\"\($0.key)\"" }
        let report = try report(
            #"""
            {"facts":{\#(facts)},"guards":{\#(guards)},"routes":{\#(routes)},
             "tabs":[{"id":"home","routes":[\#(names.joined(separator: ","))]}]}
            """#)
        #expect(report.errors.isEmpty == (report.app != nil))
        return report.errors.map { "\($0.pointer) \($0.detail)" }
            + report.warnings.map { "! \($0.pointer) \($0.detail)" }
    }

    private func navigate(_ name: String, when: String, to route: String) -> String {
        #""\#(name)":{"when":\#(when),"instead":{"command":"navigate","route":"\#(route)"}}"#
    }

    private func two(_ first: String, _ second: String, facts: String) throws -> [String] {
        try faults(
            navigate("m", when: first, to: "y") + "," + navigate("g", when: second, to: "x"),
            #""x":{"guard":"m"},"y":{"guard":"g"}"#, facts: facts)
    }

    @Test func `two guards are a loop if both can fail at once`() throws {
        let flag = #""s":{"default":false,"schema":{"type":"boolean"}}"#
        #expect(try two(#"{"s":true}"#, #"{"s":false}"#, facts: flag) == [])
        #expect(
            try two(
                #"{"s":true}"#, #"{"s":false}"#,
                facts: #""s":{"default":1,"schema":{"enum":[true,false,1]}}"#)
                == ["/guards/m/instead leads back to itself through g when s is 1"])
        #expect(
            try two(#"{"s":true}"#, #"{"s":true}"#, facts: flag)
                == ["/guards/m/instead leads back to itself through g when s is false"])
        #expect(
            try two(
                #"{"s":true}"#, #"{"t":true}"#,
                facts: #""t":{"default":true},"s":{"default":false}"#)
                == ["! /facts/t with a value that no guard names, m and g lead to each other"])
        #expect(
            try two(
                #"{"s":true}"#, #"{"t":true}"#,
                facts: #""t":{"default":false},"s":{"default":false}"#)
                == [
                    "/guards/m/instead leads back to itself through g when t is false and s is false"
                ])
    }

    @Test func `a value that no guard names is one of the schema, or a warning`() throws {
        func one(_ schema: String, default value: String = "1", when: String = "1") throws
            -> [String]
        {
            try faults(
                navigate("a", when: #"{"f":\#(when)}"#, to: "x"), #""x":{"guard":"a"}"#,
                facts: #""f":{"default":\#(value)\#(schema)}"#)
        }
        #expect(try one("") == ["! /facts/f with a value that no guard names, a leads to itself"])
        #expect(try one("", default: "2") == ["/guards/a/instead leads back to itself when f is 2"])
        #expect(try one(#","schema":{"const":1}"#) == [])
        #expect(try one(#","schema":{"enum":[1,1.0]}"#) == [])
        #expect(try one(#","schema":{"enum":[1,2],"maximum":1}"#) == [])
        #expect(
            try one(#","schema":{"enum":[1,null,"b"]}"#)
                == [#"/guards/a/instead leads back to itself when f is "b""#])
        #expect(
            try one(#","schema":{"type":"boolean"}"#, default: "true", when: "[true,false]") == [])
        #expect(
            try one(#","schema":{"type":"boolean"}"#, default: "true", when: "true")
                == ["/guards/a/instead leads back to itself when f is false"])
        #expect(
            try one(#","schema":{"type":"integer"}"#, default: "1")
                == ["! /facts/f with a value that no guard names, a leads to itself"])
    }

    @Test func `values of two facts that nobody names may close a loop together`() throws {
        #expect(
            try two(
                #"{"s":[1,2]}"#, #"{"t":[1,2]}"#, facts: #""s":{"default":1},"t":{"default":2}"#)
                == ["! /facts/s with a value that no guard names, m and g lead to each other"])
    }

    @Test func `a guard that is asked before does not close a loop where it fails`() throws {
        let flag = #""s":{"default":false,"schema":{"type":"boolean"}}"#
        let flags = flag + #","u":{"default":false,"schema":{"type":"boolean"}}"#
        let guards =
            navigate("m", when: #"{"s":true}"#, to: "y") + ","
            + navigate("g", when: #"{"s":true}"#, to: "x")
        #expect(
            try faults(
                guards + #","o":{"when":{"s":true}}"#,
                #""x":{"guard":["o","m"]},"y":{"guard":"g"}"#,
                facts: flag) == [])
        #expect(
            try faults(
                guards + #","o":{"when":{"u":true}}"#,
                #""x":{"guard":["o","m"]},"y":{"guard":"g"}"#,
                facts: flags)
                == ["/guards/m/instead leads back to itself through g when s is false"])
    }

    @Test func `a chain that leaves a ring closes no loop of it`() throws {
        // Where `b` fails, `a` fails as well and is asked before, so that `b` leads to `a`. The
        // ring of `c` alone leads to `b`, and does not depend on the condition of `a`.
        #expect(
            try faults(
                #""a":{"when":{"s":0}},"# + navigate("b", when: #"{"s":[0,1]}"#, to: "x") + ","
                    + navigate("c", when: #"{"s":[0,1]}"#, to: "y"),
                #""x":{"guard":["a","b"]},"y":{"guard":["b","c"]}"#,
                facts: #""s":{"default":0,"schema":{"enum":[0,1,2]}}"#) == [])
    }

    @Test func `each loop is told once, and a ring with too many combinations is refused`() throws {
        let flag = #""s":{"default":false,"schema":{"type":"boolean"}}"#
        let both =
            navigate("a", when: #"{"s":true}"#, to: "a") + ","
            + navigate("b", when: #"{"s":true}"#, to: "b")
        #expect(
            try faults(both, #""a":{"guard":"a"},"b":{"guard":"b"}"#, facts: flag).map {
                $0.prefix(17)
            }
                == ["/guards/a/instead", "/guards/b/instead"])
        func many(_ count: Int) throws -> [String] {
            let values = (0..<count).map(String.init).joined(separator: ",")
            return try two(
                #"{"s":[\#(values)]}"#, #"{"t":[\#(values)]}"#,
                facts: #""s":{"default":1},"t":{"default":1}"#)
        }
        #expect(try many(100) == [])
        #expect(
            try many(101)
                == ["/guards/m has too many combinations to check; leave out an instead"])
    }

    @Test func `what the largest app costs is bounded`() throws {
        let count = 100
        let guards = (0..<count).map { index in
            let bits = (0..<13).map { #""f\#($0)":\#(((index * 83) >> $0) & 1)"# }
            let when = bits.joined(separator: ",")
            return navigate("g\(index)", when: "{\(when)}", to: "r\((index + 1) % count)")
        }
        let routes = (0..<count).map { #""r\#($0)":{"guard":"g\#($0)"}"# }
        let facts = (0..<13).map { #""f\#($0)":{"default":0}"# }
        let document = try JSON(
            parsing: Array(
                #"""
                {"facts":{\#(facts.joined(separator: ","))},"guards":{\#(guards.joined(separator: ","))},
                 "routes":{\#(routes.joined(separator: ","))},
                 "tabs":[{"id":"t","routes":[\#((0..<count).map { "\"r\($0)\"" }.joined(separator: ","))]}]}
                """#.utf8))
        let work = WorkBudget(units: WorkBudget.unitsMaxOfApp)
        let report = try AppReader.read(
            document, id: AppID(trusted: "large"), limits: Limits(), work: work)
        #expect(report.errors.first?.pointer == "/guards/g0/instead")
        let small = WorkBudget(units: 1_000_000)
        #expect(throws: WorkBudgetError.self) {
            try AppReader.read(document, id: AppID(trusted: "large"), limits: Limits(), work: small)
        }
    }

    // MARK: - Random apps

    /// An app of some guards over facts with few values, and the same as plain values.
    private struct RandomApp {
        var values: [Int]
        var guards: [(when: [Int: Set<Int>], goal: [Int]?)] = []

        init(_ numbers: inout SplitMix64) {
            values = (0..<Int.random(in: 1...2, using: &numbers)).map { _ in
                Int.random(in: 2...3, using: &numbers)
            }
            let count = Int.random(in: 1...5, using: &numbers)
            for _ in 0..<count {
                var when: [Int: Set<Int>] = [:]
                for fact in values.indices where when.isEmpty || Bool.random(using: &numbers) {
                    let all = (0..<values[fact]).filter { _ in Bool.random(using: &numbers) }
                    when[fact] = all.isEmpty ? [0] : Set(all)
                }
                let goal = (0..<count).shuffled(using: &numbers)
                    .prefix(Int.random(in: 1...2, using: &numbers))
                guards.append(
                    (when, Int.random(in: 0..<8, using: &numbers) == 0 ? nil : Array(goal)))
            }
        }

        /// Each guard offers a route under its goals.
        var document: String {
            let facts = values.indices.map { fact in
                let list = (0..<values[fact]).map(String.init).joined(separator: ",")
                return #""f\#(fact)":{"default":0,"schema":{"enum":[\#(list)]}}"#
            }
            var texts: [String] = []
            var routes: [String] = []
            for (index, (when, goal)) in guards.enumerated() {
                let conditions = when.sorted { $0.key < $1.key }.map {
                    #""f\#($0.key)":[\#($0.value.sorted().map(String.init).joined(separator: ","))]"#
                }
                let instead =
                    goal == nil ? "" : #","instead":{"command":"navigate","route":"r\#(index)"}"#
                texts.append(
                    #""g\#(index)":{"when":{\#(conditions.joined(separator: ","))}\#(instead)}"#)
                routes.append(#""s\#(index)":{"guard":"g\#(index)"}"#)
                let names = (goal ?? []).map { "\"g\($0)\"" }.joined(separator: ",")
                routes.append(#""r\#(index)":{\#(names.isEmpty ? "" : #""guard":[\#(names)]"#)}"#)
            }
            let names = guards.indices.flatMap { ["\"r\($0)\"", "\"s\($0)\""] }
            return #"""
                {"facts":{\#(facts.joined(separator: ","))},"guards":{\#(texts.joined(separator: ","))},
                 "routes":{\#(routes.joined(separator: ","))},
                 "tabs":[{"id":"home","routes":[\#(names.joined(separator: ","))]}]}
                """#
        }

        var combinations: [[Int]] {
            values.reduce([[]]) { all, count in
                all.flatMap { one in (0..<count).map { one + [$0] } }
            }
        }

        func holds(_ index: Int, _ facts: [Int]) -> Bool {
            guards[index].when.allSatisfy { $0.value.contains(facts[$0.key]) }
        }

        /// The guards that the chain from one that fails passes, and the one that it comes to
        /// again.
        func chain(from start: Int, _ facts: [Int]) -> (passed: [Int], again: Int?) {
            var passed: [Int] = []
            var next: Int? = start
            while let index = next {
                if passed.contains(index) { return (passed, index) }
                passed.append(index)
                next = guards[index].goal?.first { !holds($0, facts) }
            }
            return (passed, nil)
        }
    }

    @Test(.seeded, arguments: SplitMix64.worlds(40))
    func `an app is refused if and only if a chain comes back, and otherwise each chain ends`(
        round: Int
    ) throws {
        var numbers = SplitMix64(stream: UInt64(round))
        for _ in 0..<10 {
            let random = RandomApp(&numbers)
            let report = try report(random.document)
            var first: Set<String> = []
            for facts in random.combinations {
                for start in random.guards.indices where !random.holds(start, facts) {
                    let (passed, again) = random.chain(from: start, facts)
                    guard let again, let place = passed.firstIndex(of: again) else { continue }
                    first.insert("/guards/g\(passed[place...].min() ?? 0)/instead")
                }
            }
            #expect(Set(report.errors.map(\.pointer)) == first, "\(random.document)")
            guard let app = report.app else { continue }
            for facts in random.combinations {
                try check(random, app, facts)
            }
        }
    }

    /// Asks for something under each guard, and compares what is held back by which guard.
    private func check(_ random: RandomApp, _ app: App, _ facts: [Int]) throws {
        var world = try World(app: app)
        world.session.facts = Facts(
            facts.enumerated().map { (FactName(trusted: "f\($0)"), .integer(Int64($1))) })
        for start in random.guards.indices {
            let body = #"{"route":"s\#(start)"}"#
            guard !random.holds(start, facts) else {
                #expect(try world.trial(.navigate, body).answer.guarded.held == nil)
                continue
            }
            let last = try #require(random.chain(from: start, facts).passed.last)
            if random.guards[last].goal == nil {
                guard case .guarded(let name, _, _) = try world.refusal(.navigate, body) else {
                    throw NotAnObject()
                }
                #expect(name.rawValue == "g\(last)")
            } else {
                let held = try world.trial(.navigate, body)
                #expect(held.answer.guarded.held?.rawValue == "g\(last)")
                #expect(held.session.state.tabs[0].path.map(\.route.rawValue) == ["r\(last)"])
            }
        }
    }
}
