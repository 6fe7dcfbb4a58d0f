/// A request with what is known when it is sent, so that its answer can be judged.
struct Exchange {
    enum Kind {
        /// A new session with this birth.
        case create(birth: Int)
        /// A change with a marker of its own, if it shows one.
        case change(marker: Int?)
        case delete
        /// One command for many sessions, with a number of its own.
        case many(number: Int)
        case read
        /// An older state by its revision.
        case readOld(Int)
        case list
        case history
        case putApp(version: Int)
        case readApp
        case addToken
        case readTokens
        case backup
        /// One session's events after an event, or all sessions' with `id` empty.
        case stream
    }

    var kind: Kind
    /// The session's or the app's.
    var id: String
    var request: [UInt8]
    /// The idempotency key.
    var key: String?
    /// The state that the change is only for.
    var condition: SeenState?
    /// A text that the session in the answer must have.
    var shows: String?
    /// It was sent before, and its outcome is not known.
    var isRepeated = false

    /// When it was sent first, in the order of all that clients send and receive.
    var stamp = 0
    /// The knowledge of the session at that time; of all sessions, for a list.
    var floor: Floor?
    var floors: [String: Floor] = [:]
    /// The number of the app's newest record that had been shown then.
    var appFloor = 0
    /// The tokens that had been acknowledged then.
    var tokenFloor: Set<String> = []
    /// When it was sent, in monotonic nanoseconds.
    var sentAt: Int64 = 0

    init(_ kind: Kind, _ id: String, _ request: [UInt8]) {
        self.kind = kind
        self.id = id
        self.request = request
    }

    /// For messages: the first line of the request.
    var name: String {
        let line = request.prefix { $0 != 0x0D }
        return String(decoding: line.dropLast(" HTTP/1.1".utf8.count), as: UTF8.self)
    }

    /// Whether the request may be sent again with its key when its outcome is not known.
    var isRepeatable: Bool {
        switch kind {
        case .create, .change, .delete, .many: key != nil
        case .read, .readOld, .list, .history, .putApp, .readApp, .addToken, .readTokens, .backup,
            .stream:
            false
        }
    }
}

/// The newest state of a session that a client had seen at some moment.
struct Floor {
    var state: SeenState
    /// When the request was sent whose answer showed it.
    var askedAt: Int
}

/// A session's state as an answer or an event shows it.
struct SeenState: Equatable {
    /// Of the entity tag or the event's id.
    var sequence: Int
    var revision: Int
    /// The number that the client put into the label `b` when it created the session.
    var birth: Int
    /// The number in the params of what is visible.
    var marker: Int?
    /// The same of a command for many sessions.
    var many: Int?
    var guarded: GuardedState
    var text: String

    /// The numbers of all changes that the state shows.
    var markers: [Int] {
        (marker.map { [$0] } ?? []) + guarded.markers
    }

    /// - Parameter bytes: a session's JSON.
    init?(_ bytes: [UInt8], sequence: Int) {
        guard let revision = bytes.number(after: #""revision":"#),
            let birth = bytes.number(after: #""b":""#)
        else { return nil }
        self.sequence = sequence
        self.revision = revision
        self.birth = birth
        let visible = bytes.place(of: #""visible":"#, from: Swift.max(0, bytes.count - 4200))
        marker = visible.flatMap { bytes.number(after: #""m":"#, from: $0) }
        many = visible.flatMap { bytes.number(after: #""x":"#, from: $0) }
        guarded = GuardedState(bytes)
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// - Parameters:
    ///   - head: of an answer with an entity tag, which ends in the sequence number.
    ///   - body: an answer that is a session, or has one as its last member.
    init?(_ head: ResponseReader.Head, body: [UInt8]) {
        guard let sequence = head.record else { return nil }
        guard let place = body.place(of: #""session":{"#) else {
            self.init(body, sequence: sequence)
            return
        }
        let end = body.last == 0x0A ? body.count - 2 : body.count - 1
        self.init(Array(body[place + 10..<end]), sequence: sequence)
    }
}
