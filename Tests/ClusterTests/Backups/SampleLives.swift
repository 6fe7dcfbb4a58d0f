import Navigation
import Sessions
import TestSupport

/// Something that happens in a store.
enum LifeStep {
    case put(SessionRecord)
    case delete(SessionID, IdempotencyKey?)
    case tokens(SessionID, [SessionToken])
    case app(AppID, [UInt8]?)
}

/// Makes up what happens to some sessions, with everything that a record can have.
struct SampleLives {
    let ids: [SessionID]
    private var newest: [SessionID: SessionRecord] = [:]
    private var tokens: [SessionID: [SessionToken]] = [:]
    private var dice: SplitMix64
    private var keyCount = 0

    static let shop = AppID(trusted: "shop")
    static let cafe = AppID(trusted: "cafe")

    init(_ count: Int, _ dice: SplitMix64) {
        ids = (0..<count).map { SessionID(trusted: $0 % 2 == 0 ? "s\($0)" : "long.id-\($0)_x") }
        self.dice = dice
    }

    mutating func next(at now: Milliseconds) -> LifeStep {
        let id = dice.one(of: ids)
        guard newest[id] != nil else { return .put(first(id, at: now)) }
        switch dice.below(30) {
        case 0:
            newest[id] = nil
            tokens[id] = nil
            return .delete(id, dice.oneIn(2) ? key() : nil)
        case 1, 2:
            tokens[id] = Array((tokens[id] ?? []).suffix(2)) + [token()]
            return .tokens(id, tokens[id] ?? [])
        case 3: return .tokens(id, [])
        case 4: return .app(Self.shop, document())
        case 5: return .app(Self.cafe, dice.oneIn(3) ? nil : document())
        default: return .put(following(id, at: now))
        }
    }

    private mutating func first(_ id: SessionID, at now: Milliseconds) -> SessionRecord {
        var record = record(id, revision: 1, at: now, UndoStacks())
        record.app = [nil, Self.shop, Self.cafe][dice.below(3)]
        newest[id] = record
        return record
    }

    private mutating func following(_ id: SessionID, at now: Milliseconds) -> SessionRecord {
        guard let last = newest[id] else { return first(id, at: now) }
        var undoing = last.undoing
        let count = 1 + dice.below(5)
        switch dice.below(6) {
        case 0 where undoing.undo.count >= count:
            undoing.move(
                .undo(count: count, left: undoing.undo.count - count), from: last.revision)
        case 1 where undoing.redo.count >= count:
            undoing.move(
                .redo(count: count, left: undoing.redo.count - count), from: last.revision)
        case 2: undoing.move(.aside, from: last.revision)
        default: undoing.move(.forward, from: last.revision)
        }
        var record = record(id, revision: last.revision + 1, at: now, undoing)
        record.app = last.app
        newest[id] = record
        return record
    }

    private mutating func record(
        _ id: SessionID, revision: Int, at now: Milliseconds, _ undoing: UndoStacks
    ) -> SessionRecord {
        let labels = (0..<dice.below(3)).map { Label(key: "l\($0)", value: "\"\(dice.below(9))\n") }
        return SessionRecord(
            id: id, revision: revision, at: now,
            expiresAt: dice.oneIn(4) ? now + 40 * 86_400_000 : nil, labels: labels,
            undoing: undoing, nextEntry: revision + 7, key: dice.oneIn(4) ? key() : nil,
            event: Array(#"{"command":{"n":\#(dice.below(1_000))}}"#.utf8),
            state: Array(#"{"id":"\#(id)","revision":\#(revision)}"#.utf8))
    }

    private mutating func key() -> IdempotencyKey {
        keyCount += 1
        return IdempotencyKey(key: "k\"\(keyCount)", digest: dice.next())
    }

    private mutating func token() -> SessionToken {
        let words = TokenDigest.InlineWords(
            first: dice.next(), second: dice.next(), third: dice.next(), fourth: dice.next())
        var token = SessionToken(
            id: "t\(dice.below(1_000))", scope: dice.oneIn(2) ? .read : .control,
            digest: TokenDigest(words),
            expiresAt: dice.oneIn(3) ? 1_800_000_000_000 : nil)
        if dice.oneIn(2) { (token.createdAt, token.name) = (7, TokenName("wall")) }
        return token
    }

    private mutating func document() -> [UInt8] { Array(#"{"v":\#(dice.below(1_000))}"#.utf8) }
}

/// A store that can be asked without regard to what it has to load.
protocol AskableStore {
    func ask<Value>(_ body: (SessionStore) throws(StoreError) -> Value) throws -> Value
}

/// Everything that a store shows.
struct StoreView: Equatable {
    struct Shown: Equatable {
        var revisions: [Int: SessionRecord] = [:]
        var tokens: [SessionToken] = []
        /// Whether each token leads to the session although only its digest is known.
        var ownsTokens = true
        /// The revisions that its keys lead to.
        var keys: [String: Int] = [:]
    }

    var sessions: [SessionID: Shown] = [:]
    var apps: [AppID: [UInt8]] = [:]

    /// - Parameter depth: how many revisions before the newest are looked at, besides those that
    ///   undo and redo lead to.
    init(_ store: some AskableStore, depth: Int, now: Milliseconds) throws {
        for app in try store.ask({ $0.apps.storedApps }) { apps[app.id] = app.document }
        let ids = try store.ask { store throws(StoreError) in
            try store.reading.walk(after: nil, filter: SessionFilter(), limit: 1_000, now: now)
                .handles
                .map { store.reading.summary($0).id }
        }
        for id in ids { sessions[id] = try Self.shown(id, store, depth: depth, now: now) }
    }

    private static func shown(
        _ id: SessionID, _ store: some AskableStore, depth: Int, now: Milliseconds
    ) throws -> Shown {
        var shown = Shown()
        let newest = try store.ask { store throws(StoreError) -> SessionRecord? in
            guard let handle = try store.reading.find(id, now: now) else { return nil }
            return try store.reading.newest(handle).record
        }
        guard let newest else { return shown }
        var wanted = Set(max(1, newest.revision - depth)...newest.revision)
        for stack in [newest.undoing.undo, newest.undoing.redo] {
            for depth in 0..<stack.count { stack[depth].map { _ = wanted.insert($0) } }
        }
        for revision in wanted {
            let found = try store.ask { store throws(StoreError) -> SessionRecord? in
                guard let handle = try store.reading.find(id, now: now) else { return nil }
                return try store.reading.revision(revision, of: handle)?.record
            }
            guard var record = found else { continue }
            record.appSequence = 0
            shown.revisions[revision] = record
            if let key = record.key, revision > newest.revision - 30 {
                shown.keys[key.key] = try Self.revision(ofKey: key.key, id, store, now: now)
            }
        }
        shown.tokens = try store.ask { store throws(StoreError) in
            guard let handle = try store.reading.find(id, now: now) else { return [] }
            return try store.tokens.tokens(of: handle).tokens
        }
        for token in shown.tokens {
            let owner = try store.ask { store throws(StoreError) -> SessionID? in
                try store.tokens.owner(of: token.digest, in: nil, now: now).map {
                    store.reading.summary($0.handle).id
                }
            }
            shown.ownsTokens = shown.ownsTokens && owner == id
        }
        return shown
    }

    /// The revision that a key leads to; 0 if it leads nowhere.
    private static func revision(
        ofKey key: String, _ id: SessionID, _ store: some AskableStore, now: Milliseconds
    ) throws -> Int {
        let found = try store.ask { store throws(StoreError) in
            try store.reading.result(forKey: key, in: .session(id), now: now)
        }
        guard case .change(let stored)? = found else { return 0 }
        return stored.record.revision
    }
}
