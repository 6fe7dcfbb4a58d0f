import Bytes
import JSON
import Navigation

/// An app of two tabs, two routes and two sheets, and the commands that programs on it are made of.
enum SmallWorld {
    static let document = #"""
        {"id":"small",
         "routes":{
          "x":{"params":{"type":"object","properties":{"n":{"type":"integer"}}}},
          "y":{"hidesTabBar":true},
          "s":{"presentation":"sheet","routes":["x"]},
          "t":{"presentation":"any"}},
         "tabs":[{"id":"a","root":"home","routes":["x","y"]},{"id":"b","routes":["x","t"]}],
         "links":[
          {"pattern":"app://x/{n}","tab":"a","path":["y",{"route":"x","params":{"n":"{n}"}}]},
          {"pattern":"app://s","tab":"b","path":[],"present":{"route":"s","path":["x"]}}]}
        """#

    /// Every kind of command, with most of what it can be told.
    static let all: [(CommandName, String)] = [
        (.navigate, #"{"route":"x"}"#),
        (.present, #"{"route":"s","tag":"one"}"#),
        (.back, "{}"),
        (.undo, "{}"),
        (.navigate, #"{"route":"y","in":"a","sheets":"dismiss"}"#),
        (.present, #"{"route":"t","style":"fullScreenCover","dismissible":false}"#),
        (.select, #"{"tab":"b"}"#),
        (.redo, "{}"),
        (.open, #"{"url":"app://x/1"}"#),
        (.setParams, #"{"params":{"n":2}}"#),
        (.batch, #"{"commands":[{"command":"navigate","route":"x"},{"command":"back"}]}"#),
        (.dismiss, "{}"),
        // Those above are the alphabet of the short programs.
        (.navigate, #"{"route":"x","params":{"n":1},"mode":"single"}"#),
        (.navigate, #"{"route":"x","params":{"n":2},"mode":"popTo"}"#),
        (.navigate, #"{"route":"x","mode":"toFront"}"#),
        (.navigate, #"{"route":"x","mode":"replace"}"#),
        (.navigate, #"{"route":"x","mode":"reset","in":"b"}"#),
        (.navigate, #"{"route":"t","in":"b","sheets":"reject"}"#),
        (.back, #"{"count":3}"#),
        (.back, #"{"count":2,"within":"path"}"#),
        (.back, #"{"to":{"route":"x"}}"#),
        (.back, #"{"to":{"route":"s"},"inclusive":true}"#),
        (.back, #"{"to":{"entry":"e1"}}"#),
        (.back, #"{"to":{"entry":"e2"},"inclusive":true}"#),
        (.root, "{}"),
        (.root, #"{"scope":"path"}"#),
        (.root, #"{"scope":"all"}"#),
        (.present, #"{"route":"t","path":[{"route":"x"},{"route":"y"}]}"#),
        (.dismiss, #"{"force":true}"#),
        (.dismiss, #"{"tag":"one"}"#),
        (.dismiss, #"{"all":true,"force":true}"#),
        (.select, #"{"tab":"a","reselect":"none","sheets":"dismiss"}"#),
        (.select, #"{"tab":"a"}"#),
        (.open, #"{"url":"app://s"}"#),
        (.open, #"{"url":"app://s","sheets":"keep"}"#),
        (.setPath, #"{"in":"a","path":[{"route":"x"},{"route":"y"}]}"#),
        (.setPath, #"{"in":"a","path":[{"route":"x","id":"e1"}]}"#),
        (.setParams, #"{"entry":"e1","params":{"n":null}}"#),
        (.setBadge, #"{"tab":"b","badge":1}"#),
        (.setBadge, #"{"tab":"b","badge":null}"#),
        (.undo, #"{"count":2}"#),
        (.redo, #"{"count":2}"#),
        (
            .batch,
            #"{"commands":[{"command":"present","route":"s"},{"command":"navigate","route":"x"}]}"#
        ),
    ]

    static let alphabet = 12

    static func commands() throws -> [Command] { try read(all) }

    static func world() throws -> World { try World(app: app(document)) }
}

/// The commands of such a list.
func read(_ list: [(CommandName, String)]) throws -> [Command] {
    try list.map { name, body in
        try Command(name, body: object(body), limits: Limits(), work: WorkBudget())
    }
}

/// A world in which every step is looked at from all sides.
struct CheckedWorld {
    private(set) var world: World
    /// The route of each id that ever was.
    private var meanings: [EntryID: RouteName] = [:]

    init(_ world: World) {
        self.world = world
    }

    /// Takes the step; returns what was wrong with it, or nil.
    mutating func step(_ command: Command) -> String? {
        step(CommandRequest(command, body: JSONObject()))
    }

    /// Does the same for a command with its members in a request.
    mutating func step(_ asked: CommandRequest) -> String? {
        let command = asked.command
        guard let trial = try? world.trial(asked) else { return nil }
        guard trial.answer.changed else {
            guard trial.session == world.session else { return "something changed" }
            return nothingFlaw(asked, trial.answer)
        }
        let before = world.session
        world.adopt(trial)
        return changeFlaw(command, before, trial.answer) ?? world.flaw
    }

    /// A command to which lenient handling answers with a reason is refused by strict handling with
    /// it.
    private func nothingFlaw(_ asked: CommandRequest, _ answer: Answer) -> String? {
        guard let reason = answer.reason else { return "nothing changed, for no reason" }
        guard answer.added.isEmpty, answer.removed.isEmpty else { return "something changed" }
        do throws(RejectionError) {
            _ = try world.trial(asked, strict: true)
            return "strict handling has something to do"
        } catch {
            if reason == .held, error.problem == "guarded" { return nil }
            return error == .nothingToDo(reason) || error.index != nil
                ? nil : "strict handling says \(error), lenient \(reason)"
        }
    }

    private mutating func changeFlaw(
        _ command: Command, _ before: Session, _ answer: Answer
    ) -> String? {
        let session = world.session
        guard answer.reason == nil else { return "a change has a reason" }
        guard session.revision == before.revision + 1 else { return "not the next revision" }
        guard session.nextEntry >= before.nextEntry else { return "the counter went back" }
        let old = before.state.ids
        let new = session.state.ids
        guard answer.added == new.filter({ !old.contains($0) }) else { return "added is wrong" }
        guard answer.removed == old.filter({ !new.contains($0) }) else { return "removed is wrong" }
        if case .popped(let count, _) = answer.extra, count != answer.removed.count {
            return "popped is wrong"
        }
        return idFlaw(command, before, answer)
    }

    /// An id never stands for another screen, and a new one comes from the counter.
    private mutating func idFlaw(
        _ command: Command, _ before: Session, _ answer: Answer
    ) -> String? {
        for screen in world.session.state.screens {
            let meaning = meanings[screen.id] ?? screen.route
            guard meaning == screen.route else { return "\(screen.id) was used again" }
            meanings[screen.id] = meaning
        }
        switch command {
        case .undo, .redo: return nil
        default:
            return answer.added.allSatisfy { $0.number >= before.nextEntry }
                ? nil : "an old id came back"
        }
    }
}

extension NavigationState {
    /// All entries and sheets.
    var screens: [Entry] {
        tabs.flatMap(\.path) + sheets.flatMap { [$0.root] + $0.path }
    }
}
