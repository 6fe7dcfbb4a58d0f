import TestSupport
import Testing

@testable import NavstateClient

/// The rules of the router, under random orders of events.
@Suite struct RouterCoreTests {
    @Test(.seeded) func `a settled router shows the state of the server`() throws {
        for run in 0..<300 {
            var world = RouterWorld(stream: UInt64(run))
            for _ in 0..<60 { try world.step() }
            try world.comeToRest()
            let sent = try world.server.session()
            #expect(world.core.isQuiet)
            #expect(world.core.confirmed == sent, "run \(run)")
            #expect(
                world.core.target.renamed(world.core.serverIDs) == NavigationState(sent),
                "run \(run)")
        }
    }

    @Test(.seeded) func `without other clients and refusals, nothing shown is undone`() throws {
        for run in 0..<200 {
            var world = RouterWorld(stream: 1000 + UInt64(run))
            world.isAlone = true
            for _ in 0..<60 {
                let before = world.core.target.outline
                let wasUser = try world.step()
                if !wasUser { #expect(world.core.target.outline == before, "run \(run)") }
            }
        }
    }

    @Test(.seeded) func `no entry is ever shown twice`() throws {
        for run in 0..<200 {
            var world = RouterWorld(stream: 2000 + UInt64(run))
            for _ in 0..<60 {
                try world.step()
                let state = world.core.target
                let all = state.tabs.flatMap(\.path) + state.sheets.flatMap(\.path)
                let numbers = all.compactMap { $0.params["n"]?.integer }
                #expect(Set(numbers).count == numbers.count, "run \(run): \(state.outline)")
            }
        }
    }

    @Test(.seeded) func `after a router has pushed its state, the server has it`() throws {
        for run in 0..<200 {
            var world = RouterWorld(stream: 3000 + UInt64(run))
            for _ in 0..<40 { try world.step() }
            try world.comeToRest()
            world.core.perform(.push(world.entry(), in: world.core.target.active))
            _ = world.core.nextToSend()
            world.core.lost()
            world.user()
            world.user()
            let own = world.core.target
            try world.restore()
            #expect(world.core.target.outline == own.outline, "run \(run)")
            #expect(world.core.target.ids == own.ids, "run \(run)")
            #expect(
                world.core.target.renamed(world.core.serverIDs) == world.server.state, "run \(run)")
        }
    }

    @Test func `an added entry keeps its id after the server has assigned one`() throws {
        var world = RouterWorld(stream: 0)
        world.isAlone = true
        let sheet = Sheet(id: world.core.makeID(), route: "compose", presentedBy: "a")
        world.core.perform(.present(sheet, style: nil))
        let entry = world.entry()
        world.core.perform(.push(entry, in: sheet.id))
        while let (_, command) = world.core.nextToSend() {
            #expect(command["in"]?.string?.hasPrefix("*") != true)
            world.core.answered(try #require(try world.server.perform(command)))
        }
        #expect(world.core.target.sheets.map(\.id) == [sheet.id])
        #expect(world.core.target.sheets.first?.path.map(\.id) == [entry.id])
        #expect(world.core.serverID(of: sheet.id) == world.server.state.sheets.first?.id)
    }

    @Test func `a sheet whose style only the app knows waits for the answer`() throws {
        var core = RouterCore()
        var session = try ModelServer().session()
        session.app = "shop"
        core.received(session)
        let sheet = Sheet(id: core.makeID(), route: "film", presentedBy: "a")
        core.perform(.present(sheet, style: nil))
        #expect(core.target.sheets.isEmpty)
        core.lost()
        #expect(core.target.sheets.map(\.route) == ["film"], "no answer will come")
    }

    @Test func `every new entry of a path gets the server's id`() throws {
        var world = RouterWorld(stream: 0)
        world.isAlone = true
        var path: [Entry] = []
        for _ in 0..<3 {
            path.append(world.entry())
            world.core.perform(.setPath(path, in: "a"))
            let next = world.core.nextToSend()
            let command = try #require(next?.command)
            world.core.answered(try #require(try world.server.perform(command)))
            let ids = world.server.state[path: "a"]?.map(\.id)
            #expect(path.compactMap { world.core.serverID(of: $0.id) } == ids)
        }
    }

    @Test func `a change that depends on a refused one is not sent`() throws {
        var world = RouterWorld(stream: 0)
        let sheet = Sheet(id: world.core.makeID(), route: "refused", presentedBy: "a")
        world.core.perform(.present(sheet, style: nil))
        world.core.perform(.push(world.entry(), in: sheet.id))
        let first = world.core.nextToSend()
        #expect(first?.command.name == "present")
        world.core.refused()
        let second = world.core.nextToSend()
        #expect(second?.command == nil)
        #expect(world.core.isQuiet)
    }
}

/// A router, a server, and the messages in flight between them.
struct RouterWorld {
    var core = RouterCore()
    var server = ModelServer()
    /// Whether nobody else changes the session, and nothing is refused, corrected or lost.
    var isAlone = false
    private var random: SplitMix64
    private var count: Int64 = 0
    private var events: [Session] = []
    private var answer: CommandResult?
    private var isRefused = false
    private var isConnected = true

    init(stream: UInt64) {
        random = SplitMix64(stream: stream)
        if let session = try? server.session() { core.received(session) }
    }

    /// An entry of any route.
    mutating func entry() -> Entry {
        let routes = isAlone ? ["r"] : ["r", "r", "r", "reset", "single", "guarded", "refused"]
        return entry(random.one(of: routes))
    }

    mutating func entry(_ route: String) -> Entry {
        count += 1
        return Entry(id: core.makeID(), route: route, params: ["n": .integer(count)])
    }

    /// Lets something happen. Returns true if the user did it.
    @discardableResult
    mutating func step() throws -> Bool {
        switch random.below(10) {
        case 0, 1, 2:
            user()
            return true
        case 3 where !isAlone: try other()
        case 4, 5: try send()
        case 6: deliver()
        case 7 where isConnected && !events.isEmpty:
            try comeBack()
            core.received(events.removeFirst())
        case 8 where !isAlone: try reconnect()
        case 9 where !isAlone && random.oneIn(3): lose()
        default: break
        }
        return false
    }

    /// Restores the connection, and sends and delivers everything.
    mutating func comeToRest() throws {
        if !isConnected { try reconnect() }
        try comeBack()
        repeat {
            deliver()
            try send()
        } while core.isSending
        while !events.isEmpty { core.received(events.removeFirst()) }
    }

    /// Restores the connection and reads the server's state.
    mutating func comeBack() throws {
        guard core.isOffline else { return }
        core.received(try server.session(), afterGap: true)
        core.returned()
    }

    /// Writes the router's state into that of the server.
    mutating func restore() throws {
        let state = try server.session()
        let own = core.own(over: state)
        try server.restore(try core.document(of: own, over: state))
        core.restored(try server.session(), from: own)
    }

    mutating func user() {
        let state = core.target
        let containers = state.tabs.map(\.id) + state.sheets.map(\.id)
        let container = random.one(of: containers)
        switch random.below(9) {
        case 0, 1: core.perform(.push(entry(), in: random.oneIn(2) ? state.active : container))
        case 2, 3:
            var path = state[path: container] ?? []
            path.removeLast(random.below(path.count + 1))
            if random.oneIn(2) { path.append(entry()) }
            core.perform(.setPath(path, in: container))
        case 4: core.perform(.back)
        case 5: core.perform(.root(random.oneIn(2) ? .tab : .all))
        case 6 where state.sheets.count < 4:
            let route = random.oneIn(2) && !isAlone ? "cover" : "sheet"
            var sheet = Sheet(id: core.makeID(), route: route, presentedBy: state.visible)
            sheet.isDismissible = !random.oneIn(3)
            sheet.tag = random.oneIn(4) ? "t" : nil
            core.perform(.present(sheet, style: nil))
        case 7:
            guard let sheet = state.sheets.randomElement(using: &random) else { return }
            core.perform(.dismiss(sheet.id, result: nil, force: random.oneIn(2)))
        case 8 where !isAlone && random.oneIn(2): core.perform(.command(.undo()))
        default: core.perform(.select(random.one(of: state.tabs).id))
        }
    }

    private mutating func other() throws {
        let state = server.state
        count += 1
        let commands: [Command] = [
            .navigate(to: Destination("r", params: ["n": .integer(count)])), .back(),
            .present("sheet"), .root(.all), .select(tab: random.one(of: state.tabs).id), .undo(),
            .setPath(in: random.one(of: state.tabs).id, []),
        ]
        _ = try perform(random.one(of: commands))
    }

    private mutating func perform(_ command: Command) throws -> CommandResult? {
        let result = try server.perform(command)
        if let result, result.changed { events.append(result.session) }
        return result
    }

    private mutating func send() throws {
        guard let (_, command) = core.nextToSend() else { return }
        answer = try perform(command)
        isRefused = answer == nil
    }

    private mutating func deliver() {
        guard core.isSending else { return }
        if let answer { core.answered(answer) } else if isRefused { core.refused() }
        (answer, isRefused) = (nil, false)
    }

    /// Loses the answer, and often the stream too.
    private mutating func lose() {
        guard core.isSending else { return }
        (answer, isRefused) = (nil, false)
        isConnected = random.oneIn(2)
        core.lost()
    }

    /// Loses the stream, or restores it: with the states that were missed, or with the current one.
    private mutating func reconnect() throws {
        isConnected.toggle()
        guard isConnected else { return }
        try comeBack()
        guard random.oneIn(2) else { return }
        events = []
        core.received(try server.session(), afterGap: true)
    }
}
