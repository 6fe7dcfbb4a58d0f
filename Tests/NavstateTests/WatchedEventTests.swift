import HTTP
import JSON
import Testing
import navstate

/// The lines of `watch`.
@Suite struct WatchedEventTests {
    private func event(_ name: String, _ data: String, id: String = "7") -> WatchedEvent? {
        WatchedEvent(StreamedEvent(name: name, id: id, data: Array(data.utf8)))
    }

    private static let change = #"""
        {"revision":5,"command":{"command":"navigate","route":"contact","params":{"id":42}},\#
        "by":"desk","session":{"visible":{"route":"contact"}}}
        """#

    @Test func `a change has its revision, the command and what is visible then`() {
        #expect(
            event("change", Self.change)?.line
                == "     5  navigate route=contact params={\"id\":42}  → contact  by desk")
    }

    @Test(arguments: [
        (
            "snapshot", #"{"revision":1234567,"session":{"visible":{"route":"a"}}}"#,
            "1234567  snapshot  → a"
        ),
        (
            "snapshot", #"{"revision":2,"gap":true}"#,
            "     2  snapshot, changes are missing before it"
        ),
        ("deleted", #"{"id":"a","by":"desk"}"#, "        deleted  by desk"),
        ("expired", #"{"id":"a"}"#, "        expired"),
        (
            "change", #"{"revision":3,"command":{"command":"navigate"},"held":"member"}"#,
            "     3  navigate held back by the guard member"
        ),
        ("change", "[]", "        "),
    ])
    func `other events say what they are`(name: String, data: String, line: String) {
        #expect(event(name, data)?.line == line)
    }

    @Test func `as JSON it is what the API sends in JSON lines`() {
        #expect(
            event("expired", #"{"id":"a"}"#)?.document.text
                == #"{"id":7,"event":"expired","data":{"id":"a"}}"#)
        #expect(
            event("x", "1", id: "")?.document.text == #"{"event":"x","data":1}"#)
        #expect(
            event("x", "1", id: "a\"")?.document.text == #"{"id":"a\"","event":"x","data":1}"#)
    }

    @Test func `what is not JSON is no event`() { #expect(event("change", "{") == nil) }
}
