internal import Bytes
internal import JSON
internal import Navigation
internal import Sessions

// Questions of nodes to each other, on the subject of all nodes, and their answers, on the subject
// of the node that has asked.
//
//     {"node":"8d02…","number":7,"watchers":["kiosk-1","kiosk-2"]}
//     {"node":"8d02…","number":8,"counts":["kiosk-1","kiosk-2"]}
//     {"node":"8d02…","number":9,"shown":{"id":"kiosk-1","as":"lobby","revision":12}}
//     {"node":"8d02…","number":10,"signal":{"ids":["kiosk-1"],"name":"refresh","data":"{}",
//      "at":1795225000412,"by":"wall"}}
//
//     {"node":"0c5a…","number":7,
//      "watchers":[[{"as":"lobby","since":1795225000412,"shown":12}],[]]}
//     {"node":"0c5a…","number":8,"counts":[1,0]}
//     {"node":"0c5a…","number":9,"display":true}
//     {"node":"0c5a…","number":10,"counts":[1]}
//
// `node` is the sender, and `number` that of the question. `as`, `shown`, `data` and `by` may be
// missing. `data` is JSON as text, which may be nested more deeply than these messages.

/// A question of a node, or an answer.
struct PeerMessage<Content: Equatable & Sendable>: Equatable, Sendable {
    var node: UInt64
    /// The number of the question, which the node that asks has chosen.
    var number: Int
    var content: Content

    fileprivate func text(_ name: String, _ value: JSON) -> [UInt8] {
        JSON.object(
            JSONObject([
                ("node", .string(Peers.text(of: node))), ("number", .integer(Int64(number))),
                (name, value),
            ])
        ).bytes
    }
}

/// The limits of what nodes say to each other.
enum PeerMessageLimits {
    static let sessionsMax = 1_000
    /// The most watchers of an answer, less than 300 KiB. Those with a name come first, whichever
    /// session they watch.
    static let watchersMax = 2_000
    fileprivate static let json = JSONLimits(nestingMax: 6, valuesMax: 20_000)
}

extension PeerMessage<PeerQuestion> {
    var text: [UInt8] {
        switch content {
        case .watchers(let ids): text("watchers", Self.list(ids))
        case .watcherCounts(let ids): text("counts", Self.list(ids))
        case .shown(let report):
            text(
                "shown",
                .object(
                    JSONObject([
                        ("id", .string(report.id.rawValue)), ("as", .string(report.name.rawValue)),
                        ("revision", .integer(Int64(report.revision))),
                    ])))
        case .signal(let signal): text("signal", .object(Self.members(of: signal)))
        }
    }

    private static func members(of signal: Signal) -> JSONObject {
        var members = JSONObject([
            ("ids", list(signal.sessions)), ("name", .string(signal.content.name.rawValue)),
            ("at", .integer(signal.at)),
        ])
        if let data = signal.content.data {
            members.append("data", .string(String(decoding: data, as: UTF8.self)))
        }
        if let author = signal.author { members.append("by", .string(author.rawValue)) }
        return members
    }

    private static func signal(_ members: JSONObject) -> Signal? {
        guard let ids = PeerMembers.ids(members["ids"]),
            case .string(let name)? = members["name"], let name = SignalName(name),
            let at = PeerMembers.number(members["at"])
        else { return nil }
        var content = SignalContent(name: name)
        if case .string(let data)? = members["data"] {
            guard let value = try? JSON(parsing: Array(data.utf8), limits: .stored) else {
                return nil
            }
            content.data = value.bytes
        }
        var author: TokenName?
        if case .string(let name)? = members["by"] { author = TokenName(name) }
        return Signal(to: ids, content, at: Milliseconds(at), by: author)
    }

    private static func list(_ ids: [SessionID]) -> JSON {
        .array(ids.map { .string($0.rawValue) })
    }

    /// Reads a question. Nil if it is not one.
    init?(_ text: ArraySlice<UInt8>) {
        guard let members = PeerMembers(text) else { return nil }
        (node, number) = (members.node, members.number)
        if let ids = members.ids("watchers") {
            content = .watchers(ids)
        } else if let ids = members.ids("counts") {
            content = .watcherCounts(ids)
        } else if case .object(let report)? = members["shown"],
            case .string(let id)? = report["id"], let id = SessionID(id),
            case .string(let name)? = report["as"], let name = WatcherName(name),
            let revision = PeerMembers.number(report["revision"])
        {
            content = .shown(DisplayReport(id: id, name: name, revision: revision))
        } else if case .object(let object)? = members["signal"],
            let signal = Self.signal(object)
        {
            content = .signal(signal)
        } else {
            return nil
        }
    }
}

extension PeerMessage<PeerAnswer> {
    /// The message that answers a question.
    func text(answering question: PeerQuestion) -> [UInt8] {
        switch question {
        case .watchers:
            let lists = Self.cut(content.watchers)
            return text(
                "watchers",
                .array(lists.map { .array($0.map { .object(Self.members(of: $0)) }) }))
        case .watcherCounts, .signal:
            return text("counts", .array(content.counts.map { .integer(Int64($0)) }))
        case .shown: return text("display", .bool(content.hasDisplay))
        }
    }

    /// Leaves out watchers if there are too many.
    private static func cut(_ lists: [[Watcher]]) -> [[Watcher]] {
        var left = PeerMessageLimits.watchersMax
        guard lists.reduce(0, { $0 + $1.count }) > left else { return lists }
        var cut = lists.map { _ in [Watcher]() }
        for isNamed in [true, false] {
            for (index, list) in lists.enumerated() {
                let told = list.lazy.filter { ($0.name != nil) == isNamed }.prefix(left)
                cut[index] += told
                left -= told.count
            }
        }
        return cut
    }

    private static func members(of watcher: Watcher) -> JSONObject {
        var members = JSONObject([("since", .integer(watcher.since))])
        if let name = watcher.name { members.append("as", .string(name.rawValue)) }
        if let revision = watcher.shown { members.append("shown", .integer(Int64(revision))) }
        return members
    }

    /// Reads an answer to a question. Nil if it is not one.
    init?(_ members: PeerMembers, to question: PeerQuestion) {
        (node, number, content) = (members.node, members.number, PeerAnswer())
        switch question {
        case .watchers(let ids):
            let lists = members.list("watchers") { PeerMembers.list($0, of: Self.watcher) }
            guard let lists, lists.count == ids.count else { return nil }
            content.watchers = lists
        case .watcherCounts(let ids):
            guard let counts = members.counts, counts.count == ids.count else { return nil }
            content.counts = counts
        case .signal(let signal):
            guard let counts = members.counts, counts.count == signal.sessions.count
            else { return nil }
            content.counts = counts
        case .shown:
            guard case .bool(let hasDisplay)? = members["display"] else { return nil }
            content.hasDisplay = hasDisplay
        }
    }

    private static func watcher(_ item: JSON) -> Watcher? {
        guard case .object(let members) = item, let since = PeerMembers.number(members["since"])
        else { return nil }
        var watcher = Watcher(since: Milliseconds(since))
        if let name = members["as"] {
            guard case .string(let name) = name, let name = WatcherName(name) else { return nil }
            watcher.name = name
        }
        if let shown = members["shown"] {
            guard let shown = PeerMembers.number(shown) else { return nil }
            watcher.shown = shown
        }
        return watcher
    }
}

/// The members of a message.
struct PeerMembers {
    let node: UInt64
    let number: Int
    private let members: JSONObject

    /// Nil if it is no message of a node.
    init?(_ text: ArraySlice<UInt8>) {
        guard
            case .object(let members)? = try? JSON(
                parsing: Array(text), limits: PeerMessageLimits.json),
            case .string(let digits)? = members["node"], digits.utf8.count == 16,
            let node = Hexadecimal.number(digits.utf8),
            let number = Self.number(members["number"])
        else { return nil }
        (self.node, self.number, self.members) = (node, number, members)
    }

    fileprivate subscript(name: String) -> JSON? { members[name] }

    /// An array whose items can all be read.
    fileprivate static func list<Item>(_ value: JSON?, of read: (JSON) -> Item?) -> [Item]? {
        guard case .array(let items)? = value else { return nil }
        let list = items.compactMap(read)
        return list.count == items.count ? list : nil
    }

    fileprivate func list<Item>(_ name: String, of read: (JSON) -> Item?) -> [Item]? {
        Self.list(members[name], of: read)
    }

    fileprivate func ids(_ name: String) -> [SessionID]? { Self.ids(members[name]) }

    fileprivate var counts: [Int]? {
        list("counts") { item in Self.number(item).flatMap { $0 < 1 << 32 ? $0 : nil } }
    }

    fileprivate static func ids(_ value: JSON?) -> [SessionID]? {
        let ids = list(value) { item in
            if case .string(let id) = item { SessionID(id) } else { nil }
        }
        return ids.flatMap { $0.count <= PeerMessageLimits.sessionsMax ? $0 : nil }
    }

    /// A number that is not negative, and that JSON has.
    fileprivate static func number(_ value: JSON?) -> Int? {
        guard case .integer(let number)? = value, (0...1 << 53).contains(number) else {
            return nil
        }
        return Int(number)
    }
}
