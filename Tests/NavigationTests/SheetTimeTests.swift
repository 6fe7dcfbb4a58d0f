import JSON
import Navigation
import Testing

/// Sheets that go by themselves.
@Suite struct SheetTimeTests {
    private func expire(_ world: inout World) throws -> (sheet: EntryID, answer: Answer)? {
        var editor = SessionEditor(world.session, rules: world.rules())
        let expired = editor.expireSheet(at: world.now)
        if expired != nil { world.session = editor.finish() }
        return expired
    }

    private func times(_ world: World) -> [Int64?] {
        world.session.state.sheets.map { $0.expiresAt.map { ($0 - World.noon) / 1000 } }
    }

    @Test func `the time is in whole seconds and never early`() throws {
        var world = try World()
        world.now += 1
        try world.run(.present, #"{"route":"a","ttlSeconds":1}"#)
        world.now += 999
        try world.run(.present, #"{"route":"b","ttlSeconds":604800}"#)
        try world.run(.present, #"{"route":"c"}"#)
        #expect(times(world) == [2, 604_801, nil])
    }

    @Test(arguments: ["0", "604801", "-1", "1.5", "\"1\"", "null", "true"])
    func `other times are refused`(value: String) throws {
        let world = try World()
        guard
            case .invalidRequest(let faults) = try world.refusal(
                .present, #"{"route":"a","ttlSeconds":\#(value)}"#)
        else { throw Unexpected() }
        #expect(faults.map(\.pointer) == ["/ttlSeconds"])
    }

    private struct Unexpected: Error {}

    @Test func `a sheet goes with all above it, whatever is locked, and undo does not lead back`()
        throws
    {
        var world = try World()
        try world.run(.present, #"{"route":"a","ttlSeconds":5,"dismissible":false}"#)
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.present, #"{"route":"b","dismissible":false}"#)
        world.now += 4_999
        #expect(try expire(&world) == nil)
        world.now += 1
        let undoing = world.session.undoing.undo
        let expired = try #require(try expire(&world))
        #expect(expired.sheet == EntryID(number: 1))
        #expect(expired.answer.removed.map(\.number) == [1, 2, 3])
        #expect(world.session.state.sheets.isEmpty && world.session.revision == 5)
        #expect(world.session.undoing.undo == undoing)
        #expect(try expire(&world) == nil)
    }

    @Test func `the one whose time came first goes first, and the lowest of the same time`() throws
    {
        var world = try World()
        try world.run(.present, #"{"route":"a","ttlSeconds":9}"#)
        try world.run(.present, #"{"route":"b","ttlSeconds":5}"#)
        try world.run(.present, #"{"route":"c","ttlSeconds":5}"#)
        world.now += 60_000
        #expect(try expire(&world)?.answer.removed.map(\.number) == [2, 3])
        #expect(try expire(&world)?.answer.removed.map(\.number) == [1])
    }

    @Test func `the same sheet presented again gets a new time if the command has one`() throws {
        var world = try World()
        let body = #"{"route":"a","tag":"t","ttlSeconds":5}"#
        try world.run(.present, body)
        #expect(try world.run(.present, body).reason == .sameEntry)
        world.now += 3_000
        #expect(try world.run(.present, #"{"route":"a","tag":"t"}"#).reason == .sameEntry)
        #expect(times(world) == [5])
        let again = try world.run(.present, body)
        #expect(again.changed && again.added.isEmpty && again.removed.isEmpty)
        #expect(times(world) == [8])
        let other = try world.run(.present, #"{"route":"b","tag":"t"}"#)
        #expect(other.removed.map(\.number) == [1] && times(world) == [nil])
    }

    @Test func `undo and redo bring no sheet back whose time is over`() throws {
        var world = try World()
        try world.run(.present, #"{"route":"a","ttlSeconds":5}"#)
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.present, #"{"route":"b"}"#)
        try world.run(.root, #"{"scope":"all"}"#)
        world.now += 4_999
        #expect(try world.trial(.undo).session.state.sheets.count == 2)
        world.now += 1
        let undone = try world.trial(.undo)
        #expect(undone.session.state.sheets.isEmpty)
        let dropped = undone.answer.guarded.dropped
        #expect(dropped.map(\.id) == (1...3).map { .entry(EntryID(number: $0)) })
        #expect(dropped.map(\.why) == [.expired, .sheetDropped, .presenterGone])
        try world.run(.undo)
        try world.run(.redo)
        #expect(world.session.state.sheets.isEmpty)
    }

    @Test func `undo brings the time back that a sheet had`() throws {
        var world = try World()
        try world.run(.present, #"{"route":"a","tag":"t","ttlSeconds":5}"#)
        try world.run(.present, #"{"route":"a","tag":"t","ttlSeconds":9}"#)
        try world.run(.undo)
        #expect(times(world) == [5])
        try world.run(.redo)
        #expect(times(world) == [9])
    }

    @Test func `a copy has no sheet whose time is over`() throws {
        var world = try World()
        try world.run(.present, #"{"route":"a","ttlSeconds":5}"#)
        try world.run(.navigate, #"{"route":"x"}"#)
        for (seconds, sheets) in [(4, 1), (5, 0)] {
            let (copy, restored) = try world.session.copied(
                to: SessionID(trusted: "c"), SessionSettings(), app: nil,
                at: world.now + Milliseconds(seconds) * 1000, work: WorkBudget())
            #expect(copy.state.sheets.count == sheets)
            #expect(
                restored.losses.entries.map(\.why) == (sheets > 0 ? [] : [.expired, .sheetDropped]))
        }
    }

    @Test func `steps carry the time of a sheet`() throws {
        var world = try World()
        try world.run(.present, #"{"route":"a","tag":"t","ttlSeconds":5}"#)
        let start = world.session.state
        world.now += 2_000
        try world.run(.present, #"{"route":"a","tag":"t","ttlSeconds":5,"mark":"m"}"#)
        let goal = world.session.state
        let steps = start.steps(to: goal, app: nil)
        #expect(steps.count == 1)
        var walked = start
        for step in steps { walked.apply(step) }
        #expect(walked == goal)
        #expect(goal.steps(to: goal, app: nil).isEmpty)
    }
}
