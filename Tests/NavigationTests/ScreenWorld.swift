import Bytes
import JSON
import Navigation
import TestSupport
import Testing

/// An app with roots that have params, dialogs, locks, edges, an identity and titles.
enum ScreenWorld {
    static let document = #"""
        {"id":"screens",
         "routes":{
          "home":{"title":"Home","params":{"type":"object","additionalProperties":false,
           "properties":{"q":{"type":"string","default":"all"}}}},
          "user":{"title":"User {id}","backTitle":"{id}","identity":["id"],"params":{
           "type":"object","properties":{"id":{"type":"integer"},"ref":{"type":"string"}}}},
          "form":{"routes":[],"hidesTabBar":true},
          "s":{"presentation":"sheet","routes":["user"]},
          "tip":{"presentation":["popover","inspector"],"on":["form","user"]},
          "ask":{"presentation":"confirmationDialog","title":"Delete {id}?",
           "params":{"type":"object","properties":{"id":{"type":"integer"}}},
           "buttons":[{"id":"delete","title":"Delete","role":"destructive"}]}},
         "tabs":[{"id":"a","root":{"route":"home","params":{"q":"new"}},"routes":["user","form"]},
          {"id":"b","root":"home","routes":["user"]}],
         "links":[{"pattern":"app://u/{id}","tab":"b",
           "path":[{"route":"user","params":{"id":"{id}"}}]}]}
        """#

    /// The commands, those of the short programs first.
    static let all: [(CommandName, String)] = [
        (.navigate, #"{"route":"user","params":{"id":1},"mode":"single"}"#),
        (.navigate, #"{"route":"form","locked":true}"#),
        (.present, #"{"route":"s","dismissible":false}"#),
        (.present, #"{"style":"alert","title":"Sure?"}"#),
        (.present, #"{"route":"ask","params":{"id":7},"tag":"q"}"#),
        (.dismiss, #"{"button":"delete"}"#),
        (.back, "{}"),
        (.select, #"{"tab":"b","params":{"q":"tea"}}"#),
        (.root, #"{"scope":"all","sheets":"force"}"#),
        (.undo, "{}"),
        // Those above are the alphabet of the short programs.
        (.navigate, #"{"route":"user","params":{"id":2,"ref":"x"},"mode":"popTo"}"#),
        (.navigate, #"{"route":"user","params":{"id":1,"ref":"y"},"mode":"toFront"}"#),
        (.navigate, #"{"route":"user","in":"a","select":false,"mark":"m"}"#),
        (.navigate, #"{"route":"home","params":{"q":"z"},"mode":"popTo"}"#),
        (.navigate, #"{"route":"user","sheets":"dismiss","mode":"reset"}"#),
        (.navigate, #"{"route":"user","in":"a","sheets":"keep","force":true,"mode":"replace"}"#),
        (.present, #"{"route":"tip","anchor":"star"}"#),
        (.present, #"{"route":"tip","style":"inspector","tag":"q"}"#),
        (.present, #"{"route":"s","path":[{"route":"user"}],"tag":"q","force":true}"#),
        (.dismiss, "{}"),
        (.dismiss, #"{"force":true}"#),
        (.dismiss, #"{"all":true}"#),
        (.dismiss, #"{"button":"ok"}"#),
        (.back, #"{"count":3}"#),
        (.back, #"{"count":9,"force":true}"#),
        (.back, #"{"to":{"entry":"b"}}"#),
        (.back, #"{"to":{"entry":"a"},"force":true}"#),
        (.back, #"{"to":{"mark":"m"}}"#),
        (.root, "{}"),
        (.root, #"{"scope":"all","sheets":"keep"}"#),
        (.root, #"{"scope":"path","force":true}"#),
        (.select, #"{"tab":"a","root":true,"sheets":"force","mark":"m"}"#),
        (.select, #"{"tab":"a","params":{"q":"new"}}"#),
        (.open, #"{"url":"app://u/1"}"#),
        (.open, #"{"url":"app://u/2","sheets":"force"}"#),
        (.setPath, #"{"in":"a","path":[{"route":"user","params":{"id":1}},{"route":"form"}]}"#),
        (.setPath, #"{"in":"a","path":[],"sheets":"keep"}"#),
        (.setPath, #"{"in":"b","path":[{"route":"user","locked":true}],"force":true}"#),
        (.setParams, #"{"params":{"q":"deep"}}"#),
        (.setParams, #"{"entry":"b","params":{"q":null}}"#),
        (.setParams, #"{"entry":"e1","locked":false}"#),
        (.setParams, #"{"entry":"e2","locked":true}"#),
        (.undo, #"{"count":2}"#),
        (.redo, "{}"),
        (.batch, #"{"commands":[{"command":"dismiss","force":true},{"command":"root"}]}"#),
    ]

    static let alphabet = 10

    static func world() throws -> World { try World(app: app(document)) }

    /// The law of each step besides the rules of every world.
    static func law(_ command: Command, _ before: World, _ after: World) throws -> String? {
        let (old, new) = (before.session.state, after.session.state)
        for (index, sheet) in new.sheets.enumerated() where sheet.dialog != nil {
            guard index == new.sheets.count - 1, sheet.path.isEmpty else {
                return "something lies on a dialog"
            }
        }
        for sheet in new.sheets where sheet.style.isDialog != (sheet.dialog != nil) {
            return "\(sheet.style) has no texts, or has some"
        }
        let app = try app(document)
        for tab in new.tabs where tab.root == Optional(app).declaredRoot(of: tab.id) {
            return "a root is kept although it is as declared"
        }
        return lockFlaw(command, old, new)
    }

    /// A command that does not say force leaves everything that is locked.
    private static func lockFlaw(
        _ command: Command, _ old: NavigationState, _ new: NavigationState
    ) -> String? {
        switch command {
        case .undo, .redo, .batch: return nil
        // A command that replaces or answers a sheet may remove one.
        case .present(let command) where command.tag != nil: return nil
        case .dismiss(let command) where command.button != nil || command.force: return nil
        case .navigate(let command) where command.clearing.force: return nil
        case .setPath(let command) where command.clearing.force: return nil
        case .select(let command) where command.clearing.force: return nil
        case .open(let command) where command.clearing.force: return nil
        case .root(let command) where command.clearing.force: return nil
        case .back(_, let force) where force: return nil
        default: break
        }
        let locked =
            old.screens.filter { entry in
                entry.isLocked || old.sheets.contains { $0.id == entry.id && !$0.dismissible }
            }
        let left = Set(new.screens.map(\.id))
        return locked.first { !left.contains($0.id) }.map { "\($0.id) was locked and is gone" }
    }
}

/// Programs on an app that uses what screens have.
@Suite struct ScreenWorldTests {
    @Test(arguments: ScreenWorld.all.indices.prefix(ScreenWorld.alphabet))
    func `every program of up to four commands keeps the rules and locks`(_ first: Int) throws {
        let commands = try read(Array(ScreenWorld.all.prefix(ScreenWorld.alphabet)))
        var walk = Walk(ScreenWorld.all, commands)
        walk.law = ScreenWorld.law
        try walk.go(CheckedWorld(try ScreenWorld.world()), [first])
        #expect(walk.flaw == nil)
        #expect(walk.steps == Walk.stepCount(of: ScreenWorld.alphabet))
    }

    @Test func `every program of two commands from the whole list keeps the rules`() throws {
        let commands = try read(ScreenWorld.all)
        var walk = Walk(ScreenWorld.all, commands, depthMax: 2)
        walk.law = ScreenWorld.law
        for first in commands.indices {
            try walk.go(CheckedWorld(try ScreenWorld.world()), [first])
        }
        #expect(walk.flaw == nil)
    }

    @Test(.seeded) func `long random programs keep the rules and locks`() throws {
        var random = SplitMix64(stream: 71)
        let commands = try read(ScreenWorld.all)
        for _ in 0..<40 {
            var world = CheckedWorld(try ScreenWorld.world())
            var program: [String] = []
            for _ in 0..<60 {
                let index = Int(random.next() % UInt64(commands.count))
                program.append("\(ScreenWorld.all[index])")
                let before = world.world
                let flaw = world.step(commands[index])
                let broken = try flaw ?? ScreenWorld.law(commands[index], before, world.world)
                try #require(broken == nil, "\(program.suffix(8).joined(separator: "\n"))")
            }
        }
    }
}
