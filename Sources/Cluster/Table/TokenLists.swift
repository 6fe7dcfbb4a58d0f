internal import NATS
internal import Navigation
internal import Sessions

/// The tokens of sessions as one node knows them.
struct TokenLists {
    private struct List {
        var number = 0
        var born: UInt64 = 0
        var tokens: [SessionToken] = []
        /// Whether another node has made a newer list.
        var isStale = false
    }

    private let layout: StoreLayout
    private var lists: [SessionID: List] = [:]
    /// The number of lists by shard.
    private var counts: [Int]
    /// The sessions of the tokens. Nil if each token names its session.
    private var owners: [TokenDigest: SessionID]?

    init(_ layout: StoreLayout) {
        self.layout = layout
        counts = Array(repeating: 0, count: layout.shardCount)
    }

    /// The number of lists in a shard.
    func count(in shard: Int) -> Int { counts[shard] }

    /// Makes `owner` find sessions. It is called before there are any lists.
    mutating func findOwners() { owners = [:] }

    /// The session in whose last list a token is, unless tokens name their sessions.
    func owner(of digest: TokenDigest) -> SessionID? { owners?[digest] }

    /// The tokens of the session of that id which was born with that number.
    func tokens(of id: SessionID, born: UInt64) -> [SessionToken] {
        has(id, born: born) ? lists[id]?.tokens ?? [] : []
    }

    /// Whether the last list is that of the session which was born with that number.
    func has(_ id: SessionID, born: UInt64) -> Bool { lists[id]?.born == born }

    /// The stream sequence of a session's last list; 0 if it has no list.
    func lastNumber(_ id: SessionID) -> Int { lists[id]?.number ?? 0 }

    /// Takes a list that is kept.
    mutating func apply(_ list: SharedTokens, number: Int) {
        guard number > lastNumber(list.id) else { return }
        if lastNumber(list.id) == 0 { counts[layout.shard(of: list.id)] += 1 }
        disown(list.id)
        for token in list.tokens { owners?[token.digest] = list.id }
        lists[list.id] = List(number: number, born: list.born, tokens: list.tokens)
    }

    /// Whether another node has made a newer list than the one that is known.
    func isStale(_ id: SessionID) -> Bool { lists[id]?.isStale ?? false }

    /// Another node has made a newer list than the one that is known, or may have.
    mutating func setStale(_ id: SessionID) { lists[id, default: List()].isStale = true }

    /// The leader of the stream was asked and has nothing newer than what is known.
    mutating func setFresh(_ id: SessionID) { lists[id]?.isStale = false }

    /// The messages of the list were removed, so the next one follows none.
    mutating func forget(_ id: SessionID) {
        if lastNumber(id) > 0 { counts[layout.shard(of: id)] -= 1 }
        disown(id)
        lists[id] = nil
    }

    private mutating func disown(_ id: SessionID) {
        guard owners != nil else { return }
        for token in lists[id]?.tokens ?? [] { owners?[token.digest] = nil }
    }
}

/// The apps of the store as one node knows them.
struct SharedApps {
    private struct Entry {
        var number: Int
        var app: StoredApp?
    }

    private var entries: [AppID: Entry] = [:]
    /// A number that changes with the apps.
    private(set) var generation: UInt64 = 1

    /// All apps by id.
    var all: [StoredApp] { entries.values.compactMap(\.app).sorted { $0.id < $1.id } }

    /// The stream sequence of an app's last message; 0 if it has no messages.
    func lastNumber(_ id: AppID) -> Int { entries[id]?.number ?? 0 }

    /// Takes a document, or the deletion of one, that is kept.
    mutating func apply(_ change: SharedApp, number: Int) {
        guard number > lastNumber(change.id) else { return }
        generation += 1
        var entry = Entry(number: number)
        if let document = change.document {
            var app = StoredApp(
                id: change.id, sequence: UInt64(number), at: change.at, document: document)
            app.version = StoredVersion(change.version, .none)
            entry.app = app
        }
        entries[change.id] = entry
    }
}

extension SharedApp {
    /// The version of the document, which is known before it is kept.
    var version: EntityVersion { EntityVersion(link.writer.node, link.writer.number) }
}
