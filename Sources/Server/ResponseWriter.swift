internal import API
internal import Bytes
internal import HTTP
internal import POSIX

// The one way by which bytes leave: answers, streams and backups.
//
// Answers are encoded into one buffer that all connections share, and several answers to one
// connection are sent with one write. Only what the socket does not take is kept with the
// connection, in its outbox. A long body is not copied into the buffer.

/// The result of writing to a socket.
enum WriteResult {
    /// Everything is written.
    case complete
    /// The socket takes no more now, and the rest is in the outbox.
    case blocked
    /// The connection has failed.
    case failed
}

/// Encodes answers and writes to the sockets. It reports to its caller what became of a write, and
/// changes nothing of a connection but the outbox.
final class ResponseWriter {
    /// Answers that may not be shown yet.
    private var held = AnswerBuffers()
    /// Answers to the connection that is being served, or parts of its stream; empty otherwise.
    private var output = ByteWriter(capacity: outputBytes)
    /// A long body, or a long part of a stream, that comes after `output`.
    private var body: [UInt8] = []
    private let budget: BufferBudget
    private let share: FairShare
    private let clock: TurnClock

    /// The most bytes that are written to one connection together.
    static let writeBytesMax = 64 << 10
    /// A larger buffer than this is freed after the answer that needed it.
    private static let outputBytesKept = 1 << 20
    private static let outputBytes = 16 << 10

    init(budget: BufferBudget, share: FairShare, clock: TurnClock) {
        self.budget = budget
        self.share = share
        self.clock = clock
    }

    // MARK: - Encoding

    /// Bytes that are encoded and not sent, without a long body.
    var encodedCount: Int { output.count }

    /// Whether nothing is encoded.
    var isEmpty: Bool { output.count == 0 && body.isEmpty }

    /// Whether a long body, after which nothing can be encoded, waits to be sent.
    var hasBody: Bool { !body.isEmpty }

    /// Encodes an answer.
    ///
    /// - Returns: whether the connection may be used again after it.
    func encode(
        _ response: Response, to exchange: Exchange, _ connection: Connection
    ) -> Bool {
        let before = output.count
        defer { share.noteAnswer(connection, bytes: output.count - before + body.count) }
        guard response.body.count > Self.writeBytesMax, response.showsBody(to: exchange),
            connection.outbox.isEmpty
        else {
            return ResponseEncoder.encode(
                response, to: exchange, id: connection.exchange.requestID, date: clock.date,
                into: &output)
        }
        body = response.body
        return ResponseEncoder.encodeHead(
            response, to: exchange, id: connection.exchange.requestID, date: clock.date,
            into: &output)
    }

    /// Encodes an answer that may not be shown yet.
    ///
    /// - Parameter path: the path of the request, if the answer has to keep it.
    /// - Returns: its text, and whether the connection may be used again after it.
    func encodeHeld(
        _ response: Response, to exchange: Exchange, id: RequestID, path: ArraySlice<UInt8> = []
    ) -> (text: HeldText, persists: Bool) {
        var persists = false
        let text = held.append(path: path) { bytes in
            persists = ResponseEncoder.encode(
                response, to: exchange, id: id, date: clock.date, into: &bytes)
        }
        return (text, persists)
    }

    /// Encodes an answer that is the last one of its connection.
    func encodeAlone(_ response: Response, to exchange: Exchange, id: RequestID) -> [UInt8] {
        var bytes = ByteWriter(capacity: 1024)
        ResponseEncoder.encode(response, to: exchange, id: id, date: clock.date, into: &bytes)
        return bytes.finish()
    }

    /// Encodes the head of a stream.
    func encodeStreamHead(
        _ response: Response, to exchange: Exchange, id: RequestID
    ) -> (bytes: [UInt8], framing: StreamFraming) {
        var bytes = ByteWriter(capacity: 1024)
        let framing = ResponseEncoder.encodeStreamHead(
            response, to: exchange, id: id, date: clock.date, into: &bytes)
        return (bytes.finish(), framing)
    }

    /// Encodes the answer to what is not a request, or arrived too slowly.
    ///
    /// - Parameter isHead: whether it began as a `HEAD` request, whose answer has no content.
    func encodeRefusal(_ response: Response, id: RequestID, isHead: Bool) {
        _ = ResponseEncoder.encode(
            response, to: .refusal(isHead: isHead), id: id, date: clock.date, into: &output)
    }

    func encodeContinue() { ResponseEncoder.encodeContinue(into: &output) }

    /// Adds an answer that is encoded already.
    func append(_ text: HeldText) { text.forEachPart { output.append($0) } }

    /// Adds a part of a stream. A long one is not copied, so that connections share its bytes.
    func append(part: [UInt8]) {
        if part.count < Outbox.sharedBytesMin { output.append(part) } else { body = part }
    }

    /// Whether a part of a stream can be sent together with those before it.
    func hasRoom(forPart part: [UInt8]) -> Bool {
        part.count < Outbox.sharedBytesMin && output.count + part.count <= Self.writeBytesMax
    }

    /// Returns what is encoded, and forgets it.
    func takeEncoded() -> [UInt8] {
        defer { discardEncoded() }
        return output.count == 0 ? body : output.bytes + body
    }

    // MARK: - Writing

    /// Sends what is encoded, after all that the outbox holds, and keeps what the socket does not
    /// take.
    func sendEncoded(to connection: Connection) -> WriteResult {
        defer { discardEncoded() }
        var (sent, sentOfBody) = (0, 0)
        do {
            if connection.outbox.isEmpty {
                if output.count > 0 {
                    sent = try output.withText { text throws(SystemError) in
                        try connection.descriptor.send(text.extracting(first: Self.writeBytesMax))
                            ?? 0
                    }
                }
                if sent == output.count, !body.isEmpty {
                    let some = min(body.count, Self.writeBytesMax)
                    sentOfBody = try connection.descriptor.send(body, 0..<some) ?? 0
                }
            }
        } catch {
            return .failed
        }
        share.spend(.output(bytes: sent + sentOfBody))
        if sent == output.count, sentOfBody == body.count { return .complete }
        connection.outbox.append(output.bytes(sent..<output.count), &budget.shared)
        connection.outbox.append(body, from: sentOfBody, &budget.shared)
        return .blocked
    }

    /// Forgets what is encoded, for a connection that has been closed.
    func discardEncoded() {
        if output.heldBytes > Self.outputBytesKept {
            output = ByteWriter(capacity: Self.outputBytes)
        } else {
            output.removeAll()
        }
        if !body.isEmpty { body = [] }
    }

    /// Writes what the outbox holds, up to `writeBytesMax`. Returns nil if the socket takes nothing
    /// now.
    func flush(_ connection: Connection) -> WriteResult? {
        var left = Self.writeBytesMax
        do {
            while left > 0, let (bytes, range) = connection.outbox.next(atMost: left) {
                let count = try connection.descriptor.send(bytes, range) ?? 0
                connection.outbox.advance(by: count, &budget.shared)
                share.spend(.output(bytes: count))
                left -= count
                guard count == range.count else { break }
            }
        } catch {
            return .failed
        }
        guard left < Self.writeBytesMax else { return nil }
        return connection.outbox.isEmpty ? .complete : .blocked
    }

    /// Adds bytes to the outbox without writing.
    func keep(_ bytes: [UInt8], for connection: Connection) {
        connection.outbox.append(bytes, &budget.shared)
    }
}
