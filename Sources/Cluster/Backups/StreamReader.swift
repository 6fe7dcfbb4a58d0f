internal import NATS

/// Asks the servers for the next portions of streams that are being read.
final class StreamReader {
    /// What came for a reading.
    struct Portion {
        /// What the portion was asked for.
        let token: UInt64
        /// The reading after it.
        let reading: StreamReading
        /// The messages. Nil if the servers did not answer in time.
        let messages: [StoredMessage]?
    }

    private struct Inquiry {
        let token: UInt64
        var reading: StreamReading
        let deadline: Int64
        /// When to ask. Nil while an answer is awaited.
        var wakesAt: Int64?
    }

    private let requests: StoreRequests
    private let timeout: Int64
    private var inquiries: [Int: Inquiry] = [:]
    private var lastNumber = 0
    private var finished: [Portion] = []

    private static let pauseMilliseconds: Int64 = 50

    /// - Parameter timeout: how long a portion is asked for, in milliseconds.
    init(_ requests: StoreRequests, timeout: Int64) {
        self.requests = requests
        self.timeout = timeout
    }

    /// Whether `takeFinished` has something.
    var hasFinished: Bool { !finished.isEmpty }

    /// When to call `expired`.
    var deadline: Int64 {
        inquiries.values.reduce(.max) { min($0, $1.deadline, $1.wakesAt ?? .max) }
    }

    /// Has the next portion asked for.
    func read(_ reading: StreamReading, for token: UInt64, at now: Int64) {
        lastNumber += 1
        inquiries[lastNumber] = Inquiry(
            token: token, reading: reading, deadline: now + timeout, wakesAt: now)
    }

    /// Drops what is asked for.
    func end(_ token: UInt64) {
        inquiries = inquiries.filter { $0.value.token != token }
        finished.removeAll { $0.token == token }
    }

    /// What came since the last call.
    func takeFinished() -> [Portion] {
        defer { finished = [] }
        return finished
    }

    /// Asks what is due, and gives up what has waited too long.
    func expired(at now: Int64) {
        for (number, inquiry) in inquiries {
            if inquiry.deadline <= now {
                inquiries[number] = nil
                finished.append(
                    Portion(token: inquiry.token, reading: inquiry.reading, messages: nil))
            } else if let time = inquiry.wakesAt, time <= now {
                ask(number, inquiry, at: now)
            }
        }
    }

    private func ask(_ number: Int, _ inquiry: Inquiry, at now: Int64) {
        var reading = inquiry.reading
        let request = reading.request()
        inquiries[number]?.reading = reading
        inquiries[number]?.wakesAt = nil
        let isSent = requests.send(
            request.subject, payload: request.payload, for: .portion(number), at: now)
        if !isSent { pause(number, at: now) }
    }

    private func pause(_ number: Int, at now: Int64) {
        inquiries[number]?.wakesAt = now + Self.pauseMilliseconds
    }

    /// The time of a request is up, or its link broke.
    func unanswered(_ number: Int, at now: Int64) { pause(number, at: now) }

    /// An answer came.
    ///
    /// - Returns: whether it was the last one to this request.
    func answered(_ number: Int, _ message: Message, at now: Int64) -> Bool {
        guard var inquiry = inquiries[number], inquiry.wakesAt == nil else { return true }
        let step = inquiry.reading.take(message)
        inquiries[number]?.reading = inquiry.reading
        switch step {
        case .needsMore: return false
        case .again: pause(number, at: now)
        case .messages(let messages):
            inquiries[number] = nil
            finished.append(
                Portion(token: inquiry.token, reading: inquiry.reading, messages: messages))
        }
        return true
    }
}
