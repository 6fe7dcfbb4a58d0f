@testable import Cluster
@testable import ClusterModel
import NATS
import Navigation
import Sessions
import Testing

// A service's use of a store, in short.

extension ModelWorld {
    static func id(_ text: String) throws -> SessionID { try #require(SessionID(text)) }

    /// The next revision of a session, or its first one.
    func record(
        _ id: SessionID, after last: SessionRecord? = nil, _ state: String = "{}",
        expiresIn time: Milliseconds? = nil
    ) -> SessionRecord {
        let revision = (last?.revision ?? 0) + 1
        return SessionRecord(
            id: id, revision: revision, at: wall, expiresAt: time.map { wall + $0 },
            undoing: UndoStacks(steps: 0, before: revision), nextEntry: 1,
            event: Array("event \(revision)".utf8), state: Array(state.utf8))
    }

    /// Writes the next revision of a session, or its first one.
    func put(
        _ id: SessionID, at node: Int, _ state: String = "{}",
        expiresIn time: Milliseconds? = nil, steps: String? = nil
    ) throws -> Ticket {
        let version = try ask(node) { engine throws(StoreError) in
            let handle = try engine.reader.find(id, now: wall)
            let last = try handle.map { handle throws(StoreError) in
                try engine.reader.newest(handle)
            }
            let next = record(id, after: last?.record, state, expiresIn: time)
            let details = steps.map { FeedDetails.records(steps: [next.revision: Array($0.utf8)]) }
            return try engine.proposer.put([next], of: handle, details: details ?? .none)
        }
        return version.ticket
    }

    /// Writes the next revision of a session, which must be kept.
    func change(_ id: SessionID, at node: Int = 0, _ state: String = "{}") throws {
        #expect(try outcome(put(id, at: node, state), at: node) == .kept)
    }

    /// Ends all links, and lets no consumer be created after that.
    func silenceFeeds() throws {
        servers.plan = (0..<200).map { _ in ("CONSUMER.CREATE", .noResponders) }
        servers.breakLinks()
        try pass(1_000)
    }

    func delete(
        _ id: SessionID, at node: Int, author: String? = nil, key: IdempotencyKey? = nil
    ) throws -> Ticket {
        let author = author.flatMap { TokenName($0) }
        return try ask(node) { engine throws(StoreError) in
            guard let handle = try engine.reader.find(id, now: wall) else { return .none }
            return try engine.proposer.delete(handle, at: wall, key: key, author: author)
        }
    }

    /// The newest record of a session as a node shows it.
    func newest(_ id: SessionID, at node: Int) throws -> StoredRecord? {
        try ask(node) { engine throws(StoreError) in
            guard let handle = try engine.reader.find(id, now: wall) else { return nil }
            return try engine.reader.newest(handle)
        }
    }

    func state(_ id: SessionID, at node: Int) throws -> String? {
        let stored = try newest(id, at: node)
        return stored.map { String(decoding: $0.record.state, as: UTF8.self) }
    }

    /// The stream of a session.
    func stream(of id: SessionID) -> ModelStream? {
        servers.streams[layout.stream(layout.shard(of: id)).text]
    }

    /// All messages of a session that were ever stored, as records.
    func log(of id: SessionID) throws -> [NumberedRecord] {
        let stream = try #require(self.stream(of: id))
        let subject = layout.subject(of: id).text
        let indices = stream.indices[subject] ?? []
        var known = records[id] ?? []
        for message in indices[known.count...].map({ stream.log[$0] }) {
            known.append(
                NumberedRecord(
                    number: message.sequence, record: try SharedRecord(message.payload[...])))
        }
        records[id] = known
        return known
    }
}

/// A change as text: what it is, the revision, and the number of its message.
struct ToldChange: Equatable, CustomStringConvertible {
    let kind: String
    let revision: Int
    let sequence: SequenceNumber

    var description: String { "\(kind) \(revision) @\(sequence)" }

    init(_ kind: String, _ revision: Int, _ sequence: SequenceNumber) {
        (self.kind, self.revision, self.sequence) = (kind, revision, sequence)
    }

    init(_ change: StoreChange) {
        switch change {
        case .put(let put):
            self.init(put.followsGap ? "put after a gap" : "put", put.revision, put.sequence)
        case .deleted(let end): self.init(end.why.rawValue, end.revision, end.sequence)
        }
    }
}

extension StoreChange {
    var id: SessionID {
        switch self {
        case .put(let put): put.id
        case .deleted(let deletion): deletion.id
        }
    }
}

extension ModelWorld {
    /// The announcements of a node about a session.
    func told(_ id: SessionID, at node: Int) -> [ToldChange] {
        nodes[node].changes.filter { $0.id == id }.map(ToldChange.init)
    }

    /// The announcements that a node owes about a session: the changes since it was opened.
    func toBeTold(_ id: SessionID, at node: Int) throws -> [ToldChange] {
        var told: [ToldChange] = []
        var last: SharedRecord?
        let opened = nodes[node].openedAt[layout.stream(layout.shard(of: id)).text] ?? 0
        for entry in try log(of: id) {
            let place = StreamPlace(shard: layout.shard(of: id), number: entry.number)
            var own: [ToldChange] = []
            switch entry.record.content {
            case .revision(let revision):
                // The id of an expired session was used again.
                if let last, case .revision(let former) = last.content,
                    last.born != entry.record.born
                {
                    own.append(ToldChange("expired", former.revision, place.sequence))
                }
                own.append(ToldChange("put", revision.revision, place.sequence))
            case .end(let end):
                own.append(ToldChange(end.why.rawValue, end.revision, place.sequence))
            }
            if entry.number > opened { told += own }
            last = entry.record
        }
        return told
    }
}
