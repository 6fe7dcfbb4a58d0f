import Sessions

/// A request to a node with what is known when it is sent, so that its answer can be judged.
struct ClusterExchange {
    enum Kind {
        case create
        /// A change of a session that is there.
        case change
        case delete
        case read
        /// An older state by its revision.
        case readOld(Int)
        case list
        case putApp(version: Int)
        case readApp
    }

    var kind: Kind
    /// The session's or the app's.
    var id: String
    var request: [UInt8]
    /// The idempotency key.
    var key: String?
    /// The number that the change shows, if it shows one.
    var marker: Int?
    /// The state that the change is only for: If-Match.
    var condition: EntityVersion?
    /// The state that the client has: If-None-Match.
    var known: EntityVersion?
    /// It was sent before, and its outcome is not known.
    var isRepeated = false
    /// The node that it must be sent to, if it must.
    var node: Int?

    /// The life of the node that it was sent to.
    var life = 0
    /// The least that the answer must show, as indices in the log.
    var floors: [String: Int] = [:]
    /// The most that any node has shown. Nothing is said to be missing that is there since then.
    var floorsOfAll: [String: Int] = [:]
    /// When it was sent, in monotonic nanoseconds.
    var sentAt: Int64 = 0

    init(_ kind: Kind, _ id: String, _ request: [UInt8]) {
        self.kind = kind
        self.id = id
        self.request = request
    }

    /// For messages: the first line of the request, and the key.
    var name: String {
        let line = request.prefix { $0 != 0x0D }
        let text = String(decoding: line.dropLast(" HTTP/1.1".utf8.count), as: UTF8.self)
        return text + (key.map { " \($0)" } ?? "") + (marker.map { " #\($0)" } ?? "")
    }

    /// Whether it is a change that may be sent again when its outcome is not known.
    var isRepeatable: Bool { key != nil }

    /// The least that the answer must show of a session or an app; -1 if nothing is known.
    func floor(of name: String) -> Int { floors[name] ?? -1 }
}

extension EntityVersion {
    /// The version in an entity tag, `"LINEAGE-BORN-REVISION"`.
    init?(tag: some StringProtocol) {
        let numbers = tag.split { !$0.isLetter && !$0.isNumber }.dropFirst()
        guard numbers.count == 2, let born = numbers.first.flatMap({ UInt64($0) }),
            let revision = numbers.last.flatMap({ UInt64($0) })
        else { return nil }
        self.init(born, revision)
    }

    /// The version in a member `etag`, at or after a place in a text.
    init?(in text: [UInt8], from place: Int = 0) {
        guard let begin = text.place(of: #""etag":"\""#, from: place) else { return nil }
        let tag = text[(begin + 10)...].prefix { $0 != UInt8(ascii: "\\") }
        self.init(tag: String(decoding: tag, as: UTF8.self))
    }
}
