internal import Bytes

// Most clients send the same field lines with all their requests. Lines that are equal to those of
// an earlier request, byte by byte, are not read again: only their `Content-Length` and their
// `Idempotency-Key` may differ, in the same number of characters.
//
// `MessageParser` alone decides what is valid. What is kept here are its results, for requests of
// HTTP/1.1 with a plain path and without `Transfer-Encoding` and `Expect`. A connection's lines are
// compared only with lines that the same connection has sent, so that no client can find out by
// timing what others send. Connections with equal lines share an entry.

/// Field lines that have been parsed.
///
/// All parsers that use an instance have the same limits. Its memory is bounded, whatever clients
/// send.
public final class KnownHeads {
    /// The field lines of a head, and what they say.
    final class Entry {
        /// A number that no other lines get.
        fileprivate let number: UInt64
        /// The lines with the empty line that ends them.
        fileprivate let lines: [UInt8]
        /// Where in the lines the digits of `Content-Length` are; empty without that field.
        fileprivate let digits: Range<Int>
        /// Where the `Idempotency-Key` is; empty without that field.
        fileprivate let key: Range<Int>
        /// The parsed head, as if the lines were the whole message.
        fileprivate let head: RequestHead

        fileprivate init(
            number: UInt64, lines: [UInt8], digits: Range<Int>, key: Range<Int>,
            head: RequestHead
        ) {
            self.number = number
            self.lines = lines
            self.digits = digits
            self.key = key
            self.head = head
        }

        /// The head of a message whose request line is this one, if its field lines are these.
        ///
        /// - Returns: nil for other lines, and if some are missing.
        func head(_ message: Span<UInt8>, after line: PlainRequestLine) -> RequestHead? {
            let end = line.end &+ lines.count
            guard end <= message.count, hasSameLines(message.extracting(line.end..<end)),
                let length = length(message, from: line.end)
            else { return nil }
            var head = head
            head.method = line.method
            head.readPath(message, line.target)
            head.fieldsStart = line.end
            head.authority?.host.move(by: line.end)
            head.body.start = end
            head.body.messageLength = end &+ length
            head.fieldLines = number
            return head
        }

        fileprivate func isSame(as other: Span<UInt8>) -> Bool {
            let lines = lines
            return lines.span.isSame(as: other)
        }

        private func hasSameLines(_ other: Span<UInt8>) -> Bool {
            let lines = lines
            let own = lines.span
            let (first, second) = key.lowerBound < digits.lowerBound ? (key, digits) : (digits, key)
            guard Self.isSame(own, other, in: 0..<first.lowerBound),
                Self.isSame(own, other, in: first.upperBound..<second.lowerBound),
                Self.isSame(own, other, in: second.upperBound..<own.count)
            else { return false }
            // White space at the ends of a value does not belong to it.
            for index in key where !ASCII.isVisible(other[index]) { return false }
            return true
        }

        private static func isSame(
            _ own: Span<UInt8>, _ other: Span<UInt8>, in range: Range<Int>
        ) -> Bool {
            own.extracting(range).isSame(as: other.extracting(range))
        }

        /// The length that the message has among its lines, which begin at `start`.
        private func length(_ message: Span<UInt8>, from start: Int) -> Int? {
            var length = 0
            for index in digits {
                let byte = message[start &+ index]
                guard ASCII.isDigit(byte) else { return nil }
                length = 10 &* length &+ Int(byte &- ASCII.zero)
            }
            return length
        }
    }

    private var entries = [Entry?](repeating: nil, count: entriesMax)
    private var count: UInt64 = 0

    /// A power of two. An entry is replaced by another one whose lines have the same hash.
    public static let entriesMax = 1 << 10
    /// Longer lines are not kept.
    private static let bytesMax = 1 << 10
    /// A length with more digits is not kept.
    private static let digitsMax = 9

    public init() {}

    subscript(number: UInt64) -> Entry? {
        let entry = entries[Int(truncatingIfNeeded: number) & (Self.entriesMax - 1)]
        return entry?.number == number ? entry : nil
    }

    /// Keeps the field lines of a request if they can be recognized.
    ///
    /// - Returns: their number, or 0 if they are not kept.
    func remember(_ request: Request) -> UInt64 {
        let lineStart = request.base + request.head.fieldsStart
        let range = lineStart..<request.base + request.head.body.start
        guard range.count <= Self.bytesMax, request.head.body.isInline,
            !request.head.expectsContinue
        else { return 0 }
        func place(_ field: Field) -> Range<Int> {
            request[field].map { $0.lowerBound - lineStart..<$0.upperBound - lineStart } ?? 0..<0
        }
        let digits = place(.contentLength)
        guard digits.count <= Self.digitsMax else { return 0 }
        let bytes = request.bytes
        let lines = bytes.span.extracting(range)
        let slot = slot(of: lines)
        if let entry = entries[slot], entry.isSame(as: lines) { return entry.number }
        count += 1
        let number = count * UInt64(Self.entriesMax) + UInt64(slot)
        var head = request.head
        head.fieldsStart = 0
        head.authority?.host.move(by: -request.head.fieldsStart)
        entries[slot] = Entry(
            number: number, lines: Array(bytes[range]), digits: digits,
            key: place(.idempotencyKey), head: head)
        return number
    }

    /// Clients cannot foresee the hash, so none of them can replace the entry of another at will.
    private func slot(of lines: Span<UInt8>) -> Int {
        var hasher = Hasher()
        lines.hash(into: &hasher)
        return hasher.finalize() & (Self.entriesMax - 1)
    }
}

/// A complete request line in the form that most have: a method, a path with or without a query,
/// and `HTTP/1.1`.
struct PlainRequestLine {
    let method: Method
    let target: Range<Int>
    /// Where the field lines begin.
    let end: Int

    /// Nil for all other lines, which are left to `HeadParser`.
    init?(_ message: Span<UInt8>, _ limits: ParserLimits) {
        guard message.count >= 16 else { return nil }
        let methodEnd = EightBytes(message, at: 0).count(before: ASCII.space)
        guard methodEnd < 8, message[methodEnd &+ 1] == ASCII.slash,
            let method = Method(message, 0..<methodEnd)
        else { return nil }
        let start = methodEnd &+ 1
        var position = start
        while position &+ 8 <= message.count {
            let passed = EightBytes(message, at: position).targetCount
            position &+= passed
            if passed < 8 { break }
        }
        guard position &+ 11 <= message.count, message[position] == ASCII.space,
            EightBytes(message, at: position &+ 1).word == HeadParser.usualVersion,
            message[position &+ 9] == ASCII.carriageReturn,
            message[position &+ 10] == ASCII.lineFeed,
            position &- start <= limits.targetBytesMax, position <= limits.requestLineBytesMax
        else { return nil }
        self.method = method
        target = start..<position
        end = position &+ 11
    }
}
