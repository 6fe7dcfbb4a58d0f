import Navigation
import POSIX
import Sessions
import TestSupport
import Testing

@testable import Cluster

/// Writers on several nodes that change the same sessions, each as a request of the service would:
/// read the newest state, write the next one, and begin again after a conflict.
final class EngineRace {
    private struct Writer {
        let node: Int
        var session = ""
        var text = ""
        var ticket: Ticket?
        var revision = 0
        /// The token of what is being loaded.
        var token: UInt64?
        var loaded: (any LoadResult)?
    }

    private let world: EngineWorld
    private let sessions: [String]
    private var writers: [Writer]
    private var dice = SplitMix64()
    private var begun = 0
    private var kept: [(session: String, revision: Int, text: String)] = []
    private var unknown: Set<String> = []
    private var conflicts = 0
    private var goal = 0

    init(_ world: EngineWorld, sessions count: Int, writers writerCount: Int) {
        self.world = world
        sessions = (0..<count).map { "s\($0)" }
        writers = (0..<writerCount).map { Writer(node: $0 % world.nodes.count) }
    }

    func run(changes: Int) throws {
        goal = changes
        let deadline = Clock.monotonicMilliseconds + 3_000_000
        repeat {
            try #require(Clock.monotonicMilliseconds < deadline, "the changes came to no end")
            for index in writers.indices { try drive(index) }
            try world.turn()
        } while begun < goal || writers.contains { !$0.text.isEmpty }
    }

    private func drive(_ index: Int) throws {
        let node = world.nodes[writers[index].node]
        if let token = writers[index].token {
            guard let loaded = node.loaded.removeValue(forKey: token) else { return }
            writers[index].token = nil
            writers[index].loaded = loaded
        }
        if let ticket = writers[index].ticket {
            guard let outcome = node.outcomes.removeValue(forKey: ticket) else { return }
            writers[index].ticket = nil
            settle(index, outcome)
        }
        if writers[index].text.isEmpty {
            guard begun < goal else { return }
            begun += 1
            writers[index].session = dice.one(of: sessions)
            writers[index].text = "\(begun)"
        }
        try write(index, on: node)
    }

    private func write(_ index: Int, on node: EngineNode) throws {
        let writer = writers[index]
        do throws(StoreError) {
            try node.engine.with(writer.loaded) { () throws(StoreError) in
                let record = try EngineWorld.next(
                    writer.session, writer.text, key: nil, in: node.engine)
                let version = try node.engine.proposer.put([record], of: nil, details: .none)
                writers[index].ticket = version.ticket
                writers[index].revision = record.revision
            }
            writers[index].loaded = nil
        } catch {
            guard case .notInMemory(let requests) = error else {
                // It could not be read in time. Nothing was written.
                try #require(error == .unavailable)
                writers[index].loaded = nil
                return
            }
            writers[index].token = node.load(requests, earlier: writer.loaded)
        }
    }

    private func settle(_ index: Int, _ outcome: TicketOutcome) {
        let writer = writers[index]
        switch outcome {
        case .kept: kept.append((writer.session, writer.revision, writer.text))
        case .conflict:
            conflicts += 1
            return
        case .unknown: unknown.insert(writer.text)
        case .refused: break
        }
        writers[index].text = ""
    }

    /// Compares what was acknowledged with what a new node reads, and with what every node has
    /// announced.
    func check() throws {
        let fresh = try world.addNode()
        let now = Clock.realtimeMilliseconds
        var lost = 0
        for session in sessions {
            let mine = kept.filter { $0.session == session }
            let newest = mine.map(\.revision).max() ?? 0
            let stored = try world.ask(fresh) { engine throws(StoreError) in
                guard let handle = try engine.reader.find(SessionID(trusted: session), now: now)
                else { return [Int: String]() }
                let last = engine.reader.summary(handle).revision
                var stored: [Int: String] = [:]
                for revision in max(1, last - 127)...last {
                    guard let found = try engine.reader.revision(revision, of: handle) else {
                        continue
                    }
                    stored[revision] = String(decoding: found.record.state, as: UTF8.self)
                }
                return stored
            }
            #expect(stored.keys.max() ?? 0 >= newest)
            let first = stored.keys.min() ?? 0
            for change in mine where change.revision >= first {
                if stored[change.revision] != change.text { lost += 1 }
            }
            #expect(Set(mine.map(\.revision)).count == mine.count, "a revision was made twice")
            for node in world.nodes.dropLast() {
                let last = stored.keys.max() ?? 0
                _ = try world.wait { node.announced[session]?.last ?? 0 >= last ? true : nil }
                let expected = last > 0 ? Array(1...last) : []
                #expect(node.announced[session] ?? [] == expected)
            }
        }
        print("kept \(kept.count), conflicts \(conflicts), unknown \(unknown.count), lost \(lost)")
        #expect(lost == 0)
        #expect(kept.count * 2 > goal)
    }
}
