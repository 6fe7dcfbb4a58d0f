import TestSupport
import Testing

@testable import NavstateClient

/// Which of the states that reach a router it accepts.
@Suite struct RouterCoreRevisionTests {
    @Test func `a state with a lower revision is accepted only after a gap`() throws {
        var core = RouterCore()
        var server = ModelServer()
        let first = try server.session()
        core.received(try #require(try server.perform(.select(tab: "b"))).session)
        core.received(first)
        #expect(core.target.selectedTab == "b")
        core.received(first, afterGap: true)
        #expect(core.target.selectedTab == "a")
    }

    @Test func `the first state of a stream is accepted, and so are the answers after it`() throws {
        var core = RouterCore()
        var server = ModelServer()
        for tab in ["b", "c", "b"] { _ = try server.perform(.select(tab: tab)) }
        core.received(try server.session())
        server.create()
        core.started()
        core.received(try server.session())
        #expect(core.confirmed?.revision == 1)
        core.received(try #require(try server.perform(.select(tab: "c"))).session)
        #expect(core.target.selectedTab == "c")
    }

    @Test func `an answer from a recreated session is accepted`() throws {
        var world = RouterWorld(stream: 0)
        for tab in ["b", "c", "b"] { _ = try world.server.perform(.select(tab: tab)) }
        world.core.received(try world.server.session())
        world.server.create()
        world.core.perform(.select("c"))
        let command = try #require(world.core.nextToSend()?.command)
        world.core.answered(try #require(try world.server.perform(command)))
        #expect(world.core.confirmed?.revision == 2)
        #expect(world.core.target.selectedTab == "c")
    }

    @Test func `a state that had to wait does not undo a confirmed change`() throws {
        var world = RouterWorld(stream: 0)
        let entry = world.entry("r")
        world.core.perform(.push(entry, in: "a"))
        let command = try #require(world.core.nextToSend()?.command)
        _ = try world.server.perform(.select(tab: "b"))
        world.core.received(try world.server.session(), afterGap: true)
        world.core.answered(try #require(try world.server.perform(command)))
        #expect(world.core.target[path: "a"]?.map(\.id) == [entry.id])
        world.core.received(try world.server.session())
        #expect(world.core.target[path: "a"]?.map(\.id) == [entry.id])
    }

    @Test func `a change that was made is not undone when its answer is lost`() throws {
        var world = RouterWorld(stream: 0)
        let older = try world.server.session()
        world.core.perform(.push(world.entry("r"), in: "a"))
        let command = try #require(world.core.nextToSend()?.command)
        _ = try world.server.perform(command)
        world.core.lost()
        let before = world.core.target.outline
        try world.comeBack()
        #expect(world.core.target.outline == before)
        world.core.received(older)
        #expect(world.core.target.outline == before)
    }

    @Test func `writing a state keeps what others have changed`() throws {
        var world = RouterWorld(stream: 0)
        world.core.perform(.push(world.entry("r"), in: "b"))
        _ = world.core.nextToSend()
        world.core.lost()
        world.server.set("labels", ["room": "lobby"])
        world.server.set("novelty", 7)
        try world.restore()
        #expect(world.server.members["labels"] == ["room": "lobby"])
        #expect(world.server.members["novelty"] == 7)
        #expect(world.server.state[path: "b"]?.count == 1)
        let state = try world.server.session()
        #expect(world.core.isQuiet && world.core.confirmed == state)
    }

    @Test func `unknown members of tabs, sheets and entries are written back`() throws {
        var entry = Entry(id: "e1", route: "r")
        entry.members = ["novelty": 1]
        var sheet = Sheet(id: "e2", route: "s", presentedBy: "a", path: [entry])
        sheet.members = ["novelty": 2]
        var session = try ModelServer().session()
        session.tabs[0].members = ["novelty": 3]
        session.tabs[0].path = [entry]
        session.sheets = [sheet]
        var core = RouterCore()
        core.received(session)
        core.perform(.select("b"))
        let document = try core.document(of: core.own(over: session), over: session)
        #expect(document["tabs"]?[0]?["novelty"] == 3)
        #expect(document["tabs"]?[0]?["path"]?[0]?["novelty"] == 1)
        #expect(document["sheets"]?[0]?["novelty"] == 2)
        #expect(document["sheets"]?[0]?["path"]?[0]?["novelty"] == 1)
        #expect(document["selectedTab"] == "b")
    }
}
