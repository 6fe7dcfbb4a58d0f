import Navigation
import NATS
import Sessions

@testable import Cluster
@testable import ClusterModel

/// The content of a store's servers: the records of each session and the versions of each app, in
/// their order.
struct StoreLog {
    /// A record of a session.
    struct Entry {
        /// The id of its event in the stream of the session.
        var sequence: SequenceNumber
        /// The numbers in its entity tag; nil if it is the end of the session.
        var version: EntityVersion?
        /// The session that it belongs to, which has the same id as others before and after it.
        var born: UInt64
        var key: String?
        /// The number of the request that made it, if it shows one.
        var marker: Int?
        /// The session as JSON.
        var state: [UInt8]
        /// When it was made.
        var at: Milliseconds = 0
        /// Whether the idle command has made it.
        var isIdle = false
    }

    /// A session's record and its index among all of that id.
    struct Place {
        var id: String
        var index: Int
    }

    private(set) var sessions: [String: [Entry]] = [:]
    /// The numbers in the titles of the versions of each app.
    private(set) var apps: [String: [Int]] = [:]
    /// Contradictions to the rules of the log.
    private(set) var faults: [String] = []
    private var places: [EntityVersion: Place] = [:]
    /// How many messages of each stream were read.
    private var counts: [String: Int] = [:]
    private let layout: StoreLayout

    init(_ layout: StoreLayout) { self.layout = layout }

    /// The name of an app among the names of sessions.
    static func name(ofApp id: String) -> String { "app \(id)" }

    /// Where the record of a state is, if it is stored.
    func place(of version: EntityVersion) -> Place? { places[version] }

    /// How many records or versions there are under a name.
    func count(of name: String) -> Int {
        if let entries = sessions[name] { return entries.count }
        return apps.first { Self.name(ofApp: $0.key) == name }?.value.count ?? 0
    }

    /// The first end of a session that is not before an index.
    func end(of id: String, from index: Int) -> Int? {
        sessions[id]?.indices.first { $0 >= index && sessions[id]?[$0].version == nil }
    }

    /// Reads what was stored since the last call.
    mutating func read(_ servers: ModelServers) {
        for stream in servers.streams.values {
            for message in stream.log.dropFirst(counts[stream.name] ?? 0) { take(message) }
            counts[stream.name] = stream.log.count
        }
    }

    private mutating func take(_ message: ModelMessage) {
        switch layout.item(of: Subject(trusted: message.subject)) {
        case .session(let id):
            do { try add(try SharedRecord(message.payload[...]), id, message) } catch {
                faults.append("message \(message.sequence) of \(id) is no record: \(error)")
            }
        case .app(let id):
            let version = message.payload.number(after: "version ") ?? 0
            if apps[id.rawValue]?.contains(version) == true {
                faults.append("version \(version) of the app \(id) was stored twice")
            }
            apps[id.rawValue, default: []].append(version)
        case .tokens, .meta, nil: break
        }
    }

    /// An idle command comes once after each other change, and not early. The nodes may disagree
    /// about the time for a moment.
    private mutating func checkIdle(_ entry: Entry, after last: Entry, _ name: String) {
        if last.isIdle { faults.append("\(name): two idle commands, \(entry.sequence)") }
        let seconds = last.state.number(after: #""idle":{"seconds":"#) ?? 0
        if entry.at + 1_000 < last.at + Milliseconds(seconds) * 1000 {
            faults.append("\(name): the idle command \(entry.sequence) is early")
        }
    }

    /// Work that is due and was not done, when all nodes have had the time for it.
    var undone: [String] {
        sessions.compactMap { name, entries in
            guard let last = entries.last, last.version != nil,
                last.state.place(of: #""idle":"#) != nil
            else { return nil }
            let isAtRoot = last.state.place(of: #""path":[{"#) == nil
            let hasSheet = last.state.place(of: #""sheets":[{"#) != nil
            return isAtRoot && !hasSheet ? nil : "\(name): something is due and was not done"
        }
    }

    private mutating func add(
        _ record: SharedRecord, _ id: SessionID, _ message: ModelMessage
    ) throws {
        let name = id.rawValue
        let place = StreamPlace(shard: layout.shard(of: id), number: message.sequence)
        var entry = Entry(
            sequence: place.sequence, version: nil, born: record.born, key: nil, marker: nil,
            state: [])
        let last = sessions[name]?.last
        switch record.content {
        case .end(let tombstone):
            entry.key = tombstone.key?.key
            if last?.version?.first != record.born {
                faults.append("\(name) ends with \(place.sequence), and is not there")
            }
        case .revision(let revision):
            entry.version = EntityVersion(record.born, UInt64(revision.revision))
            entry.key = revision.key?.key
            entry.state = revision.state
            entry.marker =
                revision.revision == 1
                ? revision.state.number(after: #""b":""#)
                : revision.event.number(after: #""m":"#)
                    ?? revision.event.number(after: #""x":""#)
            entry.at = revision.at
            entry.isIdle = revision.event.place(of: #""by":"idle""#) != nil
            if entry.isIdle, let last { checkIdle(entry, after: last, name) }
            let expected = last?.version.map { EntityVersion($0.first, $0.second + 1) }
            if let expected, entry.version != expected {
                faults.append("\(name): \(place.sequence) does not follow \(expected)")
            }
            if expected == nil, revision.revision != 1 || last?.born == record.born {
                faults.append("\(name): \(place.sequence) follows nothing")
            }
        }
        let index = sessions[name]?.count ?? 0
        if let version = entry.version,
            places.updateValue(Place(id: name, index: index), forKey: version) != nil
        {
            faults.append("\(name): \(version) was stored twice")
        }
        sessions[name, default: []].append(entry)
    }
}
