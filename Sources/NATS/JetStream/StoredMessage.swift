internal import Bytes
package import JSON

/// A message as a stream has it.
package struct StoredMessage: Sendable {
    /// The subject under which it was published.
    package let subject: Subject
    /// Its number in the stream.
    package let sequence: Int
    /// When the stream's leader took it.
    package let time: Timestamp
    /// Its headers, or nil if it has none.
    package let headers: Headers?
    /// The content.
    package let payload: ArraySlice<UInt8>
}

/// The answer of `STREAM.MSG.GET`: the headers and the content are in base64 within JSON.
extension StoredMessage: AnswerBody {
    package init(_ members: JSONObject) throws(BodyError) {
        let message = try members.required("message")
        let name = try message.text("subject")
        do throws(SubjectError) {
            subject = try Subject(name)
        } catch {
            throw .subject(error)
        }
        sequence = try message.number("seq")
        guard let time = Timestamp(try message.text("time").utf8) else { throw .member("time") }
        self.time = time
        payload = try Self.bytes("data", of: message)[...]
        let block = try Self.bytes("hdrs", of: message)
        do throws(HeaderError) {
            headers = block.isEmpty ? nil : try Headers(block, block.indices)
        } catch {
            throw .header(error)
        }
    }

    private static func bytes(
        _ name: String, of members: JSONObject
    ) throws(BodyError) -> [UInt8] {
        guard let bytes = Base64.decode(try members.text(name, or: "")) else {
            throw .member(name)
        }
        return bytes
    }
}

/// The answer to a direct get, from any replica: the message as it was published, to whose headers
/// the server has added where it is from.
package enum DirectAnswer: Sendable {
    /// A message. In a batch, `place` says where it stands.
    case message(StoredMessage, place: BatchPlace?)
    /// Status 204: the batch ends here.
    case end(BatchEnd)
    /// Status 404: no message fits.
    case notFound
    /// Another status: 408 for a request that the server does not understand, 413 for too many
    /// subjects.
    case refused(Headers.Status)
    /// Status 503 without content: nobody listens to the subject.
    case noResponders

    /// Where a message stands in a batch.
    package struct BatchPlace: Equatable, Sendable {
        /// How many messages that fit come after it.
        package let pending: Int
        /// The number of the message before it in the batch, or 0.
        package let previous: Int
    }

    /// What the server says at the end of a batch.
    package struct BatchEnd: Equatable, Sendable {
        /// How many messages that fit were not sent.
        package let pending: Int
        /// The number of the last message in the batch.
        package let last: Int
        /// For the last ones of several subjects: up to which message the stream was looked at.
        package let upTo: Int?
    }

    package init(_ message: Message) throws(BodyError) {
        guard let headers = try message.checkedHeaders() else { throw .header(.missing(sequence)) }
        do throws(HeaderError) {
            self = try Self.read(headers, message)
        } catch {
            throw .header(error)
        }
    }

    /// A stored message can begin with any status that its publisher wrote; what has a number is a
    /// message nevertheless.
    private static func read(
        _ headers: Headers, _ message: Message
    ) throws(HeaderError) -> DirectAnswer {
        guard let number = try headers.number(sequence) else {
            guard let status = headers.status else { throw .missing(sequence) }
            switch status.code {
            case 204:
                return .end(
                    BatchEnd(
                        pending: try headers.required(pending), last: try headers.required(last),
                        upTo: try headers.number("Nats-UpTo-Sequence")))
            case 404: return .notFound
            case 503 where message.payload.isEmpty: return .noResponders
            default: return .refused(status)
            }
        }
        guard let name = headers["Nats-Subject"].flatMap({ try? Subject($0) }) else {
            throw .malformed("Nats-Subject")
        }
        guard let time = headers["Nats-Time-Stamp"].flatMap({ Timestamp($0) }) else {
            throw .malformed("Nats-Time-Stamp")
        }
        let stored = StoredMessage(
            subject: name, sequence: number, time: time, headers: headers,
            payload: message.content)
        guard let left = try headers.number(pending) else { return .message(stored, place: nil) }
        let place = BatchPlace(pending: left, previous: try headers.required(last))
        return .message(stored, place: place)
    }
}

private let sequence = "Nats-Sequence"
private let pending = "Nats-Num-Pending"
private let last = "Nats-Last-Sequence"

/// Collects a batch and notices a message that is missing, doubled or in the wrong place: each one
/// names the number of the one before it, and the end names the last one.
package struct BatchReader: Sendable {
    /// What is known after an answer.
    package enum Step: Sendable {
        case needsMore
        /// The batch is complete; `end` says whether there is more to ask for.
        case complete([StoredMessage], end: DirectAnswer.BatchEnd)
        /// Nothing fits.
        case empty
        /// The batch cannot be used; ask again.
        case broken
        /// The request was refused, or nobody answers.
        case refused(DirectAnswer)
    }

    private var messages: [StoredMessage] = []
    private let countMax: Int

    /// - Parameter countMax: how many messages were asked for.
    package init(countMax: Int) { self.countMax = countMax }

    /// Takes the next answer. After any step but `.needsMore` the batch is over.
    package mutating func take(_ answer: DirectAnswer) -> Step {
        let last = messages.last?.sequence ?? 0
        switch answer {
        case .message(let message, let place):
            guard let place, place.previous == last, message.sequence > last,
                messages.count < countMax
            else { return .broken }
            messages.append(message)
            return .needsMore
        case .end(let end):
            return end.last == last ? .complete(messages, end: end) : .broken
        case .notFound: return messages.isEmpty ? .empty : .broken
        case .refused, .noResponders: return .refused(answer)
        }
    }
}
