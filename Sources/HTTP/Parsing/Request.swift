internal import Bytes

/// A valid request: its bytes, and where its parts are in them.
///
/// It is immutable, and a class so that passing it on costs one reference count. It shares `bytes`
/// with the buffer that it was read into. Creating it copies nothing, but as long as it exists,
/// writing into that buffer copies the buffer: finish with it before the next read, or keep
/// `compacted()` instead.
///
/// Ranges are indices into `bytes`. Text is created only on demand, by `value(of:)`, `text(_:)` and
/// the types that read one field.
public final class Request: Sendable {
    /// The buffer that the request was read from, which may hold other bytes around it.
    public let bytes: [UInt8]
    /// The array that contains the body: `bytes`, or another one if the body was sent in chunks.
    public let bodyBytes: [UInt8]
    /// The body in `bodyBytes`, after decoding; empty if there is none.
    public let bodyRange: Range<Int>
    /// The index of the first byte of the message.
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

    /// A request whose body, if it has one, is among the bytes of the message.
    convenience init(inline bytes: [UInt8], base: Int, head: RequestHead) {
        let range = base + head.body.start..<base + head.body.messageLength
        self.init(
            bytes: bytes, bodyBytes: range.isEmpty ? [] : bytes,
            bodyRange: range.isEmpty ? 0..<0 : range, base: base, head: head)
    }

    /// The method.
    public var method: Method { head.method }
    /// The minor version of HTTP/1, 0 or 1; 1.2 to 1.9 are treated as 1.1 (RFC 9110 §2.5).
    public var minorVersion: Int { Int(head.minorVersion) }
    /// Whether the request has content or, if only its head has come, announces it.
    public var hasContent: Bool { !bodyRange.isEmpty || head.body.isAnnounced }
    /// Bytes of memory that the request keeps alive.
    public var heldBytes: Int {
        bytes.capacity + (head.body.isInline ? 0 : bodyBytes.capacity)
    }
    /// Whether the client wants another request on this connection (RFC 9112 §9.3).
    public var keepsAlive: Bool { head.keepsAlive }
    /// Whether the request has `Expect: 100-continue`, which the parser has already handled.
    public var expectsContinue: Bool { head.expectsContinue }
    /// Whether the target is `*`: the request is about the server and not about a resource.
    public var isAsterisk: Bool { head.target.isAsterisk }

    /// The path as it was sent, percent-encoded. It is empty for `http://host`, which means `/`.
    public var path: Range<Int> { head.target.path.range(from: base) }
    /// The part after the `?`, if there is one.
    public var query: Range<Int>? { head.target.query?.range(from: base) }
    /// The host that the request is for, from the target or else from `Host`, with brackets and
    /// without the port. Nil only in HTTP/1.0.
    public var host: Range<Int>? { head.authority?.host.range(from: base) }
    /// The port that was sent with the host, if any.
    public var port: UInt16? { head.authority?.port }

    /// The body, not copied.
    public var body: ArraySlice<UInt8> { bodyBytes[bodyRange] }

    /// The value of the first line with this name, without the blanks around it, or nil if the
    /// field was not sent.
    public subscript(field: Field) -> Range<Int>? {
        head.fields[field]?.range(from: base &+ head.fieldsStart)
    }

    /// A number that all requests of one `KnownHeads` have whose field lines are the same but for
    /// the digits of `Content-Length`. It is 0 if nothing is known of other requests.
    public var fieldLines: UInt64 { head.fieldLines }

    /// The value of a field as text, or nil if the field is absent or not UTF-8.
    public func value(of field: Field) -> String? {
        self[field].flatMap(text)
    }

    /// The bytes of a range as text, or nil if they are not UTF-8.
    public func text(_ range: Range<Int>) -> String? {
        String(utf8: bytes[range])
    }

    /// Whether the field was sent with exactly this value, in upper or lower case.
    public func has(_ field: Field, _ value: StaticName) -> Bool {
        self[field].map { bytes.matches($0, ignoringCase: value) } ?? false
    }

    /// The members that a response depends on.
    public var exchange: Exchange {
        Exchange(isHead: method == .head, minorVersion: minorVersion, keepsAlive: keepsAlive)
    }

    /// The same request with a copy of its own bytes, so that the buffer can be reused.
    public func compacted() -> Request {
        guard head.body.isInline else {
            let own = Array(bytes[base..<base + head.body.start])
            return Request(
                bytes: own, bodyBytes: bodyBytes, bodyRange: bodyRange, base: 0, head: head)
        }
        let own = Array(bytes[base..<base + head.body.messageLength])
        // Without a body the range is empty and has no place in `bytes`.
        let start = bodyRange.isEmpty ? 0 : bodyRange.lowerBound - base
        return Request(
            bytes: own, bodyBytes: own, bodyRange: start..<start + bodyRange.count, base: 0,
            head: head)
    }
}
