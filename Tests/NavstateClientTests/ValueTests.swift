import Foundation
import Testing

@testable import NavstateClient

@Suite struct ValueTests {
    @Test func `an integer equals the number with the same value and has the same hash`() {
        #expect(JSONValue.integer(1) == .number(1.0))
        #expect(JSONValue.integer(1).hashValue == JSONValue.number(1.0).hashValue)
        #expect(JSONValue.integer(1) != .number(1.5))
        #expect(JSONValue.integer(.max) != .number(0x1p63))
        #expect(JSONValue.bool(true) != .integer(1))
    }

    @Test func `strings and names are compared by their bytes, however many marks they have`() {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        #expect(JSONValue.string(composed) != .string(decomposed))
        #expect(JSONValue.object([composed: 1]) != .object([decomposed: 1]))
        #expect(JSONValue.object(["b": 1, "a": 2]) == .object(["a": 2, "b": 1]))
        #expect(
            JSONValue.object(["b": 1, "a": 2]).hashValue
                == JSONValue.object(["a": 2, "b": 1]).hashValue)
        // To compare or hash these by canonical equivalence takes minutes.
        let marks = String(repeating: "\u{301}\u{323}", count: 200_000)
        let (value, other) = (JSONValue.string(marks + "a"), JSONValue.string(marks + "b"))
        #expect(value != other)
        #expect(Set([value, other]).count == 2)
    }

    @Test func `every JSON value survives encoding and decoding`() throws {
        let value: JSONValue = [
            "null": nil, "truth": [true, false], "text": "e\u{301} \u{1F600} \n",
            "numbers": [.integer(.max), .integer(.min), 0, -1, 1.5, 1e300], "empty": [:],
            "nested": [["a": []]],
        ]
        #expect(try value.decode(JSONValue.self) == value)
        #expect(value["numbers"]?[3]?.integer == -1)
        #expect(value["numbers"]?[6] == nil)
        #expect(value["text"]?["a"] == nil)
    }

    @Test func `a number that JSON cannot express cannot be sent`() {
        #expect(throws: NavstateError.self) { try JSONValue(encoding: Double.nan) }
    }

    @Test func `params can have a custom type if it is encoded as an object`() throws {
        struct Contact: Codable, Equatable {
            var id: String
            var age: Int?
        }
        let destination = try Nav.Destination("contact", encoding: Contact(id: "42", age: nil))
        #expect(destination.params == ["id": "42"])
        #expect(try destination.params.decode(Contact.self) == Contact(id: "42", age: nil))
        #expect(throws: NavstateError.self) { try Nav.Destination("contact", encoding: [1, 2]) }
        #expect(throws: NavstateError.self) { try destination.params.decode([Int].self) }
    }

    static let session = """
        {"id":"k","revision":7,"app":"chat","labels":{"room":"lobby"},"facts":{"signedIn":false},
         "ttlSeconds":60,"createdAt":"2026-11-21T10:00:00Z","updatedAt":"2026-11-21T10:04:31Z",
         "selectedTab":"chats","pending":{"guard":"g","command":{"command":"root"},"later":1},
         "tabs":[{"id":"chats","badge":3,"hue":"red",
                  "path":[{"id":"e3","route":"r","params":{"id":"42"},"mark":"m","new":[1]}]},
                 {"id":"settings","badge":"new","hidden":true,"path":[]}],
         "sheets":[{"id":"e7","style":"popover","route":"c","params":{},"presentedBy":"e3",
                    "mark":"n","detents":["medium"],"dismissible":false,"tag":"t","path":[]}],
         "visible":{"container":"e7","entry":"e7","route":"c","params":{},"tabBarHidden":true,"new":1},
         "canGoBack":true,"canUndo":true,"canRedo":false,"weather":{"sunny":true}}
        """

    @Test func `a session keeps the members that this version does not know`() throws {
        let data = Data(Self.session.utf8)
        let session = try JSONDecoder().decode(Nav.Session.self, from: data)
        #expect(session.members["weather"]?["sunny"] == true)
        #expect(session.tabs[0].members["hue"] == "red")
        #expect(session.tabs[0].path[0].members["new"] == [1])
        #expect(session.sheets[0].style == SheetStyle(rawValue: "popover"))
        #expect(session.sheets[0].members["mark"] == "n")
        let again = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(session))
        let original = try JSONDecoder().decode(JSONValue.self, from: data)
        #expect(again == original)
    }

    @Test func `the members of a session have typed properties`() throws {
        let session = try JSONDecoder().decode(Nav.Session.self, from: Data(Self.session.utf8))
        #expect(session.labels == ["room": "lobby"])
        #expect(session.facts == ["signedIn": false])
        #expect(session.ttlSeconds == 60)
        #expect(session.createdAt == Date(timeIntervalSince1970: 1_795_255_200))
        #expect(session.expiresAt == nil)
        #expect(session.tabs.map(\.badge) == [3, "new"])
        #expect(session.tabs.map(\.isHidden) == [false, true])
        #expect(session.path(of: "chats")?.map(\.id) == ["e3"])
        #expect(session.path(of: "e7") == [])
        #expect(session.path(of: "e3") == nil)
        #expect(session.sheets[0].isDismissible == false)
        #expect(session.pending?.command == .root())
    }

    @Test func `an answer that is not a session is refused`() {
        for text in ["{}", "[]", "null", "{\"id\":1}"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(Nav.Session.self, from: Data(text.utf8))
            }
        }
    }

    private func survives<Value: Codable>(_ type: Value.Type, _ text: String) throws -> Value {
        let data = Data(text.utf8)
        let value = try JSONDecoder().decode(type, from: data)
        let again = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
        #expect(try again == JSONDecoder().decode(JSONValue.self, from: data))
        return value
    }

    @Test func `listed values keep the members that this version does not know`() throws {
        let time = "2026-11-21T10:00:00Z"
        let date = Date(timeIntervalSince1970: 1_795_255_200)
        let item = try survives(
            HistoryItem.self,
            #"{"revision":2,"at":"\#(time)","command":{"command":"root"},"added":["e1"],"#
                + #""removed":[],"held":"g","by":"wall","resumed":{"command":"back"},"#
                + #""dropped":[{"id":"e1","route":"r","why":"guarded","new":1}],"new":2}"#)
        #expect(item.at == date && item.held == "g" && item.resumed == .back())
        #expect(item.dropped.map(\.why) == ["guarded"] && item.members["new"] == 2)
        let page = try survives(SessionPage.self, #"{"sessions":[],"damaged":["k"],"new":1}"#)
        #expect(page.damaged == ["k"] && page.next == nil)
        let sheet = try survives(
            SheetState.self,
            #"{"sheet":"e1","state":"dismissed","revision":3,"at":"\#(time)","command":"back"}"#)
        #expect(sheet.at == date && sheet.isDismissed && sheet.result == nil)
        let token = try survives(
            TokenSummary.self, #"{"id":"t","scope":"present","createdAt":"\#(time)","new":1}"#)
        #expect(token.scope == TokenScope(rawValue: "present") && token.createdAt == date)
        let watcher = try survives(Watcher.self, #"{"as":"wall","since":"\#(time)","new":[]}"#)
        #expect(watcher.name == "wall" && watcher.since == date)
        let many = try survives(
            ManyResult.self, #"{"session":"k","problem":{"type":"/problems/x","status":409}}"#)
        #expect(many.problem?.code == "x" && many.changed == nil)
    }

    @Test func `a problem has its code, similar names and the faults`() throws {
        let text = """
            {"type":"/problems/unknown-route","title":"t","status":422,"detail":"d",
             "near":["contact"],"errors":[{"pointer":"/route","detail":"is unknown"}]}
            """
        let problem = try JSONDecoder().decode(Nav.Problem.self, from: Data(text.utf8))
        #expect(problem.code == "unknown-route")
        #expect(problem.near == ["contact"])
        #expect(problem.errors.map(\.pointer) == ["/route"])
        #expect(problem.session == nil)
    }

    enum Screen: NavigationScreen, Codable {
        case home
        case contact(id: String, name: String?)
        case plain(Int)
    }

    @Test func `an enum case is a route with params`() {
        #expect(Screen.home.destination == "home")
        let contact = Screen.contact(id: "42", name: nil)
        #expect(contact.destination == Nav.Destination("contact", params: ["id": "42"]))
        #expect(Screen.plain(7).destination.params == ["_0": 7])
        #expect(Screen(route: "contact", params: ["id": "42", "new": 1]) == contact)
        #expect(Screen(route: "contact", params: [:]) == nil)
        #expect(Screen(route: "other", params: [:]) == nil)
        #expect(Screen.root(of: "home") == .home)
        #expect(Screen.root(of: "contact") == nil)
    }

    enum Page: String, NavigationScreen, Codable {
        case home
        case about = "about-us"
    }

    enum Odd: NavigationScreen, Codable {
        case map(latitude: Double)
    }

    @Test func `a case of a string enum is a route without params`() {
        #expect(Page.about.destination == "about-us")
        #expect(Page(route: "about-us", params: [:]) == .about)
        #expect(Page(route: "about", params: [:]) == nil)
        #expect(Page.root(of: "home") == .home)
    }

    @Test func `a screen that JSON cannot express says why`() {
        #expect(throws: NavstateError.self) { try Odd.map(latitude: .nan).encodedDestination() }
        #expect { try Odd.map(latitude: .nan).encodedDestination() } throws: { error in
            !"\(error)".contains("write `destination`")
        }
    }

    @Test func `a command has only the members that differ from the defaults`() {
        #expect(Nav.Command.navigate(to: "r").members == ["route": "r"])
        #expect(Nav.Command.back().members == [:])
        #expect(Nav.Command.setBadge(of: "a", nil).members == ["tab": "a", "badge": nil])
        let batch = Nav.Command.batch([.select(tab: "a", popsToRoot: false)])
        let inner: JSONValue = ["command": "select", "tab": "a", "reselect": "none"]
        #expect(batch["commands"] == [inner])
    }
}
