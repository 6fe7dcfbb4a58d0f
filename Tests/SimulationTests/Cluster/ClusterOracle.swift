import Sessions

@testable import ClusterModel

// Answers and promises of several nodes to clients, and whether they agree with the records that
// the servers keep. The log of the servers is the truth: it has one order for each session.
//
//   1. A state that is shown is in the log already, and is the state that the log has under its
//      entity tag. What was acknowledged is in the log, which loses nothing.
//   2. What a request made has the request's key and number. A key, and a number, is in the log of
//      a session once; that of a request that was refused is not in it at all.
//   3. An answer shows what had been shown or acknowledged when the request was sent, or something
//      newer: by any node if reads need a quorum or all has settled, and otherwise by that node in
//      that life.
//   4. What If-Match has let through follows the state that it named, and a 412 shows another one.
//   5. Streams tell each record of a session once, in order, and leave none out without saying so
//      (`ClusterWatcher`).
//   6. When all has settled, every node shows the last record of each session and app, and answers
//      within a second.
//   7. 503 and 507 come only while there are faults.

/// Judges what clients of all nodes of a store are told.
final class ClusterOracle {
    private(set) var violations: [String] = []
    private(set) var log: StoreLog
    /// How many changes were acknowledged.
    private(set) var acknowledged = 0
    /// The longest time that an answer took, in nanoseconds.
    private(set) var slowest: Int64 = 0
    /// There are no faults any more, and nothing is on its way.
    var hasSettled = false
    /// Whether reads at any node show what is known of any other.
    private let readsFromQuorum: Bool
    /// The newest records that were shown, by the life of the node that has shown them; those of
    /// all nodes together under 0.
    private var floors: [Int: [String: Int]] = [:]
    private var refusedNumbers: Set<Int> = []
    private var refusedKeys: Set<String> = []

    /// The most time that an answer takes without faults.
    private static let settledNanoseconds: Int64 = 1_000_000_000

    init(_ log: StoreLog, readsFromQuorum: Bool) {
        self.log = log
        self.readsFromQuorum = readsFromQuorum
    }

    func complain(_ text: String) {
        if violations.count < 20 { violations.append(text) }
    }

    /// Reads what the servers have stored since the last call.
    func look(at servers: ModelServers) {
        log.read(servers)
        for fault in log.faults where violations.count < 20 { violations.append(fault) }
    }

    // MARK: - What is known

    /// The least that a node has to show from now on.
    func floors(at life: Int) -> [String: Int] {
        floors[readsFromQuorum || hasSettled ? 0 : life] ?? [:]
    }

    /// The newest state of a session that was shown, unless its end was.
    func newest(_ id: String) -> EntityVersion? {
        guard let index = floors[0]?[id] else { return nil }
        return log.sessions[id]?[index].version
    }

    /// Notes what is known before a request is sent.
    func begin(_ exchange: inout ClusterExchange, at life: Int, now: Int64) {
        exchange.life = life
        exchange.sentAt = now
        exchange.floors = floors(at: life)
        exchange.floorsOfAll = floors[0] ?? [:]
    }

    private func raise(_ name: String, to index: Int, _ life: Int) {
        for key in [0, life] where floors[key]?[name] ?? -1 < index {
            floors[key, default: [:]][name] = index
        }
    }

    // MARK: - States

    /// A state was shown to somebody.
    ///
    /// - Parameter text: the session as JSON, or nil if only its tag was shown.
    /// - Returns: its index in the log.
    @discardableResult
    func see(
        _ version: EntityVersion, _ text: ArraySlice<UInt8>?, of id: String, at life: Int,
        _ what: String
    ) -> Int? {
        guard let place = log.place(of: version), place.id == id,
            let entry = log.sessions[id]?[place.index]
        else {
            complain("\(what): \(id) is shown with \(version), which is not kept")
            return nil
        }
        if let text, !text.elementsEqual(entry.state) {
            complain(
                "\(what): \(id) with \(version) is shown as "
                    + "\(String(decoding: text, as: UTF8.self)) and kept as "
                    + String(decoding: entry.state, as: UTF8.self))
        }
        raise(id, to: place.index, life)
        return place.index
    }

    /// An answer shows a state as the newest one.
    @discardableResult
    func seeNewest(
        _ version: EntityVersion, _ text: ArraySlice<UInt8>?, of id: String,
        _ exchange: ClusterExchange, _ what: String
    ) -> Int? {
        guard let index = see(version, text, of: id, at: exchange.life, what) else { return nil }
        let floor = exchange.floor(of: id)
        if index < floor {
            complain("\(what): \(id) is at record \(index), \(floor) was shown before")
        }
        checkSettled(id, index, what)
        return index
    }

    private func checkSettled(_ name: String, _ index: Int, _ what: String) {
        guard hasSettled, index != log.count(of: name) - 1 else { return }
        complain("\(what): \(name) is at record \(index) of \(log.count(of: name)) at the end")
    }

    /// A session was not there for this request, although it may have been at this record.
    func miss(_ id: String, from floor: Int?, _ exchange: ClusterExchange, _ what: String) {
        if hasSettled, log.sessions[id]?.last?.version != nil {
            complain("\(what): \(id) is not there at the end")
        }
        guard let floor, floor >= 0 else { return }
        guard let end = log.end(of: id, from: floor) else {
            return complain("\(what): \(id) is not there, and has not ended since record \(floor)")
        }
        raise(id, to: end, exchange.life)
    }

    /// An app is in this version.
    func sawApp(_ version: Int, _ exchange: ClusterExchange, _ what: String) {
        let name = StoreLog.name(ofApp: exchange.id)
        guard let index = log.apps[exchange.id]?.firstIndex(of: version) else {
            return complain("\(what): version \(version) is shown, which is not kept")
        }
        if index < exchange.floor(of: name) {
            complain("\(what): version \(index), \(exchange.floor(of: name)) was shown before")
        }
        checkSettled(name, index, what)
        raise(name, to: index, exchange.life)
    }

    // MARK: - Outcomes

    /// An answer has come.
    func took(_ nanoseconds: Int64, _ what: String) {
        slowest = max(slowest, nanoseconds)
        guard hasSettled, nanoseconds > Self.settledNanoseconds else { return }
        complain("\(what): it took \(nanoseconds / 1_000_000) ms without faults")
    }

    /// A change was acknowledged with the state at an index of the log.
    func acknowledge(_ exchange: ClusterExchange, _ index: Int, _ what: String) {
        acknowledged += 1
        guard let entries = log.sessions[exchange.id] else { return }
        let entry = entries[index]
        if let key = exchange.key, entry.key != key {
            complain("\(what): record \(index) has the key \(entry.key ?? "none")")
        }
        if let marker = exchange.marker, entry.marker != marker {
            complain(
                "\(what): record \(index) is that of \(entry.marker.map(String.init) ?? "none")")
        }
        if !exchange.isRepeated, index <= exchange.floor(of: exchange.id) {
            complain("\(what): record \(index) was there before")
        }
        if let condition = exchange.condition, index == 0 || entries[index - 1].version != condition
        {
            complain("\(what): record \(index) does not follow \(condition)")
        }
    }

    /// A session was deleted.
    func deleted(_ exchange: ClusterExchange, _ what: String) {
        acknowledged += 1
        let entries = log.sessions[exchange.id] ?? []
        let end = entries.indices.first { index in
            guard entries[index].version == nil else { return false }
            if let key = exchange.key { return entries[index].key == key }
            return index > exchange.floor(of: exchange.id)
        }
        guard let end else { return complain("\(what): its end is not kept") }
        raise(exchange.id, to: end, exchange.life)
    }

    /// A change was refused: it has not happened and never will.
    func refuse(_ exchange: ClusterExchange) {
        guard !exchange.isRepeated else { return }
        if case .putApp(let version) = exchange.kind { refusedNumbers.insert(version) }
        if let marker = exchange.marker { refusedNumbers.insert(marker) }
        if let key = exchange.key { refusedKeys.insert(key) }
    }

    /// A refused change is not in the log, and nothing is there twice.
    func judgeLog() {
        for (id, versions) in log.apps {
            for version in versions where refusedNumbers.contains(version) {
                complain("the app \(id) has had version \(version), which was refused")
            }
        }
        for (id, entries) in log.sessions {
            var keys: Set<String> = []
            var numbers: Set<Int> = []
            for (index, entry) in entries.enumerated() {
                let what = "record \(index) of \(id)"
                if index > 0, entries[index - 1].version == nil { (keys, numbers) = ([], []) }
                if let key = entry.key {
                    if refusedKeys.contains(key) { complain("\(what): \(key) was refused") }
                    if !keys.insert(key).inserted { complain("\(what): \(key) comes twice") }
                }
                guard let number = entry.marker else { continue }
                if refusedNumbers.contains(number) { complain("\(what): \(number) was refused") }
                if !numbers.insert(number).inserted { complain("\(what): \(number) comes twice") }
            }
        }
    }
}
