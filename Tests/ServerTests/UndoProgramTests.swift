import JSON
import Navigation
import POSIX
import TestSupport
import Testing

/// The statements of a session, by a model that knows nothing of revisions and records: three lists
/// of states.
struct UndoModel {
    static let stepsMax = 32

    var now: String
    /// The next step is the last of each.
    var undo: [String] = []
    var redo: [String] = []
    /// A damaged log may have lost some of the steps, but not the others.
    var mayLack = false

    mutating func change(to state: String) {
        undo.append(now)
        if undo.count > Self.stepsMax { undo.removeFirst() }
        redo = []
        now = state
    }

    mutating func goBack(_ count: Int) { Self.go(count, &now, &undo, &redo) }
    mutating func goForward(_ count: Int) { Self.go(count, &now, &redo, &undo) }

    private static func go(
        _ count: Int, _ now: inout String, _ from: inout [String], _ to: inout [String]
    ) {
        for _ in 0..<count {
            to.append(now)
            now = from.removeLast()
        }
    }
}

/// A random program over a few sessions, each answer compared with the model.
final class UndoProgram {
    let server: ServiceOnDisk
    var generator: SplitMix64
    /// By session, the model after each of its revisions.
    private var lives: [String: [UndoModel]] = [:]
    /// By name, the session of that name that is used now.
    private var ids: [String: String] = [:]
    private var number = 0
    /// The trace of the program, for the message of a failure.
    private var trace: [String] = []
    private static let names = ["a", "b", "c"]

    init(_ generator: SplitMix64) throws {
        server = try ServiceOnDisk()
        self.generator = generator
    }

    func run(turns: Int) throws {
        for name in Self.names { try create(name) }
        for _ in 0..<turns {
            let name = generator.one(of: Self.names)
            let times = generator.one(of: [1, 1, 1, 2, 3, 8, 20, 34])
            switch generator.below(41) {
            case 0..<8: try repeatedly(times) { try change(name) }
            case 8..<13: try go("undo", name)
            case 13..<17: try go("redo", name)
            case 17..<20: try repeatedly(times) { try go("undo", name) }
            case 20..<22: try repeatedly(times) { try go("redo", name) }
            case 22..<27: try repeatedly(times) { try set(name) }
            case 27..<32:
                try repeatedly(times) {
                    try change(name)
                    try go("undo", name, count: 1)
                }
            case 32..<35: try goFar(name)
            case 35: try nothing(name)
            case 36, 37: try server.settle()
            case 38: try restart()
            case 39: try damage()
            default: try create(name)
            }
            for name in Self.names { try look(name) }
        }
    }

    /// Steps that lie further back than the records that are kept anyway.
    private func goFar(_ name: String) throws {
        try repeatedly(1 + generator.below(3)) { try change(name) }
        try repeatedly(generator.below(4)) {
            try change(name)
            try go("undo", name, count: 1)
        }
        try go("undo", name, count: 1 + generator.below(2))
        try repeatedly(generator.below(3)) { try set(name) }
        let times = 20 + generator.below(15)
        let isSetting = generator.oneIn(4)
        try repeatedly(times) { isSetting ? try set(name) : try change(name) }
        try go("undo", name)
        try go("undo", name, count: 40)
        try go("redo", name)
        try go("redo", name, count: 40)
    }

    private func repeatedly(_ times: Int, _ body: () throws -> Void) throws {
        for _ in 0..<times { try body() }
    }

    private func path(_ name: String) -> String { "/v1/sessions/\(ids[name] ?? name)" }

    private func model(_ name: String) throws -> UndoModel { try #require(lives[name]?.last) }

    // MARK: - Changes

    private func create(_ name: String) throws {
        trace.append("\(name) create")
        try server.call("DELETE", path(name))
        number += 1
        ids[name] = "\(name)\(number)"
        let body = #"{"id":"\#(name)\#(number)","tabs":["x","y"]}"#
        let answer = try server.call("POST", "/v1/sessions", body)
        lives[name] = [UndoModel(now: answer.navigation)]
    }

    /// A change of the navigation, by a command or by a whole state.
    private func change(_ name: String) throws {
        number += 1
        let answer: ServiceOnDisk.Answer
        switch generator.below(5) {
        case 0:
            trace.append("\(name) navigate")
            let body = #"{"route":"r","params":{"n":\#(number)},"mode":"reset"}"#
            answer = try server.call("POST", path(name) + "/navigate", body)
        case 1:
            trace.append("\(name) PUT")
            let body = #"{"tabs":[{"id":"x","badge":\#(number)}],"labels":{"put":"\#(number)"}}"#
            answer = try server.call("PUT", path(name), body)
        default:
            trace.append("\(name) setBadge")
            let body = #"{"tab":"x","badge":\#(number)}"#
            answer = try server.call("POST", path(name) + "/setBadge", body)
        }
        var model = try model(name)
        model.change(to: answer.navigation)
        try take(model, name, answer)
    }

    /// A change of settings: no step of undo, and the end of redo.
    private func set(_ name: String) throws {
        number += 1
        trace.append("\(name) PATCH")
        let body = #"{"labels":{"set":"\#(number)"}}"#
        let answer = try server.call("PATCH", path(name), body)
        var model = try model(name)
        model.redo = []
        try take(model, name, answer)
    }

    /// A command that changes nothing is nothing to undo either.
    private func nothing(_ name: String) throws {
        trace.append("\(name) nothing")
        let answer = try server.call("POST", path(name) + "/dismiss")
        #expect(answer["changed"] == .bool(false))
        try server.call("POST", path(name) + "/undo?dryRun=true")
        try server.call("PATCH", path(name), "{}")
    }

    private func go(_ way: String, _ name: String, count given: Int? = nil) throws {
        let count =
            given ?? generator.one(of: [1, 1, 1, 2, 3, 7, 31, 32, 33, 40])
        trace.append("\(name) \(way) \(count)")
        let answer = try server.call(
            "POST", path(name) + "/\(way)", #"{"count":\#(count)}"#)
        #expect(answer.status == 200, "\(answer.text)")
        var model = try model(name)
        let there = way == "undo" ? model.undo.count : model.redo.count
        let steps = answer[way == "undo" ? "undone" : "redone"]?.wholeNumber ?? -1
        let most = min(count, there)
        let isRight = steps == most || model.mayLack && (0..<most).contains(steps)
        #expect(isRight, "\(way) of \(count) took \(steps) of \(there) steps: \(story)")
        guard isRight, steps > 0 else {
            #expect(answer["reason"] == .string("nothing-to-\(way)"))
            return
        }
        if way == "undo" { model.goBack(steps) } else { model.goForward(steps) }
        #expect(answer.navigation == model.now, "\(way) of \(count): \(story)")
        if model.mayLack {
            if way == "undo", answer.flag("canUndo") == false { model.undo = [] }
            if way == "redo", answer.flag("canRedo") == false { model.redo = [] }
        }
        try take(model, name, answer)
    }

    private func take(
        _ model: UndoModel, _ name: String, _ answer: ServiceOnDisk.Answer
    ) throws {
        #expect(answer.status == 200, "\(answer.text)")
        lives[name]?.append(model)
        #expect(answer.session["revision"]?.wholeNumber == lives[name]?.count, "\(story)")
    }

    // MARK: - Looking

    private func look(_ name: String) throws {
        let model = try model(name)
        let answer = try server.call("GET", path(name))
        #expect(answer.navigation == model.now, "\(story)")
        guard !model.mayLack else { return }
        #expect(answer.flag("canUndo") == !model.undo.isEmpty, "\(story)")
        #expect(answer.flag("canRedo") == !model.redo.isEmpty, "\(story)")
    }

    private var story: String { trace.suffix(120).joined(separator: ", ") }

    // MARK: - Restarts

    private func restart() throws {
        trace.append("restart")
        try server.restart()
    }

    /// One record anywhere in the log is lost, and the store goes on without it. A session whose
    /// newest it was is what it was before.
    private func damage() throws {
        trace.append("damage")
        try server.settle()
        try server.restart(recovering: true) { log in try spoilOneLine(in: log) }
        for name in Self.names {
            let answer = try server.call("GET", path(name))
            let revision = answer["revision"]?.wholeNumber ?? 0
            guard revision > 0, let life = lives[name] else {
                #expect(answer.status == 404)
                try create(name)
                continue
            }
            lives[name] = life.prefix(revision).map { model in
                var model = model
                model.mayLack = true
                return model
            }
        }
    }

    private func spoilOneLine(in log: String) throws {
        let names = try Directory.names(log).sorted()
        let files = try names.map { ($0, try FileDescriptor.contents(of: "\(log)/\($0)")) }
        var places: [(file: Int, place: Int)] = []
        for (index, (_, bytes)) in files.enumerated() {
            var start = 0
            while let end = bytes[start...].firstIndex(of: 0x0A) {
                if bytes[start..<end].starts(with: Array("{\"n\":".utf8)), end - start > 200 {
                    places.append((index, start + 100))
                }
                start = end + 1
            }
        }
        guard !places.isEmpty else { return }
        let (index, place) = generator.one(of: places)
        var bytes = files[index].1
        bytes[place] ^= 1
        let file = try FileDescriptor.open("\(log)/\(files[index].0)", [.writeOnly, .truncate])
        try file.writeAll(bytes)
    }
}

extension ServiceOnDisk.Answer {
    var session: ServiceOnDisk.Answer {
        self["session"].map { ServiceOnDisk.Answer(status: status, json: $0, text: text) } ?? self
    }

    /// The part of a session that undo brings back.
    var navigation: String {
        ["selectedTab", "tabs", "sheets"].map { session[$0]?.text ?? "-" }.joined(separator: " ")
    }

    func flag(_ name: String) -> Bool? {
        if case .bool(let flag)? = session[name] { flag } else { nil }
    }
}

@Suite struct UndoProgramTests {
    @Test(.seeded, arguments: SplitMix64.worlds(8))
    func `undo and redo do what lists of states do, over restarts and damage`(
        round: Int
    ) throws {
        try UndoProgram(SplitMix64(stream: UInt64(round))).run(turns: 150)
    }
}
