import Foundation
import NavstateClient
import Testing

/// Calls every function against a real server.
@Suite(.enabled(if: ServerProcess.exists, "The executable was not built."))
struct CommandTests {
    @Test func `every command has its effect`() async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k", tabs: ["a", "b"]))
        let pushed = try await session.navigate(
            to: Nav.Destination("contact", params: ["id": "42"], mark: "start"))
        let entry = try #require(pushed.added.first)
        #expect(pushed.session.path(of: "a")?.first?.params == ["id": "42"])
        try await session.navigate(to: "detail", in: "a", mode: .single)
        #expect(try await session.back(to: .mark("start")).removed.count == 1)
        #expect(try await session.back(to: .entry(entry)).changed == false)
        #expect(try await session.back(count: 2, withinPath: true).popped == 1)
        #expect(try await session.undo().undone == 1)
        #expect(try await session.redo().redone == 1)
        #expect(try await session.select(tab: "b").session.selectedTab == "b")
        #expect(try await session.select(tab: "b", popsToRoot: false).reason == "already-selected")
        try await session.setBadge(of: "a", 3)
        #expect(try await session.setBadge(of: "b", "new").session.tabs.map(\.badge) == [3, "new"])
        #expect(try await session.setBadge(of: "a", nil).session.tabs[0].badge == nil)
        let order = try await session.setTabs(order: ["b", "a"], hidden: ["a"])
        #expect(order.session.tabs.map(\.id) == ["b", "a"])
        #expect(order.session.tabs[1].isHidden)
        let path = try await session.setPath(in: "b", ["one", "two"])
        let first = try #require(path.session.path(of: "b")?.first)
        let kept = try await session.setPath(in: "b", [Nav.Destination(first)])
        #expect(kept.session.path(of: "b") == [first])
        let params = try await session.setParams(of: first.id, ["n": 1])
        #expect(params.session.path(of: "b")?.first?.params == ["n": 1])
        #expect(try await session.setParams(["m": 2], replaces: true).changed)
        #expect(try await session.root(.all).session.path(of: "b") == [])
    }

    @Test func `sheets are presented, named and dismissed`() async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create()
        let options = PresentationOptions(
            tag: "t", detents: ["medium"], isDismissible: false)
        let presented = try await session.present(
            "compose", style: .fullScreenCover, presentation: options, path: ["audience"])
        let sheet = try #require(presented.session.sheets.first)
        #expect(sheet.style == .fullScreenCover)
        #expect(sheet.tag == "t" && sheet.detents == ["medium"] && !sheet.isDismissible)
        #expect(sheet.path.map(\.route) == ["audience"])
        #expect(try await session.sheet(sheet.id).isDismissed == false)
        #expect(try await session.back(count: 9).popped == 1)
        #expect(try await session.dismiss(.tag("t"), result: 7, force: true).changed)
        #expect(try await session.sheet(sheet.id).result == 7)
        #expect(try await session.dismiss(.all).reason == "no-sheet")
        let batch = try await session.batch([
            .present("one"), .present("two"), .navigate(to: "three"), .dismiss(),
        ])
        #expect(batch.results.map(\.changed) == [true, true, true, true])
        #expect(batch.results[0].added.count == 1)
        #expect(batch.session.sheets.map(\.route) == ["one"])
    }

    @Test func `conditions, dry runs and copies work`() async throws {
        let server = try await ServerProcess()
        let navstate = server.navstate()
        let session = try await navstate.create(NewSession(id: "k", labels: ["room": "lobby"]))
        let (state, etag) = try await session.taggedState()
        let dry = try await session.navigate(to: "r", options: ChangeOptions(isDryRun: true))
        #expect(dry.session.revision == 2)
        #expect(try await session.state() == state)
        let options = ChangeOptions(ifMatch: etag, idempotencyKey: "key")
        let result = try await session.navigate(to: "r", options: options)
        #expect(try await session.navigate(to: "r", options: options) == result)
        #expect(try await session.waitForChange(after: etag)?.session.revision == 2)
        let (_, new) = try await session.taggedState()
        #expect(try await session.waitForChange(after: new, seconds: 1) == nil)
        let updated = try await session.update(labels: ["room": nil], ttlSeconds: 60)
        #expect(updated.ttlSeconds == 60 && updated.labels == [:])
        #expect(try await session.update(ttlSeconds: .never).ttlSeconds == nil)
        #expect(try await session.state(at: 1).revision == 1)
        #expect(try await session.history(limit: 1).history.first?.command.name == "update")
        #expect(try await session.steps(from: 1, to: 2).steps.first?.entry?.route == "r")
        let copy = try await navstate.create(.copy(of: "k", at: 2, id: "copy"))
        let exported = try await copy.state()
        try await copy.delete()
        #expect(try await copy.restore(exported, onlyCreates: true).path(of: "main")?.count == 1)
        #expect(try await navstate.sessions(idPrefix: "c").sessions.count == 1)
        let page = try await navstate.sessions(limit: 1)
        let next = try await navstate.sessions(cursor: page.next)
        #expect(page.sessions.map(\.id) + next.sessions.map(\.id) == ["copy", "k"])
        let many = try await navstate.perform(
            .navigate(to: "x"), on: SessionFilter(), sessions: ["copy", "gone", "k"])
        #expect(many.map(\.changed) == [true, nil, true])
        #expect(many[1].problem?.code == "session-not-found")
    }

    @Test func `apps, facts, guards and links work`() async throws {
        let server = try await ServerProcess()
        let navstate = server.navstate()
        #expect(try await navstate.apps().map(\.id).contains("shop"))
        let document = try await navstate.app("shop")
        #expect(try await navstate.checkApp("shop2", document).valid == false)
        let own: JSONValue = ["tabs": [["id": "a", "routes": ["r"]]], "routes": ["r": [:]]]
        #expect(try await navstate.putApp("own", own).warnings.isEmpty)
        let bound = try await navstate.create(NewSession(id: "bound", app: "own"))
        try await bound.navigate(to: "r")
        let renamed: JSONValue = [
            "tabs": [["id": "a", "routes": ["s"]]], "routes": ["s": ["was": ["r": true]]],
        ]
        let foreseen = try await navstate.checkApp("own", renamed).impact
        #expect(foreseen?.affected == 1 && foreseen?.routes.map(\.to) == ["s"])
        try await navstate.putApp("own", renamed)
        #expect(try await navstate.impact(of: "own", limit: 1).moved == 1)
        try await bound.navigate(to: "s")
        #expect(try await bound.history().history[1].moved.map(\.from) == ["r"])
        #expect(try await navstate.impact(of: "own", after: "bound").sessions == 0)
        try await bound.delete()
        try await navstate.deleteApp("own")
        let url = try #require(URL(string: "https://shop.example/orders/7"))
        #expect(try await navstate.resolve(url, in: "shop").path?.count == 2)
        let new = NewSession(app: "shop", template: "tea", facts: ["role": "clerk"])
        let session = try await navstate.create(new)
        #expect(try await session.allowed().push?.contains { $0.guard == "staff" } == true)
        let held = try await session.open(url)
        #expect(held.held == "member")
        #expect(held.session.pending?.command.name == "open")
        let resumed = try await session.setFacts(["signedIn": true])
        #expect(resumed.resumed?.name == "open")
        #expect(resumed.session.facts["signedIn"] == true)
        #expect(try await session.link() == url)
    }

    @Test func `whoever dismisses the sheet answers the question`() async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k"))
        async let answer = session.ask(Nav.Destination("confirm", params: ["question": "Why?"]))
        try await eventually { try await !session.state().sheets.isEmpty }
        try await session.dismiss(result: ["because"])
        #expect(try await answer.result == ["because"])
        async let nothing = session.ask("confirm")
        try await eventually { try await !session.state().sheets.isEmpty }
        try await session.back()
        let state = try await nothing
        #expect(state.result == nil && state.command == "back")
    }

    @Test func `displays report what they are showing`() async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k"))
        let options = StreamOptions(name: "wall", includesSteps: true, includesWatchers: true)
        var changes = 0
        for try await event in session.events(options: options) {
            switch event {
            case .snapshot: try await session.navigate(to: "r")
            case .change(let change):
                #expect(change.steps?.map(\.name) == ["push"])
                #expect(change.command == .navigate(to: "r"))
                changes += 1
                try await session.report(shown: change.revision, as: "wall")
                let watchers = try await session.watchers(shown: 2, waitSeconds: 10)
                #expect(watchers.map(\.shown) == [2])
                try await session.delete()
            case .ended(let id, let ending): #expect(id == "k" && ending == .deleted)
            case .watchers, .signal, .hello: break
            }
        }
        #expect(changes == 1)
    }
}
