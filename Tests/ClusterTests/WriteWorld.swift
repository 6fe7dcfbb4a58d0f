@testable import Cluster
import JSON
import NATS
import Navigation
import POSIX
import TestSupport
import Testing

/// Two nodes that change the same sessions on real servers.
final class WriteWorld {
    /// The purpose of a request.
    enum Purpose: Sendable {
        case createStream
        case write(Int)
        case lookUp(Int)
        case newest(Int)
        case message(Int)
    }

    /// One change on its way, of one of the writers.
    struct Writer {
        let node: Int
        var session: SessionID
        var write: ConditionalWrite?
    }

    struct Stored {
        let sequence: Int
        let subject: String
        let previous: Int
        let writer: WriteID
    }

    let layout: StoreLayout
    let stream: SubjectToken
    let sessions: [SessionID]
    private let epoll: Epoll
    private var nodes: [RequestLink<Purpose>] = []
    private var writers: [Writer] = []
    private var dice: SplitMix64
    private var changes: UInt64 = 0
    private var decided: [(id: WriteID, subject: String, ConditionalWrite.Decision)] = []
    private var replies: [(Purpose, Message)] = []
    private let deadline: Int64

    init(_ address: StoreAddress, _ layout: StoreLayout, dice: SplitMix64) throws {
        self.layout = layout
        self.dice = dice
        stream = layout.stream(0)
        sessions = try (0..<40).map { try #require(SessionID("s\($0)")) }
        epoll = try Epoll()
        deadline = Clock.monotonicNanoseconds / 1_000_000 + 3_000_000
        for node in 0..<2 {
            let state = LinkState(
                ServerList(address.servers, random: UInt64(node)),
                ConnectOptions(credentials: address.credentials, name: "n\(node)", version: "1"),
                at: now)
            var linkDice = SplitMix64(seed: self.dice.next())
            nodes.append(
                RequestLink(
                    state, over: Route(epoll: epoll, token: UInt64(node)),
                    name: try SubjectToken("\(layout.prefix.text)n\(node)"), countMax: 1_000,
                    random: { linkDice.next() }))
        }
    }

    private var now: Int64 { Clock.monotonicNanoseconds / 1_000_000 }

    func createStream() throws {
        let config = StreamConfig(
            name: stream, subjects: [layout.subjects(0)], replicas: 3, messagesPerSubjectMax: 128,
            messageBytesMax: 1 << 20)
        while true {
            for (purpose, message) in replies {
                guard case .createStream = purpose else { continue }
                guard case .value = try message.answer(as: StreamInfo.self) else { continue }
                replies = []
                return
            }
            replies = []
            if nodes[0].waitingCount == 0 {
                nodes[0].request(
                    JetStreamAPI.streamCreate(stream), payload: config.body,
                    context: .createStream, deadline: now + 5_000)
            }
            try turn()
        }
    }

    /// Lets the writers change sessions until so many changes are decided.
    func change(count: Int, writers writerCount: Int) throws {
        writers = (0..<writerCount).map { Writer(node: $0 % 2, session: dice.one(of: sessions)) }
        while decided.count < count || writers.contains(where: { $0.write != nil }) {
            for index in writers.indices { try drive(index, mayBegin: decided.count < count) }
            try turn()
            let taken = replies
            replies = []
            for (purpose, message) in taken { try take(purpose, message) }
        }
    }

    private func drive(_ index: Int, mayBegin: Bool) throws {
        guard let action = writers[index].write?.expired(at: now) else {
            if mayBegin { begin(index) }
            return
        }
        obey(action, index)
    }

    /// Asks for the newest record of a session, to change it then.
    private func begin(_ index: Int) {
        writers[index].session = dice.one(of: sessions)
        // The write has not begun; this one only stands for the writer's place.
        writers[index].write = ConditionalWrite(
            WriteID(node: 0, number: 0), after: -1, deadline: now + 10_000, at: .max)
        let query = MessageQuery.last(layout.subject(of: writers[index].session))
        ask(query, .newest(index), of: index)
    }

    private func ask(_ query: MessageQuery, _ purpose: Purpose, of index: Int) {
        let isSent = nodes[writers[index].node].request(
            JetStreamAPI.messageGet(stream), payload: query.body, context: purpose,
            deadline: now + 1_500)
        if !isSent { fail(purpose, wasSent: false) }
    }

    private func obey(_ action: ConditionalWrite.Action, _ index: Int) {
        guard let write = writers[index].write else { return }
        switch action {
        case .none: break
        case .publish:
            let isSent = nodes[writers[index].node].request(
                layout.subject(of: writers[index].session),
                headers: [.expectedLastSequence(write.expected)],
                payload: Array("\(write.id.text) \(write.expected)".utf8),
                context: .write(index), deadline: now + 1_500)
            if !isSent { fail(.write(index), wasSent: false) }
        case .lookUp(let after):
            let subject = layout.subject(of: writers[index].session)
            ask(.next(SubjectFilter(subject), from: after + 1), .lookUp(index), of: index)
        case .decide(let decision):
            decided.append((write.id, layout.subject(of: writers[index].session).text, decision))
            writers[index].write = nil
        }
    }

    private func fail(_ purpose: Purpose, wasSent: Bool) {
        switch purpose {
        case .createStream, .message: break
        case .newest(let index): writers[index].write = nil
        case .write(let index), .lookUp(let index):
            let random = dice.next()
            if wasSent {
                writers[index].write?.unanswered(at: now, random: random)
            } else {
                writers[index].write?.notSent(at: now, random: random)
            }
        }
    }

    private func take(_ purpose: Purpose, _ message: Message) throws {
        switch purpose {
        case .createStream, .message: break
        case .newest(let index):
            let number: Int
            switch try? message.answer(as: StoredMessage.self) {
            case .value(let stored): number = stored.sequence
            case .refused(let error) where error.kind == .messageNotFound: number = 0
            default:
                writers[index].write = nil
                return
            }
            changes += 1
            writers[index].write = ConditionalWrite(
                WriteID(node: UInt64(writers[index].node + 1), number: changes), after: number,
                deadline: now + 30_000, at: now)
        case .write(let index):
            guard let answer = try? message.publishAck() else {
                return fail(purpose, wasSent: true)
            }
            let action = writers[index].write?.answered(
                answer, from: stream, at: now, random: dice.next())
            if let action { obey(action, index) }
        case .lookUp(let index):
            let found: ConditionalWrite.Successor
            switch try? message.answer(as: StoredMessage.self) {
            case .value(let stored):
                let read = Self.read(stored)
                found = .record(
                    sequence: stored.sequence, previous: read?.previous ?? -1,
                    writer: read?.writer)
            case .refused(let error) where error.kind == .messageNotFound: found = .none
            default: return fail(purpose, wasSent: true)
            }
            let action = writers[index].write?.found(found, at: now, random: dice.next())
            if let action { obey(action, index) }
        }
    }

    private static func read(_ message: StoredMessage) -> Stored? {
        let words = message.payload.split(separator: 0x20)
        guard words.count == 2, let writer = WriteID(words[0]),
            let previous = Int(String(decoding: words[1], as: UTF8.self))
        else { return nil }
        return Stored(
            sequence: message.sequence, subject: message.subject.text, previous: previous,
            writer: writer)
    }

    /// Sends what waits, and takes what has come.
    private func turn() throws {
        try #require(now < deadline, "the changes came to no end")
        var next = now + 20
        for node in nodes {
            take(node.flush(at: now))
            next = min(next, node.deadline)
        }
        for writer in writers { next = min(next, writer.write?.wakesAt ?? .max) }
        var events: [Epoll.Event] = []
        try epoll.wait(into: &events, timeoutMilliseconds: Int(max(0, next - now)))
        for event in events { take(nodes[Int(event.token)].happened(at: now)) }
        for node in nodes { take(node.expired(at: now)) }
    }

    private func take(_ events: [RequestEvent<Purpose>]) {
        for event in events {
            switch event {
            case .ready, .message, .closed: break
            case .warning(let text): Issue.record("\(text)")
            case .reply(let purpose, let message):
                for node in nodes { node.finish(with: message) }
                replies.append((purpose, message))
            case .unanswered(let purpose): fail(purpose, wasSent: true)
            }
        }
    }

    /// Reads all messages of the stream by their numbers, through a link of its own.
    ///
    /// A leader that has just been elected may be behind what was acknowledged, so the log ends
    /// only after the last message that was kept, or when a minute is over.
    func readLog() throws -> [Stored] {
        var log: [Stored] = []
        var next = 1
        let (last, end) = (lastKept, now + 60_000)
        while true {
            if nodes[1].waitingCount == 0 {
                let query = MessageQuery.next(layout.subjects(0), from: next)
                nodes[1].request(
                    JetStreamAPI.messageGet(stream), payload: query.body, context: .message(next),
                    deadline: now + 1_500)
            }
            try turn()
            let taken = replies
            replies = []
            for (_, message) in taken {
                switch try? message.answer(as: StoredMessage.self) {
                case .value(let stored):
                    log.append(try #require(Self.read(stored)))
                    next = stored.sequence + 1
                case .refused(let error)
                where error.kind == .messageNotFound && (next > last || now > end):
                    return log
                default: break
                }
            }
        }
    }

    private var lastKept: Int {
        decided.reduce(0) { last, decided in
            guard case .kept(let sequence) = decided.2 else { return last }
            return max(last, sequence)
        }
    }

    func check(_ log: [Stored]) {
        var (count, last): ([WriteID: Int], [String: Int]) = ([:], [:])
        for record in log {
            count[record.writer, default: 0] += 1
            // Each subject keeps 128 messages, so the first one that is left follows a lost one.
            if let last = last[record.subject] { #expect(record.previous == last) }
            last[record.subject] = record.sequence
        }
        #expect(count.values.allSatisfy { $0 == 1 }, "a record is stored twice")
        let first = Dictionary(log.map { ($0.subject, $0.sequence) }) { first, _ in first }
        var totals = (kept: 0, conflict: 0, refused: 0, unknown: 0)
        for (id, subject, decision) in decided {
            switch decision {
            case .kept(let sequence):
                totals.kept += 1
                let isDiscarded = sequence < first[subject] ?? .max
                #expect(isDiscarded || count[id] == 1, "\(id.text) was lost")
            case .conflict:
                totals.conflict += 1
                #expect(count[id] == nil, "\(id.text) is stored")
            case .refused:
                totals.refused += 1
                #expect(count[id] == nil, "\(id.text) is stored")
            case .unknown: totals.unknown += 1
            }
        }
        print("\(totals) of \(decided.count), \(log.count) in the stream")
        #expect(totals.kept * 2 > decided.count)
    }
}
