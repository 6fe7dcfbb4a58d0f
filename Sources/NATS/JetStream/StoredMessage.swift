internal import Bytes
package import JSON

/// A message read from a stream.
package struct StoredMessage: Sendable {
    /// The subject under which it was published.
    package let subject: Subject
    /// Its stream sequence.
    package let sequence: Int
    /// When the stream's leader received it.
    package let time: Timestamp
    /// Its headers, if it has any.
    package let headers: Headers?
    /// Its payload.
    package let payload: ArraySlice<UInt8>
}

/// The response to `STREAM.MSG.GET`, a JSON object in which headers and payload are base64.
extension StoredMessage: AnswerBody {
    package init(_ members: JSONObject) throws(BodyError) {
        let message = try members.required("message")
        let name = try message.text("subject")
        do throws(SubjectError) {
            subject = try Subject(name)
        } catch {
            throw .subject(error)
        }
        sequence = try message.sequence("seq")
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

/// One response to a direct get, from any replica. A message comes as it was published; the server
/// appends headers that say where it is stored.
package enum DirectAnswer: Sendable {
    /// A message. If the request was for a batch, `place` is its place in the batch.
    case message(StoredMessage, place: BatchPlace?)
    /// Status 204: the end of the batch.
    case end(BatchEnd)
    /// Status 404: no message matches.
    case notFound
    /// Any other status, such as 408 for an invalid request or 413 for too many matching subjects.
    case refused(Headers.Status)
    /// Status 503 with an empty payload: nobody is subscribed to the subject.
    case noResponders

    /// The place of a message in a batch.
    package struct BatchPlace: Equatable, Sendable {
        /// How many more messages match after this one.
        package let pending: Int
        /// The stream sequence of the previous message in the batch; 0 for the first message.
        package let previous: Int
    }

    /// What the server reports at the end of a batch.
    package struct BatchEnd: Equatable, Sendable {
        /// How many matching messages were not sent.
        package let pending: Int
        /// The stream sequence of the last message in the batch.
        package let last: Int
    }

    package init(_ message: Message) throws(BodyError) {
        guard let headers = try message.checkedHeaders() else { throw .header(.missing(sequence)) }
        do throws(HeaderError) {
            self = try Self.read(headers, message)
        } catch {
            throw .header(error)
        }
    }

    /// A stored message may begin with any status that its publisher chose, so a response with a
    /// sequence is a message whatever its status.
    private static func read(
        _ headers: Headers, _ message: Message
    ) throws(HeaderError) -> DirectAnswer {
        guard let number = try headers.number(sequence) else {
            guard let status = headers.status else { throw .missing(sequence) }
            switch status.code {
            case 204:
                return .end(
                    BatchEnd(
                        pending: try headers.required(pending), last: try headers.required(last)))
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

/// Collects a batch and detects messages that are missing, duplicated or out of order: each message
/// names the sequence of the previous one, and the end of the batch that of the last one.
package struct BatchReader: Sendable {
    /// The state of the batch after a response.
    package enum Step: Sendable {
        case needsMore
        /// The batch is complete. `end.pending` says whether there is more to request.
        case complete([StoredMessage], end: DirectAnswer.BatchEnd)
        /// No message matches.
        case empty
        /// The batch is inconsistent and must be requested again.
        case broken
        /// The server refused the request, or there are no responders.
        case refused(DirectAnswer)
    }

    private var messages: [StoredMessage] = []
    private let countMax: Int

    /// - Parameter countMax: the maximum number of messages that was requested.
    package init(countMax: Int) { self.countMax = countMax }

    /// Adds the next response. After any step other than `.needsMore` the batch has ended.
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
