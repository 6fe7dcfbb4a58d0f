@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

/// Questions of nodes to each other.
@Suite(.seeded) struct PeerTests {
    private static let ids = [SessionID(trusted: "a"), SessionID(trusted: "b")]
    private static let report = DisplayReport(
        id: ids[0], name: WatcherName(trusted: "lobby"), revision: 12)
    private static let questions: [PeerQuestion] = [
        .watchers(ids), .watchers([]), .watcherCounts(ids), .shown(report), .signal(signal),
        .signal(
            Signal(
                to: [], SignalContent(name: SignalName(trusted: "n")), at: 0,
                by: TokenName(trusted: "desk"))),
    ]
    private static let signal = Signal(
        to: ids,
        SignalContent(
            name: SignalName(trusted: "refresh"),
            data: Array(
                (String(repeating: "[", count: 40) + String(repeating: "]", count: 40)).utf8)),
        at: 1_795_225_000_412, by: nil)

    private func watcher(
        _ name: String? = nil, since: Milliseconds, shown: Int? = nil
    ) -> Watcher {
        Watcher(name: name.map { WatcherName(trusted: $0) }, since: since, shown: shown)
    }

    private func answer(_ watchers: [[Watcher]]) -> PeerAnswer {
        var answer = PeerAnswer()
        answer.watchers = watchers
        return answer
    }

    private func read(
        _ text: [UInt8], to question: PeerQuestion
    ) -> PeerMessage<PeerAnswer>? {
        PeerMembers(text[...]).flatMap { PeerMessage<PeerAnswer>($0, to: question) }
    }

    // MARK: Messages

    @Test(arguments: questions)
    func `a question is read as it was written`(question: PeerQuestion) {
        let message = PeerMessage(node: 0xabc, number: 7, content: question)
        #expect(PeerMessage<PeerQuestion>(message.text[...]) == message)
    }

    @Test func `an answer is read as it was written`() {
        let list = answer([[watcher("lobby", since: 5, shown: 12), watcher(since: 6)], []])
        var counts = PeerAnswer()
        counts.counts = [3, 0]
        var display = PeerAnswer()
        display.hasDisplay = true
        let parts: [(PeerQuestion, PeerAnswer)] = [
            (.watchers(Self.ids), list), (.watcherCounts(Self.ids), counts),
            (.shown(Self.report), display), (.shown(Self.report), PeerAnswer()),
            (.signal(Self.signal), counts),
        ]
        for (question, part) in parts {
            let text = PeerMessage(node: 9, number: 7, content: part).text(answering: question)
            #expect(read(text, to: question) == PeerMessage(node: 9, number: 7, content: part))
        }
    }

    @Test(arguments: [
        "", "{}", "[]", "0123456789abcdef", #"{"node":"1","number":1,"counts":[]}"#,
        #"{"node":"0123456789abcdef","number":-1,"counts":[]}"#,
        #"{"node":"0123456789ABCDEF","number":1,"counts":[]}"#,
        #"{"node":"0123456789abcdef","number":1}"#,
        #"{"node":"0123456789abcdef","number":1,"counts":[1]}"#,
        #"{"node":"0123456789abcdef","number":1,"counts":["a/b"]}"#,
        #"{"node":"0123456789abcdef","number":1,"watchers":"a"}"#,
        #"{"node":"0123456789abcdef","number":1,"shown":{"id":"a","as":"b"}}"#,
        #"{"node":"0123456789abcdef","number":1,"shown":{"id":"a","as":"","revision":1}}"#,
        #"{"node":"0123456789abcdef","number":1,"counts":["a"#,
    ])
    func `what is no question is ignored`(text: String) {
        #expect(PeerMessage<PeerQuestion>(Array(text.utf8)[...]) == nil)
    }

    @Test func `a question has at most 1,000 sessions`() {
        for count in [1_000, 1_001] {
            let ids = (0..<count).map { SessionID(trusted: "s\($0)") }
            let text = PeerMessage(node: 1, number: 1, content: .watchers(ids) as PeerQuestion).text
            #expect((PeerMessage<PeerQuestion>(text[...]) != nil) == (count == 1_000))
        }
    }

    @Test(arguments: [
        #""watchers":[[]]"#, #""watchers":[[],[],[]]"#, #""watchers":[[],{}]"#, #""counts":[1,1]"#,
        #""watchers":[[],[{}]]"#, #""watchers":[[],[{"since":-1}]]"#, #""display":true"#,
        #""watchers":[[],[{"since":1,"as":7}]]"#, #""watchers":[[],[{"since":1,"shown":"1"}]]"#,
    ])
    func `what is no answer to the question is ignored`(part: String) {
        let text = #"{"node":"0123456789abcdef","number":1,\#(part)}"#
        #expect(read(Array(text.utf8), to: .watchers(Self.ids)) == nil)
    }

    @Test func `a count that is too large to be added is no answer`() {
        for (count, isRead) in [(1 << 32 - 1, true), (1 << 32, false)] {
            let text = #"{"node":"0123456789abcdef","number":1,"counts":[0,\#(count)]}"#
            #expect((read(Array(text.utf8), to: .watcherCounts(Self.ids)) != nil) == isRead)
        }
    }

    @Test func `an answer has at most 2,000 watchers, and those with a name first`() throws {
        let crowd = (0..<3_000).map { watcher(since: Milliseconds($0)) }
        let (wall, roof) = (watcher("wall", since: 9_000, shown: 1), watcher("roof", since: 5))
        let question = PeerQuestion.watchers(Self.ids)
        let content = answer([crowd + [wall], [roof] + crowd])
        let text = PeerMessage(node: 1, number: 1, content: content).text(answering: question)
        #expect(text.count < 300 << 10)
        let lists = try #require(read(text, to: question)).content.watchers
        #expect(lists.map(\.count) == [1_999, 1])
        #expect(lists[0].first == wall && lists[1] == [roof])
    }

    // MARK: Questions

    private func text(_ number: Int, from other: UInt64) -> [UInt8] {
        let list = [watcher(since: Milliseconds(other))]
        return PeerMessage(node: other, number: number, content: answer([list, []]))
            .text(answering: .watchers(Self.ids))
    }

    private func told(_ rounds: [PeerRound]) -> [[UInt64: [Milliseconds]]] {
        rounds.map { $0.answers.mapValues { $0.watchers[0].map(\.since) } }
    }

    @Test func `a question is over when all have answered, or after half a second`() {
        var node = PeerQuestions(node: 1)
        _ = node.ask(.watchers(Self.ids), for: .loop, of: [2: 0, 3: 0], at: 0)
        #expect(node.deadline == 500)
        node.answered(text(1, from: 3)[...])
        // Nobody counts twice, and a node that was not known counts too.
        node.answered(text(1, from: 3)[...])
        node.answered(text(1, from: 4)[...])
        node.answered(text(2, from: 2)[...])
        #expect(!node.hasFinished)
        node.answered(text(1, from: 2)[...])
        #expect(told(node.takeRounds()) == [[2: [2], 3: [3], 4: [4]]])
        node.answered(text(1, from: 5)[...])
        #expect(!node.hasFinished)

        _ = node.ask(.watchers(Self.ids), for: .loop, of: [2: 900, 3: 900], at: 1_000)
        node.answered(text(2, from: 3)[...])
        node.expired(at: 1_499)
        #expect(!node.hasFinished)
        node.expired(at: 1_500)
        #expect(told(node.takeRounds()) == [[3: [3]]])
        #expect(node.deadline == .max)
    }

    @Test func `a node that owes an answer is waited for again when it was heard`() {
        var node = PeerQuestions(node: 1)
        let loaded = LoadedItems(token: 1, earlier: nil)
        let question = PeerQuestion.watchers(Self.ids)
        func isWhole() -> Bool? { node.takeFinished().last?.peers[question]?.isWhole }

        _ = node.ask(question, for: .request(loaded), of: [2: 0, 3: 0], at: 0)
        node.answered(text(1, from: 3)[...])
        node.expired(at: 500)
        #expect(isWhole() == false)
        _ = node.ask(question, for: .request(loaded), of: [2: 0, 3: 600], at: 700)
        node.answered(text(2, from: 3)[...])
        #expect(isWhole() == false, "nobody waits for the other, whose watchers are missing")
        _ = node.ask(question, for: .request(loaded), of: [2: 0], at: 800)
        #expect(node.deadline == 800)
        node.expired(at: 800)
        #expect(isWhole() == false)
        _ = node.ask(question, for: .request(loaded), of: [2: 900, 3: 900], at: 1_000)
        node.answered(text(4, from: 3)[...])
        #expect(!node.hasFinished)
        node.answered(text(4, from: 2)[...])
        #expect(isWhole() == true)
    }

    @Test func `a node does not answer itself`() throws {
        var node = PeerQuestions(node: 1)
        let own = node.ask(.shown(Self.report), for: .loop, of: [2: 0], at: 0)
        #expect(node.asked(own[...]) == nil)
        var other = PeerQuestions(node: 2)
        var asked: [PeerQuestion] = []
        other.respond = { question in
            asked.append(question)
            return PeerAnswer(to: question)
        }
        let reply = try #require(other.asked(own[...]))
        #expect(reply.node == 1 && asked == [.shown(Self.report)])
        node.answered(reply.text[...])
        #expect(node.takeRounds().map(\.answers) == [[2: PeerAnswer(to: .shown(Self.report))]])
    }

    // MARK: Nodes

    @Test func `requests have the answers of all other nodes`() throws {
        let world = try ModelWorld(nodes: 3)
        let list = (0..<3).map { [watcher("n\($0)", since: Milliseconds(10 - $0), shown: $0)] }
        var shown: [Int] = []
        for (index, node) in world.nodes.enumerated() {
            node.engine.answerPeers { question in
                var answer = PeerAnswer(to: question)
                switch question {
                case .watchers: answer.watchers[1] = list[index]
                case .watcherCounts, .signal: answer.counts[0] = index
                case .shown:
                    shown.append(index)
                    answer.hasDisplay = index == 2
                }
                return answer
            }
        }
        try world.wait("the nodes know each other") {
            world.nodes.allSatisfy { $0.engine.peers.count == 2 }
        }
        func answer(_ question: PeerQuestion, at node: Int) throws -> PeerAnswer {
            try world.ask(node) { engine throws(StoreError) in try engine.answer(to: question) }
        }
        #expect(try answer(.watchers(Self.ids), at: 0).watchers == [[], list[2] + list[1]])
        #expect(try answer(.watcherCounts(Self.ids), at: 1).counts == [2, 0])
        #expect(try answer(.shown(Self.report), at: 1).hasDisplay)
        #expect(try !answer(.shown(Self.report), at: 2).hasDisplay)
        #expect(shown.sorted() == [0, 0, 1, 2])
        // Outside of a request.
        world.nodes[0].engine.askPeers(.watcherCounts(Self.ids))
        var rounds: [PeerRound] = []
        try world.wait("an answer") {
            rounds += world.nodes[0].engine.takePeerRounds()
            return !rounds.isEmpty
        }
        #expect(rounds[0].answers.values.map(\.counts[0]).sorted() == [1, 2])
        #expect(Set(rounds[0].answers.keys) == world.nodes[0].engine.peers)
    }

    @Test func `a list that has got other sessions is not asked for again`() throws {
        let world = try ModelWorld(nodes: 2)
        world.nodes[1].engine.answerPeers { question in
            var answer = PeerAnswer(to: question)
            answer.counts = answer.counts.map { _ in 7 }
            return answer
        }
        try world.wait("the nodes know each other") {
            world.nodes.allSatisfy { $0.engine.peers.count == 1 }
        }
        var asked = 0
        let counts = try world.ask(0) { engine throws(StoreError) in
            asked += 1
            let ids = [SessionID(trusted: "new\(asked)"), Self.ids[0]]
            return try engine.answer(to: .watcherCounts(ids)).counts
        }
        #expect(asked == 2 && counts == [0, 7])
    }

    @Test func `a node alone asks nobody`() throws {
        let world = try ModelWorld(nodes: 1)
        let begun = world.servers.now
        let answer = try world.ask(0) { engine throws(StoreError) in
            try engine.answer(to: .watchers(Self.ids))
        }
        #expect(answer.watchers == [[], []] && world.servers.now == begun)
        #expect(world.nodes[0].engine.peers.isEmpty)
    }

    @Test func `a node that is new is known at once`() throws {
        let world = try ModelWorld(nodes: 2)
        try world.pass(3_000)
        try world.open()
        // Without an answer they would learn of it within a second.
        try world.wait(within: 900, "the nodes know each other") {
            world.nodes.allSatisfy { $0.engine.peers.count == 2 }
        }
    }
}
