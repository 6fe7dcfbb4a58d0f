import JSON
import Navigation
import Testing

@Suite struct BatchTests {
    @Test func `a batch is one revision and tells each command's answer`() throws {
        var world = try World()
        let answer = try world.run(
            .batch,
            """
            {"commands":[{"command":"navigate","route":"x"},{"command":"dismiss"},
             {"command":"navigate","route":"y"},{"command":"back","count":9},
             {"command":"present","route":"s"}]}
            """)
        #expect(world.session.revision == 2)
        #expect(world.picture == "main* [] | s []")
        #expect(answer.addedIDs == ["e3"], "what came and went again is in neither")
        #expect(answer.removedIDs == [])
        guard case .results(let results) = answer.extra else {
            Issue.record("no results")
            return
        }
        #expect(results.map(\.changed) == [true, false, true, true, true])
        #expect(results.map(\.reason) == [nil, .noSheet, nil, nil, nil])
        #expect(results.map(\.addedIDs) == [["e1"], [], ["e2"], [], ["e3"]])
        #expect(results.map(\.removedIDs) == [[], [], [], ["e1", "e2"], []])
        #expect(results.map(\.count) == [nil, nil, nil, 2, nil])
    }

    @Test func `a batch in which nothing changes is no change`() throws {
        var world = try World()
        let body = #"{"commands":[{"command":"dismiss"},{"command":"back"}]}"#
        let answer = try world.run(.batch, body)
        #expect(!answer.changed)
        #expect(world.session.revision == 1)
        let refusal = try world.refusal(.batch, body, strict: true)
        #expect(refusal == .inBatch(index: 0, .nothingToDo(.noSheet)))
    }

    @Test func `a later command sees what the earlier ones did`() throws {
        var world = try World()
        try world.run(
            .batch,
            """
            {"commands":[{"command":"present","route":"s"},{"command":"navigate","route":"x"},
             {"command":"setParams","entry":"e2","params":{"n":1}}]}
            """)
        #expect(world.picture == #"main* [] | s [x{"n":1}]"#)
    }

    static let failures: [(item: String, problem: String, pointers: [String])] = [
        (#"{"command":"navigate","route":"nope"}"#, "unknown-route", ["/commands/1/route"]),
        (#"{"command":"navigate","route":"s"}"#, "route-not-allowed-here", ["/commands/1/route"]),
        (
            #"{"command":"navigate","route":"x","params":{"n":""}}"#, "invalid-params",
            ["/commands/1/params/n"]
        ),
        (
            #"{"command":"setPath","in":"a","path":[{"route":"y"},{"route":"x","params":{"n":1.5}}]}"#,
            "invalid-params", ["/commands/1/path/1/params/n"]
        ),
        (
            #"{"command":"present","route":"s","path":[{"route":"y"}]}"#, "route-not-allowed-here",
            ["/commands/1/path/0/route"]
        ),
        (#"{"command":"back","to":{"entry":"e9"}}"#, "entry-not-found", []),
    ]

    @Test(arguments: failures)
    func `a failure undoes all, names its index and points into its command`(
        _ item: String, _ problem: String, _ pointers: [String]
    ) throws {
        let world = try SmallWorld.world()
        let refusal = try world.refusal(
            .batch, #"{"commands":[{"command":"navigate","route":"y"},\#(item)]}"#)
        #expect(refusal.index == 1)
        #expect(refusal.problem == problem)
        #expect(refusal.pointers == pointers)
    }
}

@Suite struct UndoTests {
    @Test func `undo and redo go back and forth, each a revision of its own`() throws {
        var world = try World()
        for route in ["x", "y", "z"] { try world.run(.navigate, #"{"route":"\#(route)"}"#) }
        let undone = try world.run(.undo, #"{"count":2}"#)
        #expect(world.picture == "main* [x]")
        #expect(undone.count == 2)
        #expect(undone.removedIDs == ["e2", "e3"])
        #expect(world.session.revision == 5)
        let redone = try world.run(.redo)
        #expect(world.picture == "main* [x, y]")
        #expect(redone.count == 1)
        #expect(redone.addedIDs == ["e2"], "it is the same entry again")
        #expect(try world.run(.undo, #"{"count":99}"#).count == 2, "as far as possible")
        #expect(world.picture == "main* []")
        #expect(try world.run(.redo, #"{"count":99}"#).count == 3)
        #expect(world.picture == "main* [x, y, z]")
        #expect(world.session.revision == 8)
    }

    @Test func `there may be nothing to undo and nothing to redo`() throws {
        var world = try World()
        #expect(try world.run(.undo).reason == .nothingToUndo)
        #expect(try world.run(.redo).reason == .nothingToRedo)
        #expect(try world.run(.undo).count == 0)
        #expect(try world.refusal(.undo, strict: true) == .nothingToDo(.nothingToUndo))
        #expect(try world.refusal(.redo, strict: true) == .nothingToDo(.nothingToRedo))
        #expect(world.session.revision == 1)
    }

    @Test func `undo brings back tabs, selection, sheets, params and badges`() throws {
        var world = try World(tabs: ["a", "b"])
        try world.run(.navigate, #"{"route":"x","params":{"n":1}}"#)
        try world.run(.setBadge, #"{"tab":"b","badge":"new"}"#)
        try world.run(.present, #"{"route":"s","tag":"t","path":[{"route":"u"}]}"#)
        let state = world.session.state
        try world.run(
            .batch,
            """
            {"commands":[{"command":"root","scope":"all"},{"command":"select","tab":"b"},
             {"command":"setBadge","tab":"b","badge":0}]}
            """)
        #expect(world.picture == "a [] b* []")
        try world.run(.undo)
        #expect(world.session.state == state)
    }

    @Test func `any other change clears redo, and no no-op does`() throws {
        var world = try World()
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.undo)
        try world.run(.back)
        #expect(world.json.flag("canRedo") == true)
        try world.run(.setBadge, #"{"tab":"main","badge":1}"#)
        #expect(world.json.flag("canRedo") == false)
        #expect(try world.run(.redo).reason == .nothingToRedo)
        try world.run(.undo)
        #expect(world.picture == "main* []", "the way that was left is not come back to")
        #expect(try world.run(.undo).reason == .nothingToUndo)
    }

    @Test func `new labels clear redo too, and undo does not bring the old ones back`() throws {
        var world = try World()
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.navigate, #"{"route":"y"}"#)
        try world.run(.undo)
        let labelled = SessionSettings(labels: [Label(key: "a", value: "b")], ttlSeconds: 60)
        #expect(try world.update(labelled))
        #expect(world.flaw == nil)
        #expect(world.json.flag("canRedo") == false)
        try world.run(.undo)
        #expect(world.picture == "main* []", "labels were nothing to undo")
        #expect(world.session.settings == labelled)
        try world.run(.redo)
        #expect(world.picture == "main* [x]")
    }

    @Test func `a restore of other labels alone is nothing to undo either`() throws {
        var world = try World()
        try world.run(.navigate, #"{"route":"x"}"#)
        let body = try object(world.text)
        let restored = try RestoreSession(
            body, id: world.session.id, limits: Limits(), work: WorkBudget()
        ).state(nextEntry: world.session.nextEntry, app: nil)
        #expect(try world.restore(restored, SessionSettings(ttlSeconds: 60)) != nil)
        #expect(world.flaw == nil)
        try world.run(.undo)
        #expect(world.picture == "main* []")
    }

    @Test func `undo reaches 32 changes back, redo as far again`() throws {
        var world = try World()
        for _ in 1...40 { try world.run(.navigate, #"{"route":"x"}"#) }
        #expect(try world.run(.undo, #"{"count":40}"#).count == 32)
        #expect(world.session.state.tabs.first?.path.count == 8)
        #expect(try world.run(.undo).reason == .nothingToUndo)
        #expect(try world.run(.redo, #"{"count":40}"#).count == 32)
        #expect(try world.run(.undo, #"{"count":40}"#).count == 32)
    }

    @Test func `the counter of ids is not turned back`() throws {
        var world = try World()
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.undo)
        #expect(try world.run(.navigate, #"{"route":"y"}"#).addedIDs == ["e2"])
    }
}
