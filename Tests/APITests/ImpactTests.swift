import API
import JSON
import Navigation
import TestSupport
import Testing

/// The effect of an app on its sessions, before and after it is stored.
@Suite struct ImpactTests {
    private static let old = #"""
        {"routes":{"item":{"params":{"type":"object"}},"promo":{},"cart":{}},
         "tabs":[{"id":"t","routes":["item","promo","cart"]},{"id":"u","routes":["cart"]}]}
        """#
    private static let new = #"""
        {"routes":{"product":{"was":{"item":{"sku":"{id}"}},
                              "params":{"type":"object","required":["sku"]}},"cart":{}},
         "tabs":[{"id":"t","routes":["product","cart"]}]}
        """#

    private func client(_ paths: [String]) throws -> Client {
        let client = try Client()
        try client.call("PUT", "/v1/apps/x", Self.old)
        try client.call("PUT", "/v1/apps/y", #"{"tabs":[{"id":"t"}]}"#)
        try client.call("POST", "/v1/sessions", #"{"id":"other","app":"y"}"#)
        for (index, path) in paths.enumerated() {
            try client.call("POST", "/v1/sessions", #"{"id":"s\#(100 + index)","app":"x"}"#)
            try client.command("s\(100 + index)", "setPath", #"{"in":"t","path":\#(path)}"#)
        }
        return client
    }

    private static let paths = [
        #"[{"route":"item","params":{"id":1}},{"route":"item","params":{"id":2}}]"#,
        #"[{"route":"cart"}]"#,
        #"[{"route":"promo"},{"route":"item","params":{"id":1}},{"route":"promo"}]"#,
        #"[{"route":"item"}]"#,
    ]

    private func text(_ object: JSON?, _ names: [String]) -> String {
        names.map { object?[$0]?.text ?? "-" }.joined(separator: " ")
    }

    private func sums(_ impact: JSON?) -> String {
        text(impact, ["sessions", "affected", "moved", "losing"])
    }

    private func rows(_ impact: JSON?) -> [String] {
        (impact?["routes"]?.array ?? []).map {
            text($0, ["route", "to", "why", "sessions", "screens"]).replacing("\"", with: "")
        }
    }

    private let allRows = [
        "item product - 3 4", "product - invalid-params 1 1", "promo - route-gone 1 2",
    ]

    @Test func `a dry run says what the app would do, and stores nothing`() throws {
        let client = try client(Self.paths)
        let answer = try client.call("PUT", "/v1/apps/x?dryRun=true", Self.new)
        let impact = answer.json["impact"]
        #expect(answer.json["valid"] == .bool(true))
        // All four lose the tab u.
        #expect(sums(impact) == "4 4 3 2")
        #expect(rows(impact) == allRows)
        #expect(impact?["next"] == nil)
        let stored = try client.call("GET", "/v1/apps/x/impact")
        #expect(sums(stored.json) == "4 0 0 0" && stored.json["routes"]?.text == "[]")
        #expect(try client.call("GET", "/v1/sessions/s100").json["revision"]?.integer == 2)
    }

    @Test func `an app without sessions, or an invalid one, has no impact`() throws {
        let client = try client([])
        for body in [Self.new, #"{"tabs":[]}"#] {
            let answer = try client.call("PUT", "/v1/apps/x?dryRun=true&limit=5", body)
            #expect(answer.status == 200 && answer.json["impact"] == nil)
        }
        #expect(try client.call("PUT", "/v1/apps/z?dryRun=true", Self.new).json["impact"] == nil)
        #expect(sums(try client.call("GET", "/v1/apps/x/impact").json) == "0 0 0 0")
        #expect(try client.call("GET", "/v1/apps/z/impact").status == 404)
    }

    @Test(arguments: [
        "PUT /v1/apps/x?limit=5", "PUT /v1/apps/x?cursor=a", "PUT /v1/apps/x?dryRun=true&limit=0",
        "PUT /v1/apps/x?dryRun=true&limit=1001", "PUT /v1/apps/x?dryRun=true&cursor=a%20b",
        "GET /v1/apps/x/impact?limit=x", "GET /v1/apps/x/impact?cursor=",
        "GET /v1/apps/x/impact?dryRun=true",
    ])
    func `a wrong page is refused`(_ request: String) throws {
        let parts = request.split(separator: " ").map(String.init)
        let body = parts[0] == "PUT" ? Self.new : nil
        let answer = try client(Self.paths).call(parts[0], parts[1], body)
        #expect(answer.status == 422 && answer.problem == "invalid-request")
    }

    @Test func `a replaced app answers what is still to come`() throws {
        let client = try client(Self.paths)
        #expect(try client.call("PUT", "/v1/apps/x", Self.new).json["impact"] == nil)
        #expect(rows(try client.call("GET", "/v1/apps/x/impact").json) == allRows)
        try client.command("s100", "navigate", #"{"route":"cart"}"#)
        try client.command("s102", "back")
        let rest = try client.call("GET", "/v1/apps/x/impact").json
        #expect(sums(rest) == "4 2 1 1")
        #expect(rows(rest) == ["item product - 1 1", "product - invalid-params 1 1"])
        let history = try client.call("GET", "/v1/sessions/s102/history").json["history"]?[1]
        #expect(history?["moved"]?.text == #"[{"id":"e2","from":"item","route":"product"}]"#)
        #expect(
            history?["dropped"]?.array.map { text($0, ["id", "route", "why"]) } == [
                #""e1" "promo" "route-gone""#, #""e3" "promo" "route-gone""#,
            ])
    }

    @Test func `the answer of PUT says what was moved, and can be sent again`() throws {
        let client = try client([])
        try client.call("PUT", "/v1/apps/x", Self.new)
        let body = #"{"app":"x","tabs":[{"id":"t","path":[{"route":"item","params":{"id":"7"}}]}]}"#
        let key = ["Idempotency-Key": "k"]
        let first = try client.call("PUT", "/v1/sessions/n", body, key)
        #expect(first.json["moved"]?.text == #"[{"id":"e1","from":"item","route":"product"}]"#)
        #expect(first.json["tabs"]?[0]?["path"]?[0]?["params"]?.text == #"{"sku":"7"}"#)
        #expect(try client.call("PUT", "/v1/sessions/n", body, key).text == first.text)
        let again = try client.call("PUT", "/v1/sessions/n", first.text)
        #expect(again.status == 200 && again.json["moved"] == nil)
        #expect(again.json["revision"]?.integer == 1)
    }

    @Test func `records that are not in memory are loaded first`() throws {
        let client = try client(Self.paths)
        client.store.forget()
        #expect(
            sums(try client.call("PUT", "/v1/apps/x?dryRun=true", Self.new).json["impact"])
                == "4 4 3 2")
        #expect(client.store.loads > 0)
    }

    @Test func `a page ends when the work of a request is done`() throws {
        let params = (0..<400).map { #""m\#($0)":\#($0)"# }.joined(separator: ",")
        let path =
            "["
            + (0..<12).map { _ in #"{"route":"item","params":{\#(params)}}"# }
            .joined(separator: ",") + "]"
        let client = try client(Array(repeating: path, count: 40))
        var (sessions, pages, cursor) = (0, 0, "")
        repeat {
            let before = client.service.work.unitsSpent
            let impact = try client.call(
                "PUT", "/v1/apps/x?dryRun=true\(cursor)", Self.new
            ).json["impact"]
            #expect(client.service.work.unitsSpent - before < 3 * WorkBudget.unitsMax)
            sessions += impact?["sessions"]?.integer ?? 0
            pages += 1
            cursor = impact?["next"]?.string.map { "&cursor=\($0)" } ?? ""
        } while !cursor.isEmpty && pages < 100
        #expect(sessions == 40 && pages > 1)
    }

    // MARK: - The law

    private func randomPath(_ dice: inout SplitMix64) -> String {
        let items = (0..<dice.below(5)).map { _ in
            let route = dice.one(of: ["item", "promo", "cart"])
            let params = route == "item" && dice.oneIn(2) ? #"{"id":\#(dice.below(9))}"# : "{}"
            return #"{"route":"\#(route)","params":\#(params)}"#
        }
        return "[\(items.joined(separator: ","))]"
    }

    /// The sums of what the reconciliations of all sessions did, from their histories.
    private func reconciled(_ client: Client, _ count: Int) throws -> [Int] {
        var sums = [0, 0, 0, 0, 0]
        for index in 0..<count {
            let id = "s\(100 + index)"
            try client.command(id, "setBadge", #"{"tab":"t","badge":1}"#)
            let items = try client.call("GET", "/v1/sessions/\(id)/history").json["history"]
            for item in items?.array ?? []
            where item["command"]?["command"]?.string == "reconcile" {
                let (moved, dropped) = (item["moved"]?.array ?? [], item["dropped"]?.array ?? [])
                sums[0] += 1
                sums[1] += moved.isEmpty ? 0 : 1
                sums[2] += dropped.isEmpty ? 0 : 1
                sums[3] += moved.count
                sums[4] += dropped.count
            }
        }
        return sums
    }

    @Test(.seeded) func `the sum of the pages is what the reconciliations then do`() throws {
        var dice = SplitMix64()
        for _ in 0..<4 {
            let count = 10 + dice.below(20)
            let client = try client((0..<count).map { _ in randomPath(&dice) })
            let limit = 1 + dice.below(7)
            func pages(_ page: (String) throws -> JSON?) throws -> [Int] {
                var (sums, cursor) = ([0, 0, 0, 0, 0], "")
                repeat {
                    let impact = try page("limit=\(limit)\(cursor)")
                    for (index, name) in ["affected", "moved", "losing"].enumerated() {
                        sums[index] += impact?[name]?.integer ?? 0
                    }
                    for row in impact?["routes"]?.array ?? [] {
                        sums[row["to"] == nil ? 4 : 3] += row["screens"]?.integer ?? 0
                    }
                    #expect((impact?["sessions"]?.integer ?? 0) <= limit)
                    cursor = impact?["next"]?.string.map { "&cursor=\($0)" } ?? ""
                } while !cursor.isEmpty
                return sums
            }
            let foreseen = try pages {
                try client.call("PUT", "/v1/apps/x?dryRun=true&\($0)", Self.new).json["impact"]
            }
            try client.call("PUT", "/v1/apps/x", Self.new)
            func left() throws -> [Int] {
                try pages { try client.call("GET", "/v1/apps/x/impact?\($0)").json }
            }
            #expect(try left() == foreseen)
            #expect(try reconciled(client, count) == foreseen)
            #expect(try left() == [0, 0, 0, 0, 0])
        }
    }
}
