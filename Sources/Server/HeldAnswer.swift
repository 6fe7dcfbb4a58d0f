internal import API
internal import Bytes
internal import HTTP
internal import Sessions

/// An encoded answer that is sent when its changes are kept, the beginning of a stream, or a
/// portion of a request after which the next one may not begin yet. It is a class, as it goes from
/// part to part and is too large to be copied.
final class HeldAnswer {
    /// The changes that must be kept first.
    let visibleAfter: Tickets
    /// The decision on these changes, if not all of them are kept.
    var decision: TicketDecision?
    /// The approximate number of clients to notify of the changes.
    let audience: Int
    var text: HeldText
    /// Whether the connection may be used again after the answer.
    var persists: Bool
    /// Whether more follows the text.
    var isStream = false
    /// For the log and the metrics. It is nil for streams and backups, which are logged when they
    /// begin.
    private(set) var facts: RequestFacts?
    /// The facts about the request on which the response depends.
    let exchange: Exchange
    /// Whether the request asks for no change.
    let isRead: Bool
    /// The request, if it may have to be processed again: a read if the changes that it shows are
    /// undone, and a change if another client made one first.
    let request: Request?
    /// How an answer that takes its place is written, if the request is a message of an agent.
    let form: AnswerForm?

    /// - Parameter visibility: when the answer may be shown.
    init(
        to request: Request, _ visibility: Visibility, text: HeldText, persists: Bool,
        facts: RequestFacts? = nil
    ) {
        visibleAfter = visibility.after
        audience = visibility.audience
        self.text = text
        self.persists = persists
        self.facts = facts
        form = visibility.form
        exchange = request.exchange
        isRead = visibility.isRead(request)
        self.request = visibility.mayRepeat(request) ? request.compacted() : nil
    }

    /// The request's path.
    var path: [UInt8] { request.map { Array($0.bytes[$0.path]) } ?? text.path }

    /// Replaces the answer by the one that is shown when the store has failed.
    ///
    /// - Parameter refusal: the response that the text encodes.
    func replace(by text: HeldText, _ refusal: Response, persists: Bool) {
        self.text = text
        self.persists = persists
        facts?.status = refusal.status
        facts?.bytes = refusal.body.count
    }

    /// Bytes of memory.
    var heldBytes: Int { text.count + (request?.heldBytes ?? 0) }

    /// When an answer may be shown, and what takes its place if it may not.
    struct Visibility {
        /// The changes that must be kept first.
        var after: Tickets
        /// The approximate number of clients to notify of the changes.
        var audience = 0
        /// How a refusal is written, for a message of an agent.
        var form: AnswerForm?

        func isRead(_ request: Request) -> Bool { form?.isRead ?? request.method.isSafe }

        /// Whether the request may have to be processed again.
        func mayRepeat(_ request: Request) -> Bool {
            isRead(request) || !after.singles.isEmpty
        }
    }
}

/// Encoded answers, one after the other.
private final class AnswerBuffer {
    var bytes: ByteWriter

    init(capacity: Int) { bytes = ByteWriter(capacity: capacity) }
}

/// An encoded answer: a range of a buffer, and what was appended later.
struct HeldText {
    private let buffer: AnswerBuffer
    private let range: Range<Int>
    /// The path of the request, or an empty range.
    private let pathRange: Range<Int>
    private var rest: [UInt8] = []

    fileprivate init(_ buffer: AnswerBuffer, _ range: Range<Int>, path: Range<Int>) {
        (self.buffer, self.range, pathRange) = (buffer, range, path)
    }

    /// An answer with bytes of its own.
    init(_ bytes: [UInt8]) {
        buffer = AnswerBuffer(capacity: bytes.count)
        buffer.bytes.append(bytes)
        range = 0..<bytes.count
        pathRange = 0..<0
    }

    var count: Int { range.count + rest.count }

    var path: [UInt8] { buffer.bytes.bytes(pathRange) }

    mutating func append(_ more: [UInt8]) { rest += more }

    /// Calls a function with each part in order.
    func forEachPart(_ body: (Span<UInt8>) -> Void) {
        buffer.bytes.withText { body($0.extracting(range)) }
        if !rest.isEmpty { body(rest.span) }
    }
}

/// The buffers of the answers that are held. A buffer has the answers of a turn, or some of them,
/// and is used again once all of them are sent.
struct AnswerBuffers {
    private var buffers = [AnswerBuffer(capacity: bytesMax)]
    /// The buffer that takes the next answer.
    private var current = 0

    /// A buffer with more bytes than this takes no further answer.
    private static let bytesMax = 16 << 10
    /// The number of buffers that are kept.
    private static let countMax = 32

    /// Encodes an answer into a buffer.
    ///
    /// - Parameter path: the path of the request, if it is to be kept.
    mutating func append(
        path: ArraySlice<UInt8>, _ encode: (inout ByteWriter) -> Void
    ) -> HeldText {
        if isKnownUniquelyReferenced(&buffers[current]) {
            empty(current)
        } else if buffers[current].bytes.count > Self.bytesMax / 2 {
            next()
        }
        let buffer = buffers[current]
        let start = buffer.bytes.count
        encode(&buffer.bytes)
        let end = buffer.bytes.count
        if !path.isEmpty { buffer.bytes.append(path) }
        return HeldText(buffer, start..<end, path: end..<buffer.bytes.count)
    }

    /// Goes on to a buffer without answers.
    private mutating func next() {
        current = (current + 1) % buffers.count
        if isKnownUniquelyReferenced(&buffers[current]) { return empty(current) }
        // It is kept in memory as long as one of its answers is held.
        let buffer = AnswerBuffer(capacity: Self.bytesMax)
        if buffers.count < Self.countMax {
            buffers.insert(buffer, at: current)
        } else {
            buffers[current] = buffer
        }
    }

    private mutating func empty(_ index: Int) {
        if buffers[index].bytes.heldBytes > 2 * Self.bytesMax {
            buffers[index] = AnswerBuffer(capacity: Self.bytesMax)
        } else {
            buffers[index].bytes.removeAll()
        }
    }
}
