import JSON
import Navigation
import TestSupport
import Testing

@Suite struct RestoreSessionTests {
    /// A session made anew from the body.
    private func restored(_ body: String, nextEntry: Int = 1) throws -> World {
        let request = try restore(body)
        let restored = try request.state(nextEntry: nextEntry, app: nil)
        return World(
            Session(
                id: SessionID(trusted: "s"), app: request.app, settings: request.settings,
                at: World.noon, state: restored.state, nextEntry: restored.nextEntry))
    }

    @Test func `an exported session comes back as it was`() throws {
        var world = try World(tabs: ["a", "b"])
        world.session.settings = SessionSettings(
            labels: [Label(key: "k", value: "v")], ttlSeconds: 60)
        try world.run(.navigate, #"{"route":"x","params":{"n":[1.0,9007199254740993]}}"#)
        try world.run(.setBadge, #"{"tab":"a","badge":"new"}"#)
        try world.run(.select, #"{"tab":"b"}"#)
        try world.run(
            .present,
            """
            {"route":"s","tag":"t","detents":["medium"],"dismissible":false,
             "style":"fullScreenCover","path":[{"route":"u"}]}
            """)
        let copy = try restored(world.text)
        #expect(copy.session.state == world.session.state)
        #expect(copy.session.settings == world.session.settings)
        #expect(copy.session.nextEntry == world.session.nextEntry)
        #expect(copy.session.revision == 1, "the revision in the body does not count")
        #expect(copy.flaw == nil)
    }

    @Test(.seeded) func `every state that random programs come to comes back as it was`() throws {
        let commands = try SmallWorld.commands()
        for round in SplitMix64.worlds(8) {
            var numbers = SplitMix64(stream: UInt64(round))
            var world = CheckedWorld(try SmallWorld.world())
            for step in 0..<40 {
                if let command = commands.randomElement(using: &numbers) {
                    _ = world.step(command)
                }
                let restored = try restore(world.world.text).state(
                    nextEntry: 1, app: world.world.app)
                #expect(restored.state == world.world.session.state, "round \(round), step \(step)")
            }
        }
    }

    @Test func `ids are kept, those left out are new, and the counter rises over all`() throws {
        let world = try restored(
            """
            {"tabs":[{"id":"a","path":[{"id":"e7","route":"x"},{"route":"y"}]}],
             "sheets":[{"route":"s","path":[{"id":"e3","route":"u"}]}]}
            """)
        #expect(world.session.state.ids.map(\.description) == ["e7", "e8", "e9", "e3"])
        #expect(world.session.nextEntry == 10)
        #expect(world.json.objects("sheets").first?.string("presentedBy") == "e8")
        #expect(world.picture == "a* [x, y] | s [u]")
    }

    @Test func `the counter that the session has does not go back`() throws {
        let world = try restored(
            #"{"tabs":[{"id":"a","path":[{"route":"x"},{"id":"e2","route":"y"}]}]}"#, nextEntry: 40)
        #expect(world.session.state.ids.map(\.description) == ["e40", "e2"])
        #expect(world.session.nextEntry == 41)
    }

    @Test func `the last id there is may be restored, and none after it`() throws {
        let last = "e\(EntryID.numberMax)"
        let world = try restored(
            #"{"tabs":[{"id":"a","path":[{"id":"\#(last)","route":"x"}]}]}"#,
            nextEntry: EntryID.numberMax + 1)
        #expect(try world.refusal(.navigate, #"{"route":"x"}"#).problem == "limit-exceeded")
        let request = try restore(
            #"{"tabs":[{"id":"a","path":[{"id":"\#(last)","route":"x"},{"route":"y"}]}]}"#)
        let refusal = try #require(throws: RejectionError.self) {
            try request.state(nextEntry: EntryID.numberMax + 1, app: nil)
        }
        #expect(refusal.problem == "limit-exceeded")
    }

    @Test func `what may be left out has its defaults`() throws {
        let world = try restored(
            #"{"tabs":[{"id":"a"},{"id":"b","badge":0}],"sheets":[{"route":"s"}]}"#)
        #expect(world.picture == "a* [] b [] | s []")
        #expect(world.session.state.sheets.first?.presentedBy == .tab(TabID(trusted: "a")))
        #expect(world.session.settings == SessionSettings())
    }

    @Test func `derived members and times are passed over, whatever they say`() throws {
        let world = try restored(
            """
            {"id":"s","revision":-1,"createdAt":1,"updatedAt":null,"expiresAt":"x","visible":0,
             "canGoBack":0,"canUndo":0,"canRedo":0,"tabs":[{"id":"a"}]}
            """)
        #expect(world.picture == "a* []")
    }

    static let wrong: [(body: String, pointers: [String])] = [
        ("{}", ["/tabs"]),
        (#"{"tabs":[]}"#, ["/tabs"]),
        (#"{"tabs":[{}]}"#, ["/tabs/0/id"]),
        (#"{"tabs":[1,{"id":"e1"}]}"#, ["/tabs/0", "/tabs/1/id"]),
        (#"{"tabs":[{"id":"a"},{"id":"a"}]}"#, ["/tabs/1/id"]),
        (#"{"tabs":[{"id":"a","badge":-1,"x":1}]}"#, ["/tabs/0/badge", "/tabs/0/x"]),
        (#"{"id":"t","tabs":[{"id":"a"}]}"#, ["/id"]),
        (#"{"tabs":[{"id":"a"}],"extra":1}"#, ["/extra"]),
        (
            #"{"tabs":[{"id":"a","path":[1,{"id":"x","route":"r"}]}]}"#,
            ["/tabs/0/path/0", "/tabs/0/path/1/id"]
        ),
        (
            #"{"tabs":[{"id":"a","path":[{"id":"e1"},{"route":"r","params":1,"y":2}]}]}"#,
            ["/tabs/0/path/0/route", "/tabs/0/path/1/params", "/tabs/0/path/1/y"]
        ),
        (
            #"{"tabs":[{"id":"a"}],"sheets":[{"route":"s","style":"x","tag":"","detents":[1]}]}"#,
            ["/sheets/0/style", "/sheets/0/tag", "/sheets/0/detents/0"]
        ),
        (
            #"{"tabs":[{"id":"a"}],"sheets":[{"route":"s","presentedBy":"-"},7]}"#,
            ["/sheets/0/presentedBy", "/sheets/1"]
        ),
    ]

    @Test(arguments: wrong + RestoreTabsTests.wrong)
    func `a wrong body is told with every place`(_ body: String, _ pointers: [String]) throws {
        let refusal = try #require(throws: RejectionError.self) { try restore(body) }
        #expect(refusal.problem == "invalid-request")
        #expect(refusal.pointers == pointers)
    }

    static let twice: [(body: String, pointer: String)] = [
        (
            #"{"tabs":[{"id":"a","path":[{"id":"e1","route":"x"},{"id":"e1","route":"x"}]}]}"#,
            "/tabs/0/path/1/id"
        ),
        (
            """
            {"tabs":[{"id":"a","path":[{"id":"e1","route":"x"}]}],
             "sheets":[{"id":"e2","route":"s","path":[{"route":"y"},{"id":"e1","route":"y"}]}]}
            """,
            "/sheets/0/path/1/id"
        ),
        (
            #"{"tabs":[{"id":"a"}],"sheets":[{"id":"e1","route":"s"},{"id":"e1","route":"s"}]}"#,
            "/sheets/1/id"
        ),
    ]

    @Test(arguments: twice)
    func `an id that is there twice is refused at its second place`(
        _ body: String, _ pointer: String
    ) throws {
        let refusal = try #require(throws: RejectionError.self) { try restore(body) }
        #expect(refusal.pointers == [pointer])
    }

    @Test func `a restored session has the limits that all have`() throws {
        var limits = Limits()
        (limits.pathDepthMax, limits.sheetsMax, limits.paramsBytesMax) = (1, 1, 8)
        let body = try object(
            """
            {"tabs":[{"id":"a","path":[{"route":"x"},{"route":"y"}]}],
             "sheets":[{"route":"s","params":{"a":1234}},{"route":"s"}]}
            """)
        let refusal = try #require(throws: RejectionError.self) {
            try RestoreSession(
                body, id: SessionID(trusted: "s"), limits: limits, work: WorkBudget())
        }
        #expect(Set(refusal.pointers) == ["/tabs/0/path", "/sheets", "/sheets/0/params"])
    }

    @Test func `a restore is one revision, may be undone, and is none if all is as it was`() throws
    {
        var world = try World()
        try world.run(.navigate, #"{"route":"x"}"#)
        let restored = try restore(
            #"{"tabs":[{"id":"main","path":[{"id":"e9","route":"y"}]}]}"#
        ).state(nextEntry: world.session.nextEntry, app: nil)
        let answer = try #require(try world.restore(restored, SessionSettings()))
        #expect(answer.added.map(\.description) == ["e9"])
        #expect(answer.removed.map(\.description) == ["e1"])
        #expect(world.session.revision == 3)
        #expect(world.flaw == nil)
        #expect(try world.restore(restored, SessionSettings()) == nil)
        try world.run(.undo)
        #expect(world.picture == "main* [x]")
        #expect(try world.run(.navigate, #"{"route":"z"}"#).addedIDs == ["e10"])
    }

    @Test func `a tab to select that is not there is not found`() throws {
        let body = #"{"tabs":[{"id":"a"},{"id":"b"}],"selectedTab":"c"}"#
        let refusal = try #require(throws: RejectionError.self) {
            try restore(body).state(nextEntry: 1, app: nil)
        }
        let tabs = ["a", "b"].map { TabID(trusted: $0) }
        #expect(refusal == .tabNotFound("c", known: tabs))
    }

    @Test(arguments: [(1, 2_147_483_648, true), (1, 2_147_483_649, false)])
    func `a restore brings ids up to a limit, and new ones are behind them`(
        next: Int, highest: Int, isTaken: Bool
    ) throws {
        let body = #"{"tabs":[{"id":"a","path":[{"id":"e\#(highest)","route":"r"}]}]}"#
        let state = Result { try restore(body).state(nextEntry: next, app: nil) }
        guard isTaken else {
            #expect(throws: RejectionError.self) { try state.get() }
            // A session that has such an id already goes on with it.
            #expect(
                try restore(body).state(nextEntry: highest + 1, app: nil).nextEntry == highest + 1)
            return
        }
        #expect(try state.get().nextEntry == highest + 1)
    }
}
