/// A request that kept every rule: its bytes, and where in them things are.
///
/// Nothing of it ever changes; it is a class so that handing it on counts one reference. It shares
/// `bytes` with the buffer it was read into, so making one copies nothing; but while one is alive,
/// writing into that buffer copies the buffer. Use it up before the next read, or keep
/// `compacted()`.
///
/// Ranges are indices into `bytes`. Text is made only on demand, by `value(of:)`, `text(_:)` and
/// the types that read one field.
package final class Request: Sendable {
    package let bytes: [UInt8]
    /// What holds the body: `bytes`, or an array of its own if the body came in chunks.
    package let bodyBytes: [UInt8]
    /// The body in `bodyBytes`, after decoding; empty if there is none.
    package let bodyRange: Range<Int>
    let base: Int
    let head: RequestHead

    init(
        bytes: [UInt8], bodyBytes: [UInt8], bodyRange: Range<Int>, base: Int, head: RequestHead
    ) {
        self.bytes = bytes
        self.bodyBytes = bodyBytes
        self.bodyRange = bodyRange
        self.base = base
        self.head = head
    }

    package var method: Method { head.method }
    /// 0 or 1; 1.2 to 1.9 are served as 1.1 (RFC 9110 §2.5).
    package var minorVersion: Int { Int(head.minorVersion) }
    /// Whether the request has content, or has announced it where only the head is known.
    package var hasContent: Bool { !bodyRange.isEmpty || head.announcesContent }
    /// Bytes of memory that it holds.
    package var heldBytes: Int {
        bytes.capacity + (head.bodyIsInline ? 0 : bodyBytes.capacity)
    }
    /// Whether the client wants another request on this connection (RFC 9112 §9.3).
    package var keepsAlive: Bool { head.keepsAlive }
    /// It said `Expect: 100-continue`. Already dealt with when there is a request.
    package var expectsContinue: Bool { head.expectsContinue }
    /// `OPTIONS *`: asks about the server, not about a resource.
    package var isAsterisk: Bool { head.isAsterisk }

    /// The path, percent-encoded as it came. Empty for `http://host` and stands for `/` then.
    package var path: Range<Int> { head.path.range(from: base) }
    /// What is behind the `?`, if there is one.
    package var query: Range<Int>? { head.hasQuery ? head.query.range(from: base) : nil }
    /// The host that the request is for: the target's if it names one, else that of `Host`.
    /// Nil only in HTTP/1.0. With brackets, without the port.
    package var host: Range<Int>? { head.hasHost ? head.host.range(from: base) : nil }
    package var port: UInt16? { head.hasPort ? head.port : nil }

    /// The body without copying it.
    package var body: ArraySlice<UInt8> { bodyBytes[bodyRange] }

    /// The value of the first line with this name, without the blanks around it.
    package subscript(field: Field) -> Range<Int>? {
        head.has(field) ? head.fields[Int(field.rawValue)].range(from: base) : nil
    }

    /// The value as text; nil if the field is absent or is not UTF-8.
    package func value(of field: Field) -> String? {
        self[field].flatMap(text)
    }

    /// The bytes of a range as text; nil if they are not UTF-8.
    package func text(_ range: Range<Int>) -> String? {
        String(validating: bytes[range], as: UTF8.self)
    }

    /// Whether the field is there with exactly this value, in any case.
    package func has(_ field: Field, _ value: StaticName) -> Bool {
        self[field].map { bytes.matches($0, ignoringCase: value) } ?? false
    }

    /// What the answer has to know of its request.
    package var exchange: Exchange {
        Exchange(isHead: method == .head, minorVersion: minorVersion, keepsAlive: keepsAlive)
    }

    /// The same request with a copy of its own bytes and no hold on the buffer.
    package func compacted() -> Request {
        guard head.bodyIsInline else {
            let own = Array(bytes[base..<base + head.headEnd])
            return Request(
                bytes: own, bodyBytes: bodyBytes, bodyRange: bodyRange, base: 0, head: head)
        }
        let own = Array(bytes[base..<base + head.messageLength])
        // Without a body the range is empty and not one of `bytes`.
        let start = bodyRange.isEmpty ? 0 : bodyRange.lowerBound - base
        return Request(
            bytes: own, bodyBytes: own, bodyRange: start..<start + bodyRange.count, base: 0,
            head: head)
    }

    /// One whole message, parsed; nil if it ends too early. For tests, and for requests from text.
    package static func parsed(
        _ message: [UInt8], limits: ParserLimits = ParserLimits()
    ) throws(MalformedMessageError) -> Request? {
        var parser = RequestParser(limits: limits)
        switch parser.parse(message, from: 0, to: message.count) {
        case .needsMore: return nil
        case .request(let request, _): return request
        case .refused(let malformation): throw malformation
        }
    }
}

/// What is known of a head. Small enough to move about, and without storage of its own.
struct RequestHead: Sendable {
    var method = Method.get
    var minorVersion: UInt8 = 1
    var keepsAlive = true
    var expectsContinue = false
    var isAsterisk = false
    var hasQuery = false
    var hasHost = false
    var hasPort = false
    var bodyIsInline = true
    /// Its content has been announced and is not there. Only of a head alone.
    var announcesContent = false
    var port: UInt16 = 0
    var path = PackedRange()
    var query = PackedRange()
    var host = PackedRange()
    /// The fields that came, and those that came on several lines, as bits.
    var present: UInt32 = 0
    var repeated: UInt32 = 0
    /// Where the field lines begin and where the empty line behind them ends.
    var fieldsStart = 0
    var headEnd = 0
    /// Head and body as they came.
    var messageLength = 0
    var fields = InlineArray<32, PackedRange>(repeating: PackedRange())

    @inline(__always)
    init() {}

    @inline(__always)
    func has(_ field: Field) -> Bool { present & Self.bit(field) != 0 }

    func isRepeated(_ field: Field) -> Bool { repeated & Self.bit(field) != 0 }

    @inline(__always)
    static func bit(_ field: Field) -> UInt32 { 1 &<< UInt32(field.rawValue) }
}
