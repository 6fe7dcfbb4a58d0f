internal import NATS

// Reads a stream once, in its order, up to the end that it had when the reading began.
//
//     question   is asked of      answer                             next question
//     end        the leader       the number of the last message     portion
//     portion    any replica      messages up to the end             none
//     portion    any replica      messages, and there are more       portion
//     portion    any replica      it has no more messages            rest
//     rest       the leader       there are none up to the end       none
//     rest       the leader       there are: the replica is behind   portion, after a pause
//
// A portion is one request, whose messages name the ones before them, so that none is missing. The
// next one is requested when the client wants it, so a slow client does not make the servers send
// more than one.

/// A stream that is being read. See the top of this file.
struct StreamReading {
    /// The meaning of a message of the answer.
    enum Step {
        /// More messages belong to the answer.
        case needsMore
        /// The question has to be asked again after a pause.
        case again
        /// The answer is complete. The next question can be asked, unless the stream is at its end.
        case messages([StoredMessage])
    }

    private enum Question { case end, portion, rest }

    let stream: SubjectToken
    /// Whether everything has been read.
    private(set) var isAtEnd = false
    private var question = Question.end
    private var last = 0
    private var end = 0
    private var batch = BatchReader(countMax: countMax)

    private static let countMax = 1_024
    private static let portionBytes = 256 << 10
    private static let all = SubjectFilter(trusted: ">")

    init(_ stream: SubjectToken) { self.stream = stream }

    /// The next request.
    mutating func request() -> (subject: Subject, payload: [UInt8]) {
        batch = BatchReader(countMax: Self.countMax)
        switch question {
        case .end: return (JetStreamAPI.streamInfo(stream), [])
        case .portion:
            let query = MessageQuery.batch(
                Self.all, from: last + 1, count: Self.countMax, bytes: Self.portionBytes)
            return (JetStreamAPI.directGet(stream), query.body)
        case .rest:
            return (
                JetStreamAPI.messageGet(stream),
                MessageQuery.next(Self.all, from: last + 1).body
            )
        }
    }

    /// Takes an answer.
    mutating func take(_ message: Message) -> Step {
        switch question {
        case .end: takeEnd(message)
        case .portion: takePart(message)
        case .rest: takeRest(message)
        }
    }

    private mutating func takeEnd(_ message: Message) -> Step {
        guard case .value(let info)? = try? message.answer(as: StreamInfo.self), info.hasLeader
        else { return .again }
        end = info.state.lastSequence
        isAtEnd = info.state.messages == 0
        question = .portion
        return .messages([])
    }

    private mutating func takePart(_ message: Message) -> Step {
        guard let answer = try? DirectAnswer(message) else { return .again }
        switch batch.take(answer) {
        case .needsMore: return .needsMore
        case .complete(let messages, let pending):
            last = messages.last?.sequence ?? last
            isAtEnd = last >= end
            if pending == 0 { question = .rest }
            return .messages(messages.filter { $0.sequence <= end })
        case .empty:
            question = .rest
            return .messages([])
        case .broken: return .again
        }
    }

    private mutating func takeRest(_ message: Message) -> Step {
        switch try? message.answer(as: StoredMessage.self) {
        case .value(let next):
            isAtEnd = next.sequence > end
            question = .portion
            return isAtEnd ? .messages([]) : .again
        case .refused(let error) where error.kind == .messageNotFound:
            isAtEnd = true
            return .messages([])
        case .refused, .noResponders, nil: return .again
        }
    }
}
