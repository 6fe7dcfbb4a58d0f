internal import NATS

/// Asks the servers for the next portions of streams that are being read, one for each token at a
/// time.
final class StreamReader {
    /// A portion of a stream that a reading has received.
    struct Portion {
        /// The token of the request for the portion.
        let token: UInt64
        let reading: StreamReading
        /// The messages. Nil if the servers did not answer in time.
        let messages: [StoredMessage]?
    }

    private struct Inquiry {
        var reading: StreamReading
        let deadline: Int64
        /// When to ask. Nil while an answer is awaited.
        var wakesAt: Int64?
    }

    private let requests: StoreRequests
    private let timeout: Int64
    private var inquiries: [UInt64: Inquiry] = [:]
    private var finished: [Portion] = []

    private static let pauseMilliseconds: Int64 = 50

    /// - Parameter timeout: how long a portion is asked for, in milliseconds.
    init(_ requests: StoreRequests, timeout: Int64) {
        self.requests = requests
        self.timeout = timeout
    }

    var hasFinished: Bool { !finished.isEmpty }

    var deadline: Int64 {
        inquiries.values.reduce(.max) { min($0, $1.deadline, $1.wakesAt ?? .max) }
    }

    /// Has the next portion asked for.
    func read(_ reading: StreamReading, for token: UInt64, at now: Int64) {
        inquiries[token] = Inquiry(reading: reading, deadline: now + timeout, wakesAt: now)
    }

    /// Drops what is asked for.
    func end(_ token: UInt64) {
        inquiries[token] = nil
        finished.removeAll { $0.token == token }
    }

    /// The portions that arrived since the last call.
    func takeFinished() -> [Portion] {
        defer { finished = [] }
        return finished
    }

    /// Asks what is due, and gives up what has waited too long.
    func expired(at now: Int64) {
        for (token, inquiry) in inquiries {
            if inquiry.deadline <= now {
                finish(token, with: nil)
            } else if let time = inquiry.wakesAt, time <= now {
                ask(token, inquiry, at: now)
            }
        }
    }

    private func ask(_ token: UInt64, _ inquiry: Inquiry, at now: Int64) {
        var inquiry = inquiry
        let request = inquiry.reading.request()
        inquiry.wakesAt = nil
        inquiries[token] = inquiry
        let isSent = requests.send(
            request.subject, payload: request.payload, for: .portion(token), at: now)
        if !isSent { unanswered(token, at: now) }
    }

    private func finish(_ token: UInt64, with messages: [StoredMessage]?) {
        guard let inquiry = inquiries.removeValue(forKey: token) else { return }
        finished.append(Portion(token: token, reading: inquiry.reading, messages: messages))
    }

    /// The time of a request is up, or its link broke: it is sent again after a pause.
    func unanswered(_ token: UInt64, at now: Int64) {
        inquiries[token]?.wakesAt = now + Self.pauseMilliseconds
    }

    /// An answer came.
    ///
    /// - Returns: whether it was the last one to this request.
    func answered(_ token: UInt64, _ message: Message, at now: Int64) -> Bool {
        guard inquiries[token]?.wakesAt == nil, let step = inquiries[token]?.reading.take(message)
        else { return true }
        switch step {
        case .needsMore: return false
        case .again: unanswered(token, at: now)
        case .messages(let messages): finish(token, with: messages)
        }
        return true
    }
}
