import JSON
import Navigation
import TestSupport
import Testing

/// Links that name a tab and nothing else.
@Suite struct TabLinkTests {
    private func world() throws -> World {
        try World(
            app: app(
                #"""
                {"routes":{"r":{},"s":{"presentation":"sheet"}},
                 "tabs":[{"id":"home","routes":["r"]},{"id":"me","routes":["r"]}],
                 "links":[{"pattern":"my://me","tab":"me"}]}
                """#))
    }

    @Test func `such a link selects the tab, dismisses sheets and leaves the path`() throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"r","in":"me"}"#)
        try world.run(.select, #"{"tab":"home"}"#)
        try world.run(.present, #"{"route":"s"}"#)
        try world.run(.open, #"{"url":"my://me"}"#)
        #expect(world.picture == "home [] me* [r]")
    }

    @Test func `it is the link of the tab's root, and of nothing on its path`() throws {
        var world = try world()
        let app = try #require(world.app)
        #expect(try app.link(to: world.session.state, work: WorkBudget()) == nil)
        try world.run(.select, #"{"tab":"me"}"#)
        #expect(try app.link(to: world.session.state, work: WorkBudget()) == "my://me")
        try world.run(.navigate, #"{"route":"r"}"#)
        #expect(try app.link(to: world.session.state, work: WorkBudget()) == nil)
    }

    @Test func `a link that names nothing is refused`() throws {
        let document = #"{"tabs":[{"id":"home"}],"links":[{"pattern":"my://me"}]}"#
        let report = try AppReader.read(
            try JSON(parsing: Array(document.utf8)), id: AppID(trusted: "x"), limits: Limits(),
            work: WorkBudget())
        #expect(report.errors.map(\.pointer) == ["/links/0"])
    }
}
