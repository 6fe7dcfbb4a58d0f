internal import Bytes
public import NATS
public import Navigation

// How sessions, tokens and apps are mapped to streams and subjects.
//
//     stream   NAV_000 … NAV_015      subjects nav.000.> … nav.015.>
//     stream   NAV_C                  subjects nav.c.>
//
//     nav.011.s.kiosk-1     the records of the session `kiosk-1`
//     nav.011.t.kiosk-1     its tokens
//     nav.c.app.shop        the document of the app `shop`
//     nav.c.meta            what `navstate store init` wrote
//     nav.011.q, nav.c.q    barriers of reads, without content: see `ReadBarriers`
//     nav.011.m, nav.c.m.011    what shows that the shard is whole: see `ShardMark`
//
// The shard of a session follows from its id alone, so every node can find it without asking
// another one. Dots separate the tokens of a subject, so a dot in an id is written as an
// exclamation mark, which no id contains.

/// The streams and subjects of a store whose names begin with a prefix.
public struct StoreLayout: Equatable, Sendable {
    /// The prefix of the names of all streams, such as `NAV`.
    public let prefix: StorePrefix
    /// The number of streams that the sessions are distributed over. It never changes.
    public let shardCount: Int
    /// The first token of all subjects: the prefix in lower case.
    private let root: String
    /// The numbers of the shards in names. They are needed for each message.
    private let digits: [String]
    /// The names of the streams of the shards.
    private let names: [String]
    /// The beginnings of the subjects of each shard's sessions, such as `nav.011.s.`.
    private let stems: [String]

    /// How many shards a store may have. In names, their numbers have three digits.
    public static let shardCounts = 1...999

    /// - Precondition: `shardCounts` contains the number.
    public init(prefix: StorePrefix, shardCount: Int) {
        precondition(Self.shardCounts.contains(shardCount), "the number of shards is in the range")
        self.prefix = prefix
        self.shardCount = shardCount
        root = prefix.text.lowercased()
        digits = (0..<shardCount).map { shard in
            String(repeating: "0", count: 3 - String(shard).count) + String(shard)
        }
        names = digits.map { "\(prefix.text)_\($0)" }
        stems = digits.map { [root] digits in "\(root).\(digits).s." }
    }

    /// The shard of a session, counted from 0.
    public func shard(of id: SessionID) -> Int {
        var hash = FNV1a()
        // A change needs this hash several times, and iterating over the text's UTF-8 is three
        // times as slow as indexing its bytes.
        id.rawValue.withBytes { bytes in
            for index in bytes.indices { hash.mix(bytes[index]) }
        }
        return Int(hash.hash % UInt64(shardCount))
    }

    /// The stream of a shard.
    public func stream(_ shard: Int) -> SubjectToken {
        SubjectToken(trusted: names[shard])
    }

    /// The stream of everything that does not belong to a session: apps, and the metadata of the
    /// store.
    public var controlStream: SubjectToken { SubjectToken(trusted: "\(prefix.text)_C") }

    /// The name of the stream of a shard, or of the stream for apps and facts without one.
    func name(of shard: Int?) -> String { (shard.map { stream($0) } ?? controlStream).text }

    /// The subjects that the stream of a shard stores.
    public func subjects(_ shard: Int) -> SubjectFilter {
        SubjectFilter(trusted: "\(root).\(digits[shard]).>")
    }

    /// The subjects of the sessions in the stream of a shard, or of the apps in the control stream.
    func contents(_ shard: Int?) -> SubjectFilter {
        SubjectFilter(
            trusted: shard.map { "\(root).\(digits[$0]).s.>" } ?? "\(root).c.app.>")
    }

    public var controlSubjects: SubjectFilter { SubjectFilter(trusted: "\(root).c.>") }

    /// The subject of a session's records.
    public func subject(of id: SessionID) -> Subject {
        Subject(trusted: stems[shard(of: id)] + Self.token(id.rawValue))
    }

    /// Whether a subject is that of a session's records in this shard.
    public func isSubject(_ subject: ArraySlice<UInt8>, of id: SessionID, in shard: Int) -> Bool {
        guard shard == self.shard(of: id) else { return false }
        let (stem, bytes) = (stems[shard], subject.span)
        let start = stem.utf8.count
        guard bytes.count == start + id.rawValue.utf8.count else { return false }
        let isInShard = stem.withBytes { bytes.extracting(..<start).isSame(as: $0) }
        return isInShard
            && id.rawValue.withBytes { name in
                for index in name.indices {
                    let byte = name[index] == ASCII.dot ? Self.mark : name[index]
                    if bytes[start + index] != byte { return false }
                }
                return true
            }
    }

    /// The subject of a session's tokens.
    public func tokenSubject(of id: SessionID) -> Subject {
        Subject(trusted: "\(root).\(digits[shard(of: id)]).t.\(Self.token(id.rawValue))")
    }

    /// The subject of an app's document.
    public func subject(of app: AppID) -> Subject {
        Subject(trusted: "\(root).c.app.\(Self.token(app.rawValue))")
    }

    public var metaSubject: Subject { Subject(trusted: "\(root).c.meta") }

    /// The subject of barriers in the stream of a shard, or in the control stream.
    func barrierSubject(_ shard: Int?) -> Subject {
        Subject(trusted: "\(root).\(shard.map { digits[$0] } ?? "c").q")
    }

    /// Whether a subject is the one of barriers in the stream of a shard, or in the control stream.
    func isBarrier(_ subject: ArraySlice<UInt8>, in shard: Int?) -> Bool {
        subject.suffix(2).elementsEqual(".q".utf8)
            && subject.elementsEqual(barrierSubject(shard).text.utf8)
    }

    /// Subjects of all kinds in the stream of a shard, or in the control stream. No session and no
    /// app has them.
    func trialSubjects(_ shard: Int?) -> [Subject] {
        guard let shard else {
            return ["app.-", "q", "m.000"].map { Subject(trusted: "\(root).c.\($0)") }
        }
        let stem = "\(root).\(digits[shard])"
        return ["s.-", "t.-", "q", "m"].map { Subject(trusted: "\(stem).\($0)") }
    }

    /// The subject on which nodes say that they are there. No stream stores it.
    var nodesSubject: Subject { Subject(trusted: "\(root).nodes") }

    /// The subject on which other nodes answer one of them. No stream stores it.
    func nodeSubject(_ node: UInt64) -> Subject {
        Subject(trusted: "\(nodesSubject.text).\(Peers.text(of: node))")
    }

    /// The item under a subject.
    public enum Item: Hashable, Sendable {
        case session(SessionID)
        case tokens(SessionID)
        case app(AppID)
        case meta
    }

    /// The subject of the messages of something.
    func subject(of item: Item) -> Subject {
        switch item {
        case .session(let id): subject(of: id)
        case .tokens(let id): tokenSubject(of: id)
        case .app(let id): subject(of: id)
        case .meta: metaSubject
        }
    }

    /// The stream that stores it.
    func stream(of item: Item) -> SubjectToken {
        switch item {
        case .session(let id), .tokens(let id): stream(shard(of: id))
        case .app, .meta: controlStream
        }
    }

    /// The item under a subject. Returns nil if the subject is not part of this layout, for
    /// example because it belongs to another store or has a session in the wrong shard.
    public func item(of subject: Subject) -> Item? {
        let tokens = subject.text.split(separator: ".", omittingEmptySubsequences: false)
        guard tokens.count >= 3, tokens[0] == root else { return nil }
        if tokens[1] == "c" {
            if tokens.count == 3, tokens[2] == "meta" { return .meta }
            guard tokens.count == 4, tokens[2] == "app" else { return nil }
            return AppID(Self.name(tokens[3])).map { .app($0) }
        }
        guard tokens.count == 4, let id = SessionID(Self.name(tokens[3])),
            tokens[1] == digits[shard(of: id)]
        else { return nil }
        switch tokens[2] {
        case "s": return .session(id)
        case "t": return .tokens(id)
        default: return nil
        }
    }

    private static func token(_ name: String) -> String {
        guard name.withBytes({ $0.contains(ASCII.dot) }) else { return name }
        return String(decoding: name.utf8.map { $0 == ASCII.dot ? mark : $0 }, as: UTF8.self)
    }

    private static func name(_ token: Substring) -> String {
        // A token cannot contain a dot, so every mark stands for one.
        String(decoding: token.utf8.map { $0 == mark ? ASCII.dot : $0 }, as: UTF8.self)
    }

    private static let mark = UInt8(ascii: "!")
}

/// The prefix of the names of a store's streams: 1 to 32 upper-case letters and digits, beginning
/// with a letter. Stores on the same servers must have different prefixes.
public struct StorePrefix: Hashable, Sendable {
    public let text: String

    /// Creates a prefix. Returns nil if the text is not a valid one.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...32).contains(bytes.count), bytes.first.map(Self.isLetter) == true,
            bytes.allSatisfy({ Self.isLetter($0) || ASCII.isDigit($0) })
        else { return nil }
        self.text = text
    }

    /// Creates a prefix from text that is known to be valid.
    init(trusted text: String) { self.text = text }

    public func hash(into hasher: inout Hasher) { ExactString(text).hash(into: &hasher) }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
}

extension StoreLayout {
    /// The configurations of all streams of a new store. The stream for apps and facts is the last.
    ///
    /// - Parameters:
    ///   - replicas: how many servers keep each message.
    ///   - firstNumber: the sequence of each stream's first message, or 0 for the default.
    func streams(replicas: Int, firstNumber: Int = 0) -> [StreamConfig] {
        let shards = (0..<shardCount).map { shard in
            StreamConfig(
                name: stream(shard), subjects: [subjects(shard)], replicas: replicas,
                messagesPerSubjectMax: SessionCell.recordsMax,
                messageBytesMax: Self.messageBytesMax, firstSequence: firstNumber)
        }
        let control = StreamConfig(
            name: controlStream, subjects: [controlSubjects], replicas: replicas,
            messagesPerSubjectMax: Self.appRecordsMax, messageBytesMax: Self.messageBytesMax,
            firstSequence: firstNumber)
        return shards + [control]
    }

    /// How many messages the stream keeps of each app. The last one is enough to read an app. The
    /// others show a node that was not the first to change the app whose change came first, also
    /// when several nodes store the same app at their start.
    static let appRecordsMax = 16
    /// The maximum size of a message with its headers, in bytes.
    static let messageBytesMax = 2 << 20
}
