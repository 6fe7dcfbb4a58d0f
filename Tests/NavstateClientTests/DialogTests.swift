import Foundation
import NavstateTesting
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
        var exam = Nav.Destination("exam")
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

/// The values of screens.
@Suite struct ScreenValueTests {
    @Test func `a tab and a sheet keep the members that they were read with`() throws {
        let json: JSONValue = [
            "id": "a", "root": ["id": "a", "route": "search", "params": ["q": "tea"]],
            "path": [["id": "e1", "route": "r", "params": [:], "locked": true, "title": "One"]],
        ]
        let tab: Nav.Tab = try json.decode()
        #expect(tab.root?.params == ["q": "tea"])
        #expect(tab.path[0].isLocked && tab.path[0].title == "One")
        #expect(try JSONValue(encoding: tab) == json)
        let sheet: Nav.Sheet = try JSONValue.object([
            "id": "e9", "style": "popover", "route": "r", "presentedBy": "a", "path": [],
            "params": [:], "anchor": "more", "expiresAt": "2026-11-25T10:00:15Z",
        ]).decode()
        #expect(sheet.style == .popover && sheet.anchor == "more" && !sheet.isDialog)
        #expect(sheet.expiresAt != nil && sheet.buttons.isEmpty)
    }
}

/// The bindings of the router's dialogs.
@MainActor @Suite struct RouterDialogTests {
    @Test func `a dialog is bound at its level, and a tap beside it presses cancel`() async throws {
        let test = try TestSession<Store.Screen>(sheets: [.login])
        test.router.present(deletion)
        #expect(test.router[dialog: 1, .alert] && !test.router[dialog: 0, .alert])
        #expect(!test.router[dialog: 1, .confirmationDialog])
        let sheet = try #require(test.router.dialog)
        await test.router.settled()
        #expect(test.router.dialog == sheet)
        test.router[dialog: 1, .alert] = false
        try await eventually { test.router.dialog == nil }
        await test.router.settled()
        #expect(try await test.other.sheet("e2").button == "keep")
    }
}
