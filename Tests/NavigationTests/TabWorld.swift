import JSON
import Navigation

/// An app of three tabs among which one goes back, and the commands that programs on it are made
/// of: marks, hidden tabs, an order of the user's own.
enum TabWorld {
    static func document(_ tabBack: TabBack) -> String {
        #"""
        {"id":"tabs","tabBack":"\#(tabBack.rawValue)",
         "routes":{
          "x":{"params":{"type":"object","properties":{"n":{"type":"integer"}}}},
          "s":{"presentation":"sheet","routes":["x"]}},
         "tabs":[{"id":"a","routes":["x"]},{"id":"b","routes":["x"]},{"id":"c","routes":["x"]}],
         "links":[
          {"pattern":"app://b","tab":"b","path":[{"route":"x","mark":"m"},"x"]},
          {"pattern":"app://s","tab":"c",
           "present":{"route":"s","mark":"n","path":[{"route":"x","mark":"m"}]}}]}
        """#
    }

    static let all: [(CommandName, String)] = [
        (.navigate, #"{"route":"x","mark":"m"}"#),
        (.select, #"{"tab":"b"}"#),
        (.back, "{}"),
        (.setTabs, #"{"hidden":["b"]}"#),
        (.undo, "{}"),
        (.select, #"{"tab":"c"}"#),
        (.setTabs, #"{"order":["c","b","a"]}"#),
        (.back, #"{"to":{"mark":"m"}}"#),
        (.root, #"{"scope":"all"}"#),
        (.present, #"{"route":"s","mark":"n","path":[{"route":"x","mark":"m"}]}"#),
        // Those above are the alphabet of the short programs.
        (.navigate, #"{"route":"x","in":"b"}"#),
        (.navigate, #"{"route":"x","mode":"single","mark":"n"}"#),
        (.navigate, #"{"route":"x","mode":"popTo","mark":"n"}"#),
        (.navigate, #"{"route":"x","mode":"toFront","mark":"n"}"#),
        (.navigate, #"{"route":"x","mode":"single"}"#),
        (.navigate, #"{"route":"x","params":{"n":1},"mode":"reset","in":"c","mark":"m"}"#),
        (.back, #"{"count":5}"#),
        (.back, #"{"count":2,"within":"path"}"#),
        (.back, #"{"to":{"mark":"m"},"inclusive":true}"#),
        (.back, #"{"to":{"mark":"n"},"within":"path"}"#),
        (.back, #"{"to":{"entry":"e1"}}"#),
        (.root, "{}"),
        (.select, #"{"tab":"a","sheets":"dismiss"}"#),
        (.setTabs, "{}"),
        (.setTabs, #"{"hidden":[]}"#),
        (.setTabs, #"{"order":["b","a","c"],"hidden":["a","c"]}"#),
        (.setTabs, #"{"order":["a","b","c"],"hidden":["c"]}"#),
        (.open, #"{"url":"app://b"}"#),
        (.open, #"{"url":"app://s","sheets":"keep"}"#),
        (.setPath, #"{"in":"a","path":[{"route":"x","mark":"n"},{"route":"x"}]}"#),
        (.setPath, #"{"in":"a","path":[{"route":"x","id":"e1"}]}"#),
        (.present, #"{"route":"s","tag":"t","mark":"m"}"#),
        (.present, #"{"route":"s","tag":"t"}"#),
        (.dismiss, "{}"),
        (.redo, "{}"),
        (.undo, #"{"count":3}"#),
        (
            .batch,
            #"""
            {"commands":[{"command":"select","tab":"c"},{"command":"setTabs","hidden":["a"]},
             {"command":"back"},{"command":"navigate","route":"x","mark":"n"}]}
            """#
        ),
    ]

    static let alphabet = 10

    static func world(_ tabBack: TabBack) throws -> World {
        try World(app: app(document(tabBack)))
    }

    /// A session without an app, which goes back among its tabs.
    static func freeWorld(_ tabBack: TabBack) throws -> World {
        var world = try World(tabs: ["a", "b", "c"])
        world.session.settings.tabBack = tabBack
        return World(world.session)
    }
}

/// The laws of every step in such a world.
enum TabLaws {
    static func flaw(_ command: Command, _ before: World, _ after: World) throws -> String? {
        try backFlaw(after) ?? undoFlaw(command, before, after) ?? markFlaw(command, after)
            ?? roundTripFlaw(after)
    }

    /// One may go back exactly if a step back changes something.
    static func backFlaw(_ world: World) throws -> String? {
        let decision = try world.trial(.back(.steps(1, within: .any)))
        guard decision.answer.changed == world.session.canGoBack(world.app) else {
            return "canGoBack"
        }
        // Within the path, no other tab is selected and the history stays as it is.
        let within = try world.trial(.back(.steps(9, within: .path)))
        guard within.answer.changed else { return nil }
        let state = within.session.state
        return state.selected == world.session.state.selected
            && state.tabHistory == world.session.state.tabHistory ? nil : "within the path"
    }

    private static func undoFlaw(
        _ command: Command, _ before: World, _ after: World
    ) throws -> String? {
        switch command {
        case .undo, .redo: return nil
        default: break
        }
        guard after.session.revision > before.session.revision else { return nil }
        let undone = try after.trial(.undo(count: 1))
        guard undone.answer.changed else { return nil }
        return undone.session.state == before.session.state
            ? nil : "undo does not restore all of it"
    }

    /// `back` finds by the mark the tab that was just marked.
    private static func markFlaw(_ command: Command, _ world: World) throws -> String? {
        guard case .navigate(let navigate) = command, let mark = navigate.mark,
            let top = world.session.state.top, navigate.target == .active
        else { return nil }
        guard top.mark == mark else { return "the entry is not marked" }
        let back = Command.back(.to(.mark(mark), inclusive: false, within: .path))
        return try world.trial(back).answer.reason == .alreadyThere ? nil : "it is not found"
    }

    /// The state that GET shows makes the same state elsewhere.
    static func roundTripFlaw(_ world: World) throws -> String? {
        let restore = try RestoreSession(
            try object(world.text), id: SessionID(trusted: "s"), limits: Limits(),
            work: WorkBudget())
        var restored = try restore.state(nextEntry: 1, app: world.app)
        if let app = world.app { restored = try restored.reconciled(with: app, work: WorkBudget()) }
        guard restored.state == world.session.state, restored.losses == Losses(),
            restore.settings == world.session.settings
        else { return "it is another session when it is restored" }
        var world = world
        return try world.restore(restored, restore.settings) == nil
            ? nil : "restoring what is there is a change"
    }
}

/// The guarded world with a way back from tab to tab, and commands about its tabs.
enum GuardedTabs {
    static func document(_ tabBack: TabBack) -> String {
        GuardedWorld.document.replacing(
            #""id":"guarded","#, with: #""id":"guarded","tabBack":"\#(tabBack.rawValue)","#)
    }

    static let all: [(CommandName, String)] =
        GuardedWorld.all + [
            (.setTabs, #"{"order":["b","c","a"]}"#),
            (.setTabs, #"{"hidden":["a"]}"#),
            (.setTabs, #"{"hidden":["b","c"]}"#),
            (.setTabs, #"{"hidden":[]}"#),
            (.back, #"{"count":3}"#),
            (.navigate, #"{"route":"x","in":"c","mark":"m"}"#),
            (.back, #"{"to":{"mark":"m"}}"#),
        ]

    static func commands() throws -> [CommandRequest] {
        try zip(all, read(all)).map { CommandRequest($1, body: try object($0.1)) }
    }
}
