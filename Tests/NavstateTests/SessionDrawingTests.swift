import JSON
import Testing
import navstate

/// A session as people see it on a terminal.
@Suite struct SessionDrawingTests {
    private func draw(
        _ text: String, columns: Int = 80, colors: Bool = false
    ) throws -> String {
        let session = try JSON(parsing: Array(text.utf8))
        return SessionDrawing(session, columns: columns, paint: Paint(isOn: colors)).text
    }

    private static let kiosk = #"""
        {"id":"kiosk-1","revision":5,"selectedTab":"chats","tabs":[
        {"id":"chats","path":[{"id":"e1","route":"contact","params":{"id":42}}]},
        {"id":"settings","badge":3,"path":[]}],
        "sheets":[{"id":"e2","style":"sheet","route":"compose","params":{},"path":[]}],
        "visible":{"container":"e2","entry":"e2","route":"compose","params":{}}}
        """#

    @Test func `sheets are over the path, and that is over the tab bar`() throws {
        #expect(
            try draw(Self.kiosk) == """
                session kiosk-1, revision 5
                ┌──────────────────────────────────────────────┐
                │  sheet  e2  compose  ← visible               │
                ├──────────────────────────────────────────────┤
                │  path   e1  contact  {"id":42}               │
                │  root       chats                            │
                ├───────────┬──────────────────────────────────┤
                │  chats ●  │  settings (3)                    │
                └───────────┴──────────────────────────────────┘

                """)
    }

    @Test func `sheets are stacked with their paths, and everything else is told in words`() throws
    {
        let text = try draw(
            #"""
            {"id":"a","revision":1,"app":"shop","labels":{"room":"lobby"},
            "facts":{"signedIn":false,"role":"guest"},"expiresAt":"2027-01-01T00:00:00Z",
            "selectedTab":"x","tabs":[{"id":"x","path":[]},{"id":"y","hidden":true,"path":[]}],
            "pending":{"guard":"member","command":{"command":"navigate","route":"account"}},
            "sheets":[{"id":"e1","style":"fullScreenCover","route":"r1","dismissible":false,
            "path":[{"id":"e9","route":"r9","mark":"start","params":{}}]},
            {"id":"e2","style":"sheet","tag":"login","route":"r2","path":[]}],
            "visible":{"container":"e2","entry":"e2","route":"r2"}}
            """#)
        #expect(
            text == """
                session a, revision 1, app shop
                ┌──────────────────────────────────────────────┐
                │  sheet  e2  r2  ← visible  tag login         │
                ├──────────────────────────────────────────────┤
                │  path   e9  r9  mark start                   │
                │  cover  e1  r1  locked                       │
                ├──────────────────────────────────────────────┤
                │  root       x                                │
                ├───────┬──────────────────────────────────────┤
                │  x ●  │  y hidden                            │
                └───────┴──────────────────────────────────────┘
                labels  room=lobby
                facts  signedIn=false role=guest
                pending  navigate, held back by the guard member
                expires  2027-01-01T00:00:00Z

                """)
    }

    @Test func `a dialog has a row for each button`() throws {
        let text = try draw(
            #"""
            {"id":"a","revision":1,"selectedTab":"x","idle":{"seconds":60,"command":{"command":"root"}},
            "tabs":[{"id":"x","root":{"id":"x","route":"list","params":{"q":"tea"},"title":"Tea"},
            "path":[{"id":"e1","route":"chat","params":{},"locked":true}]}],
            "sheets":[{"id":"e2","style":"popover","route":"menu","anchor":"more","params":{},
            "expiresAt":"2027-01-01T00:00:00Z","path":[]},
            {"id":"e9","style":"alert","route":"alert","params":{},"title":"Delete?","message":"All.",
            "buttons":[{"id":"delete","title":"Delete","role":"destructive"},{"id":"ok","title":"OK"}],
            "dismissible":false,"presentedBy":"e2","path":[]}],
            "visible":{"container":"e9","entry":"e9","route":"alert","params":{}}}
            """#)
        #expect(
            text == """
                session a, revision 1
                ┌──────────────────────────────────────────────────────────────────┐
                │  alert    e9      alert  ← visible  “Delete?”, locked            │
                │  text             All.                                           │
                │  button   delete  Delete  destructive                            │
                │  button   ok      OK                                             │
                ├──────────────────────────────────────────────────────────────────┤
                │  popover  e2      menu  anchor more, until 2027-01-01T00:00:00Z  │
                ├──────────────────────────────────────────────────────────────────┤
                │  path     e1      chat  locked                                   │
                │  root             list  “Tea”, {"q":"tea"}                       │
                ├──────────────────────────────────────────────────────────────────┤
                │  x ●                                                             │
                └──────────────────────────────────────────────────────────────────┘
                idle  root after 60 s

                """)
    }

    @Test func `on a tab's root its route is visible`() throws {
        let text = try draw(
            #"""
            {"id":"a","revision":1,"selectedTab":"x","tabs":[{"id":"x","path":[]}],"sheets":[],
            "visible":{"container":"x","route":"list","params":{}}}
            """#)
        #expect(text.contains("│  root   list  ← visible"))
    }

    @Test(arguments: [1, 24, 30, 48, 60, 200])
    func `no line is wider than the terminal, and the frame is even`(columns: Int) throws {
        let long = String(repeating: "漢字", count: 40)
        let text = try draw(
            Self.kiosk.replacing("42", with: "\"\(long)\"")
                .replacing("\"settings\"", with: "\"\(long)\""), columns: columns)
        let lines = text.split(separator: "\n").dropFirst()
        let widths = Set(lines.map { Printable.columns(of: $0) })
        #expect(widths.count == 1)
        #expect((widths.first ?? .max) <= max(24, columns))
    }

    @Test func `tabs that do not fit side by side are below each other`() throws {
        let tabs = (1...9).map { #"{"id":"tab-number-\#($0)","path":[]}"# }.joined(separator: ",")
        let text = try draw(#"{"id":"a","selectedTab":"tab-number-2","tabs":[\#(tabs)]}"#)
        #expect(text.contains("│  tab-number-1    "))
        #expect(text.contains("│  tab-number-2 ●  "))
        #expect(!text.contains("┬"))
    }

    @Test(arguments: ["{}", "[]", "null", #"{"id":7,"tabs":{},"sheets":[1,null],"visible":"x"}"#])
    func `any document can be drawn`(text: String) throws {
        #expect(try draw(text).hasPrefix("session "))
    }

    @Test func `nothing from a server is a command for the terminal`() throws {
        let hostile = "\\u001b[2J\\u009b31m\\u202e\\n"
        let text = try draw(
            Self.kiosk.replacing("42", with: "\"\(hostile)\"")
                .replacing("kiosk-1", with: hostile).replacing("settings", with: hostile)
                .replacing("compose", with: hostile).replacing("e1", with: hostile), columns: 200)
        let unsafe = text.unicodeScalars.filter { $0.value < 0x20 || (0x7F...0x9F) ~= $0.value }
        #expect(unsafe.allSatisfy { $0 == "\n" })
        #expect(text.contains(#"\u001b[2J\u009b31m\u202e\u000a"#))
        #expect(text.split(separator: "\n").count == 9)
    }

    @Test func `colors do not change the layout`() throws {
        let colored = try draw(Self.kiosk, colors: true)
        #expect(colored.contains("\u{1B}[1mcompose\u{1B}[0m"))
        let plain = colored.replacing(try Regex("\u{1B}\\[[0-9]*m"), with: "")
        #expect(try draw(Self.kiosk) == plain)
    }
}

/// Text that is safe for a terminal.
@Suite struct PrintableTests {
    @Test func `what a terminal could obey is escaped as in JSON`() throws {
        #expect(Printable.text("plain äöü 漢字 👩‍🚀") == "plain äöü 漢字 👩‍🚀")
        #expect(Printable.text("a\u{1B}b\u{7F}\u{9B}\t") == #"a\u001bb\u007f\u009b\u0009"#)
        #expect(Printable.text("\u{202E}\u{2028}\u{FEFF}") == #"\u202e\u2028\ufeff"#)
        let document = JSON.string("x\u{9B}\u{E0041}y\n")
        let text = Printable.text(document.text)
        #expect(text == #""x\u009b\udb40\udc41y\n""#)
        #expect(try JSON(parsing: Array(text.utf8)) == document)
    }

    @Test func `text is clipped and padded by columns`() {
        #expect(Printable.columns(of: "a漢b👍") == 6)
        #expect(Printable.clipped("abc", to: 3) == "abc")
        #expect(Printable.clipped("abcd", to: 3) == "ab…")
        #expect(Printable.clipped("漢字", to: 3) == "漢…")
        #expect(Printable.clipped("abc", to: 0).isEmpty)
        #expect(Printable.padded("漢字漢", to: 4) == "漢… ")
    }

    @Test func `a table has even columns, and is clipped`() {
        let rows = [["ID", "N"], ["a\n", "1"], [String(repeating: "x", count: 50), ""]]
        let text = TextTable(rows).text(Paint(isOn: false))
        let long = String(repeating: "x", count: 39) + "…"
        let blank = String(repeating: " ", count: 40)
        #expect(text == "ID\(blank)N\na\\u000a\(blank.dropFirst(5))1\n\(long)\n")
    }
}
