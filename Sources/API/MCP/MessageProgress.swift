internal import HTTP
package import Sessions

/// How far the messages of a request to `/mcp` have been answered. It does not change.
package final class MessageProgress: Sendable {
    /// The messages and their answers.
    let batch: MessageBatch

    init(_ batch: MessageBatch) { self.batch = batch }

    /// The memory in bytes, besides what all requests have.
    var heldBytes: Int { batch.heldBytes }

    /// The same progress after the decision on whether the last change is kept.
    func settling(_ decision: TicketDecision) -> MessageProgress {
        var batch = batch
        batch.settle(decision.outcome)
        return MessageProgress(batch)
    }
}

/// The messages of a request, and the answers so far.
struct MessageBatch: Sendable {
    /// Whether the body is an array.
    let isArray: Bool
    /// Where the messages are in the body, from its first byte.
    private let parts: [Range<Int>]
    /// The number of messages that are done.
    private var doneCount = 0
    /// The answers to those of them that are requests.
    private(set) var answers: [MessageAnswer] = []
    /// How many times a change failed because somebody else made one first.
    private var conflicts = 0

    init(_ parts: [Range<Int>], isArray: Bool) {
        self.parts = parts
        self.isArray = isArray
    }

    /// The next message, or nil if all are done.
    var next: Range<Int>? { doneCount < parts.count ? parts[doneCount] : nil }

    /// Notes that the next message is done.
    ///
    /// - Parameter answer: nil if it is no request.
    mutating func finish(_ answer: MessageAnswer?) {
        doneCount += 1
        if let answer { answers.append(answer) }
    }

    /// Handles the outcome of the change that the last answer shows. If it is not kept, the answer
    /// says why, or the message is answered once more.
    mutating func settle(_ outcome: TicketOutcome) {
        guard let last = answers.popLast() else { return }
        switch outcome {
        case .kept: return answers.append(last)
        case .conflict:
            conflicts += 1
            if conflicts > Self.conflictsMax {
                return answers.append(last.replaced(by: .tooManyConflicts))
            }
        case .refused(let error):
            // The change is undone, so a read can show the state before it.
            guard error == .full, last.isRead else {
                return answers.append(last.replaced(by: Problem(error) ?? .unknownOutcome))
            }
        case .unknown: return answers.append(last.replaced(by: .unknownOutcome))
        }
        doneCount -= 1
    }

    /// A message is given up after more conflicts than this.
    private static let conflictsMax = 8

    /// The memory in bytes of the answers and the positions.
    var heldBytes: Int {
        answers.reduce(parts.count * MemoryLayout<Range<Int>>.stride) { $0 + 256 + $1.text.count }
    }
}

/// What has been done so far of a request that is carried out in portions.
package enum PortionProgress: Sendable {
    case commands(CommandProgress)
    case messages(MessageProgress)

    /// The memory in bytes, besides what all requests have.
    package var heldBytes: Int {
        switch self {
        case .commands(let progress): progress.heldBytes
        case .messages(let progress): progress.heldBytes
        }
    }

    /// Whether the whole request is refused once the store takes no more changes.
    package var endsWithStore: Bool {
        switch self {
        case .commands: true
        case .messages: false
        }
    }

    /// The same progress after the decision on which changes of the last portion are kept.
    package func settling(_ decision: TicketDecision) -> PortionProgress {
        switch self {
        case .commands(let progress): .commands(progress.settling(decision))
        case .messages(let progress): .messages(progress.settling(decision))
        }
    }
}
