internal import Bytes

/// The metadata of a message from a consumer, which the server encodes in the reply subject
/// (ADR-15):
///
///     $JS.ACK.<stream>.<consumer>.<delivered>.<stream seq>.<consumer seq>.<time>.<pending>
///     $JS.ACK.<domain>.<account hash>.<stream>.… the same …[.<anything>]
package struct Delivery: Equatable, Sendable {
    /// The name of the stream.
    package let stream: String
    /// The name of the consumer.
    package let consumer: String
    /// How many times the message has been delivered, including this time.
    package let delivered: Int
    /// The stream sequence of the message.
    package let streamSequence: Int
    /// The consumer sequence: deliveries are numbered from 1, without gaps.
    package let consumerSequence: Int
    /// When the message was stored.
    package let time: Timestamp
    /// How many messages the consumer still has to deliver after this one.
    package let pending: Int

    /// Parses a reply subject. Returns nil if it is not one of the forms above.
    package init?(_ reply: ArraySlice<UInt8>) {
        let tokens = reply.split(
            separator: ASCII.dot, maxSplits: 12, omittingEmptySubsequences: false)
        guard tokens.count == 9 || tokens.count >= 11, tokens[0].elementsEqual("$JS".utf8),
            tokens[1].elementsEqual("ACK".utf8)
        else { return nil }
        let first = tokens.count == 9 ? 2 : 4
        let numbers = tokens[(first + 2)..<(first + 7)].compactMap {
            Decimal.saturated(Array($0).span)
        }
        guard numbers.count == 5, !numbers.contains(.max), numbers[2] > 0,
            StreamSequence.range.contains(numbers[1]),
            let stream = String(validating: tokens[first], as: UTF8.self), !stream.isEmpty,
            let consumer = String(validating: tokens[first + 1], as: UTF8.self), !consumer.isEmpty
        else { return nil }
        self.stream = stream
        self.consumer = consumer
        (delivered, streamSequence, consumerSequence) = (numbers[0], numbers[1], numbers[2])
        (time, pending) = (Timestamp(nanoseconds: numbers[3]), numbers[4])
    }
}

/// A message received on the deliver subject of a push consumer.
package enum FeedItem: Equatable, Sendable {
    /// A message from the stream.
    case delivery(Delivery)
    /// Status 100, idle heartbeat: the consumer exists and has nothing to send, or it is stalled
    /// and waits for a flow control reply on the subject `stalled`.
    case heartbeat(Heartbeat)
    /// Status 100, flow control: publish an empty message to this subject once everything received
    /// before it has been processed.
    case flowControl(Subject)
    /// Status 409 or any other: the consumer is gone or about to go.
    case status(Headers.Status)

    /// The content of an idle heartbeat.
    package struct Heartbeat: Equatable, Sendable {
        /// The consumer sequence of the last delivery; 0 before the first.
        package let lastConsumer: Int
        /// The stream sequence up to which the consumer has read.
        package let lastStream: Int
        /// The flow control subject on which a stalled consumer waits for a reply. It is nil if the
        /// consumer is not stalled.
        package let stalled: Subject?

        package init(lastConsumer: Int, lastStream: Int, stalled: Subject?) {
            self.lastConsumer = lastConsumer
            self.lastStream = lastStream
            self.stalled = stalled
        }
    }

    /// Classifies a message. One with a `$JS.ACK` reply subject comes from the stream, whatever
    /// status its publisher put into the headers. Anything else must have a status.
    package init(_ message: Message) throws(BodyError) {
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
                Heartbeat(
                    lastConsumer: last, lastStream: try headers.required("Nats-Last-Stream"),
                    stalled: stalled))
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
