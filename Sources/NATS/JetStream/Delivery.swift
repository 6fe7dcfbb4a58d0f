internal import Bytes

/// The metadata of a message from a consumer, which the server encodes in the reply subject
/// (ADR-15):
///
///     $JS.ACK.<stream>.<consumer>.<delivered>.<stream seq>.<consumer seq>.<time>.<pending>
///     $JS.ACK.<domain>.<account hash>.<stream>.… the same …[.<anything>]
public struct Delivery: Equatable, Sendable {
    public let streamSequence: Int
    /// The consumer sequence: deliveries are numbered from 1, without gaps.
    public let consumerSequence: Int
    /// When the message was stored.
    public let time: ServerTime
    /// How many messages the consumer still has to deliver after this one.
    public let pending: Int

    /// Parses a reply subject. Returns nil if it is not one of the forms above.
    public init?(_ reply: ArraySlice<UInt8>) {
        let bytes = reply.span
        // Where the first twelve tokens end. What follows them is not looked at.
        var ends = InlineArray<12, Int>(repeating: bytes.count)
        var dots = 0
        var dot = bytes.index(of: ASCII.dot, in: bytes.indices)
        while dot < bytes.count, dots < ends.count {
            ends[dots] = dot
            dots += 1
            dot = bytes.index(of: ASCII.dot, in: dot + 1..<bytes.count)
        }
        func token(_ number: Int) -> Range<Int> {
            (number == 0 ? 0 : ends[number - 1] + 1)..<ends[number]
        }
        func number(_ place: Int) -> Int? {
            Decimal.saturated(bytes.extracting(token(place))).flatMap { $0 < .max ? $0 : nil }
        }
        let prefix = StaticString("$JS.ACK.")
        let isAck =
            bytes.count >= prefix.utf8CodeUnitCount
            && bytes.isSame(as: prefix, in: 0..<prefix.utf8CodeUnitCount)
        guard dots == 8 || dots >= 10, isAck else { return nil }
        let first = dots == 8 ? 2 : 4
        guard !token(first).isEmpty, !token(first + 1).isEmpty, number(first + 2) != nil,
            let streamSequence = number(first + 3), let consumerSequence = number(first + 4),
            let nanoseconds = number(first + 5), let pending = number(first + 6),
            consumerSequence > 0, JSONBody.sequences.contains(streamSequence)
        else { return nil }
        (self.streamSequence, self.consumerSequence) = (streamSequence, consumerSequence)
        (time, self.pending) = (ServerTime(nanoseconds: nanoseconds), pending)
    }
}

/// A message received on the deliver subject of a push consumer.
public enum FeedItem: Equatable, Sendable {
    /// A message from the stream.
    case delivery(Delivery)
    /// Status 100, idle heartbeat: the consumer exists and has nothing to send, or it is stalled
    /// and waits for a flow control reply on the subject `stalled`. `lastConsumer` is the consumer
    /// sequence of the last delivery, 0 before the first, and `lastStream` the stream sequence up
    /// to which the consumer has read.
    case heartbeat(lastConsumer: Int, lastStream: Int, stalled: Subject?)
    /// Status 100, flow control: publish an empty message to this subject once everything received
    /// before it has been processed.
    case flowControl(Subject)
    /// Status 409 or any other: the consumer is gone or about to go.
    case status(Headers.Status)

    /// Classifies a message. One with a `$JS.ACK` reply subject comes from the stream, whatever
    /// status its publisher put into the headers. Anything else must have a status.
    public init(_ message: Message) throws(BodyError) {
        if let delivery = message.reply.flatMap({ Delivery($0) }) {
            self = .delivery(delivery)
            return
        }
        guard let headers = try message.checkedHeaders(), let status = headers.status else {
            throw .header(.statusLine)
        }
        do throws(HeaderError) {
            self = try Self.read(status, headers, reply: message.reply)
        } catch {
            throw .header(error)
        }
    }

    private static func read(
        _ status: Headers.Status, _ headers: Headers, reply: ArraySlice<UInt8>?
    ) throws(HeaderError) -> FeedItem {
        guard status.code == 100 else { return .status(status) }
        if let last = try headers.number("Nats-Last-Consumer") {
            let stalled = try headers[stalledName].map { value throws(HeaderError) in
                guard let subject = flowControlSubject(value) else {
                    throw .malformed(stalledName)
                }
                return subject
            }
            return .heartbeat(
                lastConsumer: last, lastStream: try headers.required("Nats-Last-Stream"),
                stalled: stalled)
        }
        guard let subject = reply.flatMap(flowControlSubject) else {
            throw .missing("Nats-Last-Consumer")
        }
        return .flowControl(subject)
    }

    /// Returns the subject if it is a flow control subject. A server cannot make the client publish
    /// to any other.
    private static func flowControlSubject(_ bytes: ArraySlice<UInt8>) -> Subject? {
        guard bytes.starts(with: "$JS.FC.".utf8) else { return nil }
        return try? Subject(bytes)
    }
}

private let stalledName = "Nats-Consumer-Stalled"
