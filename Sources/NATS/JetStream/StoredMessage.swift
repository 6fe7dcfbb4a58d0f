internal import Bytes
public import JSON

/// A message read from a stream.
public struct StoredMessage: Sendable {
    /// The subject under which it was published.
    public let subject: Subject
    public let sequence: Int
    /// When the stream's leader received it.
    public let time: ServerTime
    public let headers: Headers?
    public let payload: ArraySlice<UInt8>
}

/// The response to `STREAM.MSG.GET`, a JSON object in which headers and payload are base64.
extension StoredMessage: AnswerBody {
    public init(_ members: JSONObject) throws(BodyError) {
        let message = try members.required("message")
        let name = try message.text("subject")
        do throws(SubjectError) {
            subject = try Subject(name)
        } catch {
            throw .subject(error)
        }
        sequence = try message.sequence("seq")
        time = try message.time("time")
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
public enum DirectAnswer: Sendable {
    /// A message. In a batch, `previous` is the stream sequence of the one before it, 0 for the
    /// first.
    case message(StoredMessage, previous: Int?)
    /// Status 204: the end of the batch, with the stream sequence of its last message and the
    /// number of matching messages that were not sent.
    case end(last: Int, pending: Int)
    /// Status 404: no message matches.
    case notFound
    /// Any other status, such as 408 for an invalid request, 413 for too many matching subjects, or
    /// 503 if there is no subscriber.
    case refused(Headers.Status)

    public init(_ message: Message) throws(BodyError) {
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
                let left = try headers.required(pending)
                return .end(last: try headers.required(last), pending: left)
            case 404: return .notFound
            default: return .refused(status)
            }
        }
        guard let name = headers["Nats-Subject"].flatMap({ try? Subject($0) }) else {
            throw .malformed("Nats-Subject")
        }
        guard let time = headers["Nats-Time-Stamp"].flatMap({ ServerTime($0) }) else {
            throw .malformed("Nats-Time-Stamp")
        }
        let stored = StoredMessage(
            subject: name, sequence: number, time: time, headers: headers,
            payload: message.content)
        let isInBatch = try headers.number(pending) != nil
        return .message(stored, previous: isInBatch ? try headers.required(last) : nil)
    }
}

private let sequence = "Nats-Sequence"
private let pending = "Nats-Num-Pending"
private let last = "Nats-Last-Sequence"

/// Collects a batch and detects messages that are missing, duplicated or out of order: each message
/// names the sequence of the previous one, and the end of the batch that of the last one.
public struct BatchReader: Sendable {
    /// The state of the batch after a response.
    public enum Step: Sendable {
        case needsMore
        /// The batch is complete; this many messages are left to request.
        case complete([StoredMessage], pending: Int)
        /// No message matches.
        case empty
        /// The batch is inconsistent or was refused, and must be requested again.
        case broken
    }

    private var messages: [StoredMessage] = []
    private let countMax: Int

    /// - Parameter countMax: the maximum number of messages that was requested.
    public init(countMax: Int) { self.countMax = countMax }

    /// Adds the next response. After any step other than `.needsMore` the batch has ended.
    public mutating func take(_ answer: DirectAnswer) -> Step {
        let last = messages.last?.sequence ?? 0
        switch answer {
        case .message(let message, let previous):
            guard previous == last, message.sequence > last, messages.count < countMax
            else { return .broken }
            messages.append(message)
            return .needsMore
        case .end(let end, let left) where end == last: return .complete(messages, pending: left)
        case .notFound where messages.isEmpty: return .empty
        case .end, .notFound, .refused: return .broken
        }
    }
}
