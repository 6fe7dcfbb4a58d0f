import Foundation
import Testing

@testable import NavstateClient

private let deletion = Dialog(
    title: "Delete the chat?", message: "All of it.",
    buttons: [
        DialogButton("delete", title: "Delete", role: .destructive),
        DialogButton("keep", title: "Keep", role: .cancel),
    ])

/// Dialogs, locks and roots against a real server.
@Suite(.enabled(if: ServerProcess.exists, "The executable was not built."))
struct ScreenTests {
    @Test func `a dialog is answered by its button`() async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k"))
        async let answer = session.ask(deletion)
        try await eventually { try await !session.state().sheets.isEmpty }
        let sheet = try #require(try await session.state().sheets.first)
        #expect(
            sheet.isDialog && sheet.title == "Delete the chat?" && sheet.message == "All of it.")
        #expect(sheet.buttons == deletion.buttons && sheet.isDismissible)
        await #expect(throws: NavstateError.self) { try await session.navigate(to: "r") }
        let pressed = try await session.press("delete", of: sheet.id)
        #expect(pressed.pressed == [sheet.id: "delete"])
        #expect(try await answer == "delete")
        #expect(try await session.sheet(sheet.id).button == "delete")
        // A state with a dialog can be read and written back.
        try await session.present(deletion, tag: "ask")
        let state = try await session.state()
        #expect(try await session.restore(state).sheets == state.sheets)
        #expect(try await session.back().pressed.values.contains("keep"))
    }

    @Test func `a lock stops what does not force it`() async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k", tabs: ["a", "b"]))
        var exam = Destination("exam")
        exam.isLocked = true
        let entry = try #require(try await session.navigate(to: exam).session.path(of: "a")?.first)
        #expect(entry.isLocked)
        #expect(try await session.back().reason == "entry-locked")
        await #expect(throws: NavstateError.self) { try await session.root() }
        try await session.setLocked(false)
        #expect(try await session.back().popped == 1)
        try await session.setPath(in: "a", [exam])
        #expect(try await session.root(sheets: .force).changed)
        // A locked destination is presented as a sheet that is not dismissible.
        #expect(try await session.present(exam).session.sheets.first?.isDismissible == false)
        #expect(try await session.select(tab: "b", sheets: .force).session.sheets.isEmpty)
    }

    @Test func `the root of a tab has params`() async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k", tabs: ["a", "b"]))
        try await session.navigate(to: "r", in: "b")
        let selected = try await session.select(tab: "b", params: ["q": "tea"], emptiesPath: true)
        #expect(selected.session.tabs[1].root?.params == ["q": "tea"])
        #expect(selected.session.visible.entry == "b")
        #expect(try await session.setParams(of: "b", ["n": 1]).changed)
        let behind = try await session.navigate(to: "r", inBackground: "a")
        #expect(behind.session.selectedTab == "b" && behind.session.path(of: "a")?.count == 1)
        #expect(behind.session.nextEntry != nil)
        #expect(try await session.root(.all).session.tabs[1].root == nil)
    }
}

/// What is shown before the server has answered.
@Suite struct LocalScreenTests {
    private var state: NavigationState {
        var state = NavigationState()
        state.tabs = [
            Tab(id: "a", path: [Entry(id: "e1", route: "r"), Entry(id: "e2", route: "r")])
        ]
        state.selectedTab = "a"
        return state
    }

    private func dialog(_ id: String, _ dialog: Dialog = deletion) -> Sheet {
        Sheet(id: id, dialog: dialog, presentedBy: "e2")
    }

    @Test func `nothing is put on a dialog, and a step back presses cancel`() {
        var state = state
        state.apply(.present(dialog("*1"), style: .alert))
        let asked = state
        state.apply(.push(Entry(id: "*2", route: "r"), in: "*1"))
        state.apply(.present(Sheet(id: "*3", route: "s", presentedBy: "a"), style: nil))
        #expect(state == asked)
        state.apply(.push(Entry(id: "*4", route: "r"), in: "a"))
        #expect(state[path: "a"]?.count == 3)
        state.apply(.press("delete", dialog: "other"))
        #expect(state.sheets.count == 1)
        state.apply(.back)
        #expect(state.sheets.isEmpty)
    }

    @Test func `a dialog without cancel waits for its button`() {
        var state = state
        let question = Dialog(title: "?", buttons: [DialogButton("yes", title: "Yes")])
        state.apply(.present(dialog("*1", question), style: .alert))
        #expect(state.sheets[0].isDismissible == false)
        for change in [LocalChange.back, .root(.tab), .dismiss("*1", result: nil, force: false)] {
            state.apply(change)
            #expect(state.sheets.count == 1)
        }
        state.apply(.press("yes", dialog: "*1"))
        #expect(state.sheets.isEmpty)
    }

    @Test func `a lock stops steps back, paths and roots`() {
        var state = state
        state.tabs[0].path[1].isLocked = true
        let locked = state
        state.apply(.back)
        state.apply(.root(.tab))
        state.apply(.root(.all))
        state.apply(.setPath([locked.tabs[0].path[0]], in: "a"))
        #expect(state == locked)
        state.sheets = [Sheet(id: "e3", route: "s", presentedBy: "e2")]
        state.sheets[0].path = [Entry(id: "e4", route: "r")]
        state.sheets[0].path[0].isLocked = true
        state.apply(.dismiss("e3", result: nil, force: false))
        #expect(state.sheets.count == 1)
        state.apply(.dismiss("e3", result: nil, force: true))
        #expect(state.sheets.isEmpty)
    }

    @Test func `a sheet goes with the entry that presented it`() {
        var state = state
        state.sheets = [
            Sheet(id: "e3", route: "s", presentedBy: "e1"),
            Sheet(id: "e4", route: "s", presentedBy: "e2"),
            Sheet(id: "e5", route: "s", presentedBy: "e4"),
        ]
        state.apply(.setPath([state.tabs[0].path[0]], in: "a"))
        #expect(state.sheets.map(\.id) == ["e3"])
    }

    @Test func `a root keeps what was set here`() {
        var state = state
        state.apply(.setRoot(Entry(id: "a", route: "search", params: ["q": "tea"])))
        #expect(state.tabs[0].root?.params == ["q": "tea"])
        state.apply(.setRoot(Entry(id: "gone", route: "search")))
        state.apply(.root(.all))
        #expect(state.tabs[0].root == nil)
    }

    @Test func `each change is sent as its command`() throws {
        let asked = LocalChange.present(dialog("*1"), style: .alert).command
        #expect(asked == .present(deletion))
        #expect(asked?["route"] == nil && asked?["dismissible"] == nil)
        var declared = Dialog("deleteChat")
        declared.style = .confirmationDialog
        let change = LocalChange.present(dialog("*1", declared), style: .confirmationDialog)
        #expect(change.command == .present(declared))
        #expect(change.command?["buttons"] == nil)
        #expect(LocalChange.press("ok", dialog: "*1").command == nil)
        let press = LocalChange.press("ok", dialog: "*1").renamed(["*1": "e7"])
        #expect(press.command == .press("ok", of: "e7") && press.onlyRemoves)
        let root = LocalChange.setRoot(Entry(id: "a", route: "search", params: ["q": "tea"]))
        #expect(root.command == .setParams(of: "a", ["q": "tea"], replaces: true))
    }

    @Test func `a tab and a sheet keep the members that they were read with`() throws {
        let json: JSONValue = [
            "id": "a", "root": ["id": "a", "route": "search", "params": ["q": "tea"]],
            "path": [["id": "e1", "route": "r", "params": [:], "locked": true, "title": "One"]],
        ]
        let tab: Tab = try json.decode()
        #expect(tab.root?.params == ["q": "tea"])
        #expect(tab.path[0].isLocked && tab.path[0].title == "One")
        #expect(try JSONValue(encoding: tab) == json)
        let sheet: Sheet = try JSONValue.object([
            "id": "e9", "style": "popover", "route": "r", "presentedBy": "a", "path": [],
            "params": [:], "anchor": "more", "expiresAt": "2026-11-25T10:00:15Z",
        ]).decode()
        #expect(sheet.style == .popover && sheet.anchor == "more" && !sheet.isDialog)
        #expect(sheet.expiresAt != nil && sheet.buttons.isEmpty)
    }
}

/// The router's dialogs.
@MainActor @Suite struct RouterDialogTests {
    @Test func `a dialog is shown over the top sheet, and its button answers`() async throws {
        let transport = ModelTransport()
        let router = Router<ModelScreen>(transport.session(), stepPause: .zero)
        Task { await router.run() }
        try await eventually { router.isLoaded && router.connection == .live }
        router.present(.sheet)
        router.present(deletion)
        await router.settled()
        let shown = try #require(router.dialog)
        #expect(shown.title == "Delete the chat?" && shown.buttons.count == 2)
        #expect(router.presentedScreens.count == 1)
        #expect(router[dialog: 1, .alert] && !router[dialog: 0, .alert])
        #expect(!router[dialog: 1, .confirmationDialog])
        router.press(shown.buttons[0], of: shown)
        #expect(router.dialog == nil)
        await router.settled()
        let last = await transport.commands.last
        #expect(last == .press("delete", of: "e3"))
        // Pressed twice, it is sent once.
        router.press(shown.buttons[0], of: shown)
        await router.settled()
        #expect(await transport.commands.count == 3)
    }

    @Test func `a tap beside a dialog presses cancel`() async throws {
        let transport = ModelTransport()
        let router = Router<ModelScreen>(transport.session(), stepPause: .zero)
        Task { await router.run() }
        try await eventually { router.isLoaded && router.connection == .live }
        router.present(deletion)
        await router.settled()
        router[dialog: 0, .alert] = false
        try await eventually { router.dialog == nil }
        await router.settled()
        #expect(await transport.commands.last?["button"] == "keep")
    }
}
