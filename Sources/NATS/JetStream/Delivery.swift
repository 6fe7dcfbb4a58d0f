internal import Bytes

/// Where a message from a consumer comes from, which is in its reply subject (ADR-15):
///
///     $JS.ACK.<stream>.<consumer>.<delivered>.<stream seq>.<consumer seq>.<time>.<pending>
///     $JS.ACK.<domain>.<account hash>.<stream>.… the same …[.<anything>]
package struct Delivery: Equatable, Sendable {
    /// The name of the stream.
    package let stream: String
    /// The name of the consumer.
    package let consumer: String
    /// How often the message has been delivered.
    package let delivered: Int
    /// The number of the message in the stream.
    package let streamSequence: Int
    /// The number of the delivery, from 1 on without a gap.
    package let consumerSequence: Int
    /// When the message was stored.
    package let time: Timestamp
    /// How many messages of the consumer come after it.
    package let pending: Int

    /// Reads a reply subject. Returns nil for anything else.
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
        guard numbers.count == 5, !numbers.contains(.max), numbers[1] > 0, numbers[2] > 0,
            let stream = String(validating: tokens[first], as: UTF8.self), !stream.isEmpty,
            let consumer = String(validating: tokens[first + 1], as: UTF8.self), !consumer.isEmpty
        else { return nil }
        self.stream = stream
        self.consumer = consumer
        (delivered, streamSequence, consumerSequence) = (numbers[0], numbers[1], numbers[2])
        (time, pending) = (Timestamp(nanoseconds: numbers[3]), numbers[4])
    }
}

/// What a push consumer sends.
package enum FeedItem: Equatable, Sendable {
    /// A message from the stream.
    case delivery(Delivery)
    /// Status 100: the consumer is there and has nothing to send, or waits for an answer to its
    /// flow control, to the subject `stalled`.
    case heartbeat(Heartbeat)
    /// Status 100: publish an empty message to this subject when all that came before is done.
    case flowControl(Subject)
    /// Status 409 and others: the consumer is gone, or about to be.
    case status(Headers.Status)

    /// What a consumer says when it has nothing to send.
    package struct Heartbeat: Equatable, Sendable {
        /// The number of the last delivery.
        package let lastConsumer: Int
        /// The number in the stream that was looked at last.
        package let lastStream: Int
        /// Where the answer to flow control must go that the consumer waits for, or nil.
        package let stalled: Subject?

        package init(lastConsumer: Int, lastStream: Int, stalled: Subject?) {
            self.lastConsumer = lastConsumer
            self.lastStream = lastStream
            self.stalled = stalled
        }
    }

    /// A message with a reply subject of JetStream is from the stream, whatever status its
    /// publisher wrote into it. Everything else has a status.
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

    /// A subject of flow control. Nothing is published to a subject of any other kind because a
    /// server says so.
    private static func flowControlSubject(_ bytes: ArraySlice<UInt8>) -> Subject? {
        guard bytes.starts(with: "$JS.FC.".utf8) else { return nil }
        return try? Subject(bytes)
    }
}

private let stalledName = "Nats-Consumer-Stalled"
