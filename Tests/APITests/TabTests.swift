import API
import JSON
import Testing

/// Marks, the way back from tab to tab, and tabs of the user's own, on the wire.
@Suite struct TabTests {
    private let client: Client
    private static let app = #"""
        {"tabBack":"history","routes":{"r":{}},
         "tabs":[{"id":"a","routes":["r"]},{"id":"b","routes":["r"]},{"id":"c","routes":["r"]}],
         "links":[{"pattern":"/r","tab":"b","path":[{"route":"r","mark":"m"}],
                   "present":{"route":"s","mark":"n","path":[{"route":"r","mark":"o"}]}}]}
        """#

    init() throws {
        client = try Client()
        let app = Self.app.replacing(
            #""r":{}"#, with: #""r":{},"s":{"presentation":"sheet"}"#)
        #expect(try client.call("PUT", "/v1/apps/x", app).status == 201)
        try client.call("POST", "/v1/sessions", #"{"id":"s","app":"x"}"#)
    }

    private func tabHistory(_ answer: Client.Answer) -> String? {
        answer.session["tabHistory"]?.text
    }

    @Test func `a step from tab to tab is told in the answer and in the history`() throws {
        try client.command("s", "select", #"{"tab":"b"}"#)
        let there = try client.command("s", "navigate", #"{"route":"r","in":"c"}"#)
        #expect(tabHistory(there) == #"["a","b"]"#)
        let key = ["Idempotency-Key": "k"]
        let back = try client.command("s", "back", #"{"count":2}"#, key)
        #expect(
            back.text.hasPrefix(
                #"{"changed":true,"added":[],"removed":["e1"],"popped":1,"selected":"b","session""#
            ))
        #expect(tabHistory(back) == #"["a"]"#)
        #expect(back.session["canGoBack"] == .bool(true))
        #expect(try client.command("s", "back", #"{"count":2}"#, key).text == back.text)
        let history = try client.call("GET", "/v1/sessions/s/history?limit=1")
        #expect(history.json["history"]?[0]?["selected"]?.string == "b")
        let allowed = try client.call("GET", "/v1/sessions/s/allowed")
        #expect(allowed.json["canGoBack"] == .bool(true))
        #expect(
            try client.command("s", "back", "{}", ["Prefer": "return=minimal"]).text
                == #"{"changed":true,"added":[],"removed":[],"popped":0,"selected":"a","revision":5}"#
        )
        #expect(
            try client.call("GET", "/v1/sessions/s/allowed").json["canGoBack"] == .bool(false))
    }

    @Test func `tabs are arranged, and the last one cannot go`() throws {
        let set = try client.command("s", "setTabs", #"{"order":["c","a","b"],"hidden":["b"]}"#)
        #expect(set.session["ownOrder"] == .bool(true))
        #expect(
            set.session["tabs"]?.text
                == #"[{"id":"c","path":[]},{"id":"a","path":[]},{"id":"b","hidden":true,"path":[]}]"#
        )
        let needed = try client.command("s", "setTabs", #"{"hidden":["a"]}"#)
        #expect(needed.status == 409)
        #expect(needed.problem == "tab-needed")
        #expect(try client.call("GET", "/problems/tab-needed").text.contains("status 409"))
        let order = try client.command("s", "setTabs", #"{"order":["a"]}"#)
        #expect(order.json["errors"]?[0]?["pointer"]?.string == "/order")
        let dry = try client.call(
            "POST", "/v1/sessions/s/setTabs?dryRun=true", #"{"order":["a","b","c"]}"#)
        #expect(dry.session["ownOrder"] == nil)
        #expect(
            try client.call("GET", "/v1/sessions/s").json["ownOrder"] == .bool(true))
        let undone = try client.command("s", "undo")
        #expect(undone.session.picture == "a* [] b [] c []")
        #expect(undone.session["ownOrder"] == nil)
    }

    @Test func `marks are shown, resolved and found`() throws {
        let open = try client.command("s", "open", #"{"url":"/r"}"#)
        #expect(open.text.contains(#""route":"r","params":{},"mark":"m"}"#))
        #expect(open.text.contains(#""route":"s","params":{},"mark":"n","presentedBy""#))
        let resolved = try client.call("GET", "/v1/apps/x/resolve?url=%2Fr").text
        #expect(resolved.contains(#""path":[{"route":"r","params":{},"mark":"m"}]"#))
        #expect(resolved.contains(#""path":[{"route":"r","params":{},"mark":"o"}]"#))
        #expect(resolved.contains(#""style":"sheet","mark":"n""#))
        let link = try client.call("GET", "/v1/sessions/s/link")
        #expect(link.json["url"]?.string == "/r", "a link shows a screen whatever its mark is")
        let back = try client.command("s", "back", #"{"to":{"mark":"n"},"inclusive":true}"#)
        #expect(back.json["popped"]?.integer == 2)
        #expect(try client.command("s", "back", #"{"to":{"mark":"n"}}"#).status == 404)
    }

    @Test func `a session that is read can be put elsewhere`() throws {
        try client.command("s", "open", #"{"url":"/r"}"#)
        try client.command("s", "setTabs", #"{"order":["c","a","b"],"hidden":["c"]}"#)
        let text = try client.call("GET", "/v1/sessions/s").text
        let body = text.replacing(#""id":"s""#, with: #""id":"t""#)
        #expect(try client.call("PUT", "/v1/sessions/t", body).status == 201)
        let copy = try client.call("GET", "/v1/sessions/t").text
        func navigation(_ text: String) -> Substring? {
            text.firstRange(of: #""selectedTab""#).flatMap { from in
                text.firstRange(of: #","canUndo""#).map { text[from.lowerBound..<$0.lowerBound] }
            }
        }
        #expect(navigation(copy) == navigation(text))
        #expect(text.contains(#""tabHistory":["a"],"ownOrder":true,"tabs":[{"id":"c","hidden""#))
        let again = try client.call("PUT", "/v1/sessions/t", body)
        #expect(again.json["revision"]?.integer == 1, "nothing was changed")
        let other = try client.call("PUT", "/v1/sessions/t", #"{"app":"x","tabBack":"none"}"#)
        #expect(other.status == 422)
    }

    @Test func `a free-form session keeps the way back that it was created with`() throws {
        let made = try client.call(
            "POST", "/v1/sessions", #"{"id":"f","tabs":["a","b"],"tabBack":"history"}"#)
        #expect(made.json["tabBack"]?.string == "history")
        try client.command("f", "select", #"{"tab":"b"}"#)
        try client.call("PATCH", "/v1/sessions/f", #"{"labels":{"k":"v"}}"#)
        let text = try client.call("GET", "/v1/sessions/f").text
        #expect(text.contains(#""labels":{"k":"v"},"tabBack":"history","createdAt""#))
        let body = text.replacing(#""id":"f""#, with: #""id":"g""#)
        #expect(try client.call("PUT", "/v1/sessions/g", body).json["canGoBack"] == .bool(true))
        let stay = body.replacing(#""tabBack":"history","#, with: "")
        #expect(
            try client.call("PUT", "/v1/sessions/g", stay).json["errors"]?[0]?["pointer"]?.string
                == "/tabHistory")
        let both = try client.call("POST", "/v1/sessions", #"{"app":"x","tabBack":"first"}"#)
        #expect(both.json["errors"]?[0]?["pointer"]?.string == "/tabBack")
    }

    @Test func `a replaced app that keeps no history of tabs leaves none`() throws {
        try client.command("s", "select", #"{"tab":"b"}"#)
        try client.command("s", "setTabs", #"{"order":["c","b","a"]}"#)
        let next = #"""
            {"tabBack":"first","routes":{"r":{}},
             "tabs":[{"id":"d"},{"id":"a","routes":["r"]},{"id":"b"}]}
            """#
        #expect(try client.call("PUT", "/v1/apps/x", next).status == 200)
        let back = try client.command("s", "back", "{}")
        #expect(back.session.picture == "b* [] a [] d []")
        #expect(back.session["tabHistory"] == nil)
        #expect(back.session["ownOrder"] == .bool(true))
        #expect(back.json["reason"]?.string == "at-root", "the first tab is selected")
    }
}
