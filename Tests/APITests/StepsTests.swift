import Bytes
import HTTP
import JSON
import Navigation
import Sessions
import TestSupport
import Testing

import API

/// A client's copy of a session's tabs and sheets, which knows nothing but the JSON.
private struct Copy: Equatable {
    var selected: String
    var tabs: [JSONObject]
    var sheets: [JSONObject]

    init(_ session: JSON) {
        selected = session["selectedTab"]?.string ?? ""
        tabs = session["tabs"]?.array.compactMap(\.object) ?? []
        sheets = (session["sheets"]?.array ?? []).map(Copy.sheet)
    }

    /// The sheet without its presenter, which no step changes: it is always what the sheet lies on.
    private static func sheet(_ sheet: JSON?) -> JSONObject {
        let members = sheet?.object?.members.filter { $0.key != "presentedBy" } ?? []
        return JSONObject(members.map { ($0.key, $0.value) })
    }

    var text: String {
        let (tabs, sheets) = (tabs.map(JSON.object), sheets.map(JSON.object))
        return JSON.array([.string(selected), .array(tabs), .array(sheets)]).text
    }

    mutating func carryOut(_ step: JSON) {
        switch step["step"]?.string {
        case "tabs": arrange(step["order"]?.array ?? [], hidden: step["hidden"]?.array ?? [])
        case "dismiss": if sheets.last?["id"] == step["sheet"] { sheets.removeLast() }
        case "select": selected = step["tab"]?.string ?? ""
        case "pop": edit(step["in"]) { $0.removeLast(step["count"]?.integer ?? 0) }
        case "push": edit(step["in"]) { $0.append(step["entry"] ?? .null) }
        case "present": sheets.append(Copy.sheet(step["sheet"]))
        case "params": replace(step["entry"]?.object ?? JSONObject())
        case "badge":
            for index in tabs.indices where tabs[index]["id"] == step["tab"] {
                tabs[index] = Copy.tab(tabs[index], badge: step["badge"])
            }
        default: Issue.record("an unknown step: \(step.text)")
        }
    }

    private mutating func arrange(_ order: [JSON], hidden: [JSON]) {
        tabs = order.map { id in
            let known = tabs.first { $0["id"] == id } ?? JSONObject([("path", .array([]))])
            var tab = JSONObject([("id", id)])
            if let badge = known["badge"] { tab.append("badge", badge) }
            if hidden.contains(id) { tab.append("hidden", .bool(true)) }
            if let root = known["root"] { tab.append("root", root) }
            tab.append("path", known["path"] ?? .null)
            return tab
        }
    }

    private static func tab(_ old: JSONObject, badge: JSON?) -> JSONObject {
        var tab = JSONObject([("id", old["id"] ?? .null)])
        if let badge { tab.append("badge", badge) }
        for member in old.members where !["id", "badge"].contains(member.key) {
            tab.append(member.key, member.value)
        }
        return tab
    }

    private mutating func edit(_ name: JSON?, _ change: (inout [JSON]) -> Void) {
        func apply(to container: inout JSONObject) {
            guard container["id"] == name, case .array(var path)? = container["path"] else {
                return
            }
            change(&path)
            container["path"] = .array(path)
        }
        for index in tabs.indices { apply(to: &tabs[index]) }
        for index in sheets.indices { apply(to: &sheets[index]) }
    }

    private mutating func replace(_ screen: JSONObject) {
        for index in sheets.indices where sheets[index]["id"] == screen["id"] {
            let old = sheets[index]
            var sheet = JSONObject([("id", old["id"] ?? .null), ("style", old["style"] ?? .null)])
            for member in screen.members.dropFirst() { sheet.append(member.key, member.value) }
            for member in old.members
            where !["id", "style", "route", "params", "mark"].contains(member.key) {
                sheet.append(member.key, member.value)
            }
            sheets[index] = sheet
        }
        for index in tabs.indices where tabs[index]["id"] == screen["id"] {
            // A root of the free-form sessions here is shown if it has params or a mark.
            let isDeclared = screen["params"]?.text == "{}" && screen["mark"] == nil
            tabs[index]["root"] = nil
            guard !isDeclared else { continue }
            let path = tabs[index]["path"] ?? .null
            tabs[index]["path"] = nil
            tabs[index].append("root", .object(screen))
            tabs[index].append("path", path)
        }
        for name in (tabs + sheets).map({ $0["id"] }) {
            edit(name) { path in
                path = path.map { $0["id"] == screen["id"] ? .object(screen) : $0 }
            }
        }
    }
}

extension JSON {
    fileprivate var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }
}

@Suite struct StepsTests {
    let client: Client

    init() throws {
        client = try Client()
        try client.call("POST", "/v1/sessions", #"{"id":"a","tabs":["x","y"]}"#)
    }

    private func steps(_ query: String) throws -> Client.Answer {
        try client.call("GET", "/v1/sessions/a/steps\(query)")
    }

    @Test func `the steps are told with the revisions, each with its members`() throws {
        try client.command("a", "navigate", #"{"route":"r","params":{"n":1}}"#)
        try client.command("a", "present", #"{"route":"s"}"#)
        #expect(
            try steps("?from=1").text
                == #"{"from":1,"to":3,"steps":[{"step":"push","in":"x","entry":{"id":"e1","#
                + #""route":"r","params":{"n":1}}},{"step":"present","sheet":{"id":"e2","#
                + #""style":"sheet","route":"s","params":{},"presentedBy":"e1","path":[]}}]}"#)
        #expect(
            try steps("?from=3&to=1").json["steps"]?.text
                == #"[{"step":"dismiss","sheet":"e2"},{"step":"pop","in":"x","count":1}]"#)
        try client.command(
            "a", "batch",
            #"""
            {"commands":[{"command":"setParams","entry":"e2","params":{"m":2}},
             {"command":"setBadge","tab":"y","badge":"new"},{"command":"select","tab":"y"}]}
            """#)
        #expect(
            try steps("?from=3").json["steps"]?.text
                == #"[{"step":"select","tab":"y"},{"step":"params","entry":{"id":"e2","#
                + #""route":"s","params":{"m":2}}},{"step":"badge","tab":"y","badge":"new"}]"#)
        #expect(
            try steps("?from=4&to=3").json["steps"]?[2]?.text == #"{"step":"badge","tab":"y"}"#)
    }

    @Test func `tabs that come and go are told with all that are there`() throws {
        try client.call("PUT", "/v1/sessions/a", #"{"tabs":[{"id":"z"},{"id":"y"}]}"#)
        #expect(
            try steps("?from=1").json["steps"]?.text
                == #"[{"step":"tabs","order":["x","z","y"],"hidden":[]},"#
                + #"{"step":"select","tab":"z"},{"step":"tabs","order":["z","y"],"hidden":[]}]"#)
    }

    @Test(arguments: [
        ("", 422), ("?to=1", 422), ("?from=0", 422), ("?from=x", 422), ("?from=1&to=-1", 422),
        ("?from=1&until=1", 422), ("?from=2", 410), ("?from=1&to=2", 410), ("?from=1&to=1", 200),
    ])
    func `a query is checked, and a revision must be kept`(query: String, status: Int) throws {
        let answer = try steps(query)
        #expect(answer.status == status)
        #expect(answer.problem == [422: "invalid-request", 410: "revision-gone"][status])
    }

    @Test func `there are none from a revision to itself, and none of a session that is not there`()
        throws
    {
        #expect(try steps("?from=1&to=1").text == #"{"from":1,"to":1,"steps":[]}"#)
        let missing = try client.call("GET", "/v1/sessions/b/steps?from=1")
        #expect(missing.problem == "session-not-found")
    }

    @Test func `revisions that are not in memory are loaded`() throws {
        for number in 1...5 { try client.command("a", "navigate", #"{"route":"r\#(number)"}"#) }
        client.store.forget()
        #expect(try steps("?from=2&to=4").json["steps"]?.array.count == 2)
        #expect(client.store.loads > 0)
    }

    @Test func `steps are not shown before both revisions are durable`() throws {
        client.store.isInstant = false
        try client.command("a", "navigate", #"{"route":"r"}"#)
        #expect(try steps("?from=1").visibleAfter == client.store.durable + 1)
        #expect(try steps("?from=2&to=1").visibleAfter == client.store.durable + 1)
        #expect(try steps("?from=1&to=1").visibleAfter == client.store.durable)
    }

    // MARK: - The laws, for clients

    @Test(.seeded, arguments: 0..<6 as Range<UInt64>)
    func `a copy follows any session by its steps, to the last byte`(stream: UInt64) throws {
        var numbers = SplitMix64(stream: stream)
        client.service.environment.audience = { _ in 1 }
        client.service.environment.wantsSteps = { _ in true }
        var copies = [Copy(try client.call("GET", "/v1/sessions/a").json)]
        for _ in 0..<60 {
            try change(&numbers)
            let session = try client.call("GET", "/v1/sessions/a").json
            guard session["revision"]?.integer ?? 0 > copies.count else { continue }
            copies.append(Copy(session))
            let told = try #require(client.announcements.last?.steps)
            var copy = try #require(copies.dropLast().last)
            for step in try JSON(parsing: told).array { copy.carryOut(step) }
            #expect(copy.text == copies.last?.text)
        }
        for _ in 0..<60 {
            let from = max(0, copies.count - 1 - numbers.below(30))
            let to = max(0, copies.count - 1 - numbers.below(30))
            var copy = copies[from]
            for step in try steps("?from=\(from + 1)&to=\(to + 1)").json["steps"]?.array ?? [] {
                copy.carryOut(step)
            }
            #expect(copy.text == copies[to].text, "from \(from + 1) to \(to + 1)")
        }
    }

    private func change(_ numbers: inout SplitMix64) throws {
        let number = numbers.below(4)
        let mark = numbers.oneIn(2) ? #","mark":"m\#(number)""# : ""
        switch numbers.below(11) {
        case 0: try client.command("a", "present", #"{"route":"s","path":[{"route":"r"}]}"#)
        case 1: try client.command("a", "back")
        case 2: try client.command("a", "select", #"{"tab":"\#(numbers.one(of: ["x", "y"]))"}"#)
        case 3: try client.command("a", "setParams", #"{"params":{"n":\#(number)}}"#)
        case 4: try client.command("a", "undo", #"{"count":\#(number + 1)}"#)
        case 5: try client.command("a", "setBadge", #"{"tab":"y","badge":\#(number)}"#)
        case 6: try restore(&numbers)
        case 7:
            let hidden = numbers.one(of: ["", #""x""#, #""y""#])
            try client.command("a", "setTabs", #"{"hidden":[\#(hidden)]}"#)
        case 8:
            let body = #"{"route":"r","mode":"single","params":{"n":\#(number)}\#(mark)}"#
            try client.command("a", "navigate", body)
        default:
            let body = #"{"route":"r","params":{"n":\#(number)}\#(mark)}"#
            try client.command("a", "navigate", body)
        }
    }

    /// Tabs, entries and sheets change their places.
    private func restore(_ numbers: inout SplitMix64) throws {
        let session = try client.call("GET", "/v1/sessions/a").json
        var entries = (session["tabs"]?.array ?? []).flatMap { $0["path"]?.array ?? [] }
        entries.shuffle(using: &numbers)
        let sheets = (session["sheets"]?.array ?? []).shuffled(using: &numbers)
        let split = numbers.below(entries.count + 1)
        var tabs = [
            JSONObject([("id", .string("x")), ("path", .array(Array(entries[..<split])))]),
            JSONObject([("id", .string("y")), ("path", .array(Array(entries[split...])))]),
        ]
        if numbers.oneIn(2) { tabs.append(JSONObject([("id", .string("z"))])) }
        let body = JSONObject([
            ("tabs", .array(tabs.shuffled(using: &numbers).map(JSON.object))),
            ("selectedTab", .string(numbers.one(of: ["x", "y"]))), ("sheets", .array(sheets)),
        ])
        let answer = try client.call("PUT", "/v1/sessions/a", JSON.object(body).text)
        #expect(answer.status == 200, "\(answer.text)")
    }
}

/// Streams that tell the steps of each change.
@Suite struct StepStreamTests {
    let client: Client

    init() throws {
        client = try Client()
        client.service.environment.audience = { _ in 1 }
        client.service.environment.wantsSteps = { _ in true }
        try client.call("POST", "/v1/sessions", #"{"id":"a","tabs":["x","y"]}"#)
    }

    private func open(_ target: String) throws -> StreamOpening {
        let message = "GET \(target) HTTP/1.1\r\nHost: localhost:8080\r\n\r\n"
        return try #require(try client.opening(Array(message.utf8)))
    }

    /// The data of an event as the stream gets it.
    private func data(_ event: StreamEvent, _ opening: StreamOpening) throws -> JSON {
        let form = StreamEvent.Form(opening.subscription, .untilClose)
        var text = ByteWriter()
        let frame = event.frame(for: opening.subscription, form, using: &text)
        let lines = String(decoding: frame, as: UTF8.self)
            .split(separator: "\n")
        let data = try #require(lines.first { $0.hasPrefix("data: ") })
        return try JSON(parsing: Array(data.dropFirst(6).utf8))
    }

    @Test func `a change has its steps only for a stream that asked for them`() throws {
        let with = try open("/v1/sessions/a/events?steps=true")
        let without = try open("/v1/sessions/a/events?steps=false")
        try client.command("a", "navigate", #"{"route":"r"}"#)
        let event = try #require(client.announcements.last)
        let told = try data(event, with)
        #expect(
            told["steps"]?.text
                == #"[{"step":"push","in":"x","entry":{"id":"e1","route":"r","params":{}}}]"#)
        let plain = try data(event, without)
        #expect(plain["steps"] == nil)
        #expect(plain["session"] == told["session"])
        #expect(String(decoding: event.data, as: UTF8.self) == plain.text)
    }

    @Test func `settings change without steps, and a snapshot has none`() throws {
        let opening = try open("/v1/sessions/a/events?steps=true")
        #expect(try data(try #require(opening.events.first), opening)["steps"] == nil)
        try client.call("PATCH", "/v1/sessions/a", #"{"labels":{"k":"v"}}"#)
        let event = try #require(client.announcements.last)
        #expect(try data(event, opening)["steps"] == .array([]))
    }

    @Test func `no steps are made if no stream wants them, or for a dry run`() throws {
        client.service.environment.wantsSteps = { _ in false }
        try client.command("a", "navigate", #"{"route":"r"}"#)
        #expect(client.announcements.last?.steps == nil)
        #expect(try client.command("a", "back?dryRun=true").status == 200)
    }

    @Test func `reconciling and the command after it have their own steps`() throws {
        let app = #"{"routes":{"r":{},"q":{}},"tabs":[{"id":"m","routes":["r","q"]}]}"#
        try client.call("PUT", "/v1/apps/p", app)
        try client.call("POST", "/v1/sessions", #"{"id":"b","app":"p"}"#)
        try client.command("b", "navigate", #"{"route":"q"}"#)
        try client.call(
            "PUT", "/v1/apps/p", #"{"routes":{"r":{}},"tabs":[{"id":"m","routes":["r"]}]}"#)
        client.announcements.removeAll()
        try client.command("b", "navigate", #"{"route":"r"}"#)
        #expect(
            client.announcements.map { $0.steps.map { String(decoding: $0, as: UTF8.self) } }
                == [
                    #"[{"step":"pop","in":"m","count":1}]"#,
                    #"[{"step":"push","in":"m","entry":{"id":"e2","route":"r","params":{}}}]"#,
                ])
    }

    @Test(arguments: ["/v1/sessions/a/events?", "/v1/events?session=a&", "/v1/events?"])
    func `a resumed stream begins with the steps that it missed`(target: String) throws {
        let after = client.store.durable
        try client.command("a", "navigate", #"{"route":"r"}"#)
        try client.command("a", "select", #"{"tab":"y"}"#)
        try client.call("POST", "/v1/sessions", #"{"id":"b"}"#)
        for isForgetful in [false, true] {
            if isForgetful { client.store.forget() }
            let opening = try open("\(target)after=\(after)&steps=true")
            let told = try opening.events.map { try data($0, opening) }
            #expect(told.prefix(2).map { $0["steps"]?[0]?["step"]?.string } == ["push", "select"])
            // Before its first revision a session was not there.
            #expect(told.dropFirst(2).allSatisfy { $0["steps"] == nil })
            #expect(told.count == (target == "/v1/events?" ? 3 : 2))
        }
    }

    @Test func `without the revision before the first missed change there is a gap`() throws {
        for _ in 1...3 { try client.command("a", "navigate", #"{"route":"r"}"#) }
        let after = client.store.durable
        // The store keeps the last one and the 32 before it.
        for _ in 1...33 { try client.command("a", "navigate", #"{"route":"r"}"#) }
        let with = try open("/v1/sessions/a/events?after=\(after)&steps=true")
        #expect(with.events.map(\.name) == [.snapshot])
        #expect(try data(try #require(with.events.first), with)["gap"] == .bool(true))
        let without = try open("/v1/sessions/a/events?after=\(after)")
        #expect(without.events.map(\.name) == Array(repeating: .change, count: 33))
    }
}
