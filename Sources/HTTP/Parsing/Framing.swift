internal import Bytes

/// What the fields say about where the message ends and whether the connection lives on.
///
/// This is the security core (RFC 9112 §6): whatever two readers could understand differently is
/// refused, so that nothing behind a proxy is ever read as a request that the proxy did not see.
///
/// | said | taken as |
/// | --- | --- |
/// | nothing | no body |
/// | one `Content-Length`, digits alone | that many bytes; over the limit 413, whatever its size |
/// | one `Transfer-Encoding`, exactly `chunked` | chunks, in HTTP/1.1 |
/// | others before `chunked` | 501; where the last is not `chunked`, 400 (§6.1, §6.3) |
/// | anything else, or both | refused |
struct FramingFacts: Sendable {
    var saysClose = false
    var saysKeepAlive = false
    var isChunked = false
    var hasOtherCoding = false
    var expectsContinue = false
    var hasOtherExpectation = false
    /// `Int.max` stands for everything that is larger than any limit.
    var length: Int?
    var authority: Authority?

    @inline(__always)
    mutating func take(
        _ field: Field, _ message: Span<UInt8>, _ range: Range<Int>
    ) throws(MalformedMessageError) {
        switch field {
        case .host:
            guard let host = Authority(message, range) else { throw .host }
            authority = host
        case .contentLength: length = try Self.length(message, range)
        case .transferEncoding: try takeCoding(message, range)
        case .connection: takeOptions(message, range)
        case .expect: takeExpectation(message, range)
        case .contentType, .contentEncoding, .contentRange, .upgrade, .authorization, .cookie,
            .origin, .secFetchSite, .referer, .accept, .acceptEncoding, .prefer, .idempotencyKey,
            .lastEventID, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .range,
            .accessControlRequestMethod, .accessControlRequestHeaders, .xRequestID, .traceparent,
            .tracestate, .userAgent, .forwarded, .xForwardedFor:
            break
        }
    }

    private static func length(
        _ message: Span<UInt8>, _ range: Range<Int>
    ) throws(MalformedMessageError) -> Int {
        guard !range.isEmpty else { throw .contentLength }
        var value = 0
        for index in range {
            guard ASCII.isDigit(message[index]) else { throw .contentLength }
            let (tens, tooBig) = value.multipliedReportingOverflow(by: 10)
            let (sum, tooBigToo) = tens.addingReportingOverflow(Int(message[index] - ASCII.zero))
            value = tooBig || tooBigToo ? .max : sum
        }
        return value
    }

    private mutating func takeCoding(
        _ message: Span<UInt8>, _ range: Range<Int>
    ) throws(MalformedMessageError) {
        if Self.equals(message, range, "chunked") {
            isChunked = true
            return
        }
        for index in range {
            let byte = message[index]
            guard ASCII.isToken(byte) || ASCII.isBlank(byte) || byte == ASCII.comma
            else { throw .transferEncoding }
        }
        // Where the last coding is another one, nobody knows where the body ends (§6.3).
        var endsChunked = false
        Self.forEachElement(message, range) { endsChunked = Self.equals(message, $0, "chunked") }
        guard endsChunked else { throw .transferEncoding }
        hasOtherCoding = true
    }

    /// `Connection` is a list of tokens, on any number of lines (RFC 9110 §7.6.1).
    private mutating func takeOptions(_ message: Span<UInt8>, _ range: Range<Int>) {
        Self.forEachElement(message, range) { option in
            if Self.equals(message, option, "close") { saysClose = true }
            if Self.equals(message, option, "keep-alive") { saysKeepAlive = true }
        }
    }

    /// So is `Expect` (§10.1.1); without an element it expects nothing.
    private mutating func takeExpectation(_ message: Span<UInt8>, _ range: Range<Int>) {
        Self.forEachElement(message, range) { expectation in
            if Self.equals(message, expectation, "100-continue") {
                expectsContinue = true
            } else {
                hasOtherExpectation = true
            }
        }
    }

    /// The elements of a list, without the blanks around them; empty ones are passed over
    /// (RFC 9110 §5.6.1.2).
    @inline(__always)
    private static func forEachElement(
        _ message: Span<UInt8>, _ range: Range<Int>, _ body: (Range<Int>) -> Void
    ) {
        var low = range.lowerBound
        while low < range.upperBound {
            var end = low
            while end < range.upperBound, message[end] != ASCII.comma { end += 1 }
            var high = end
            while low < high, ASCII.isBlank(message[low]) { low += 1 }
            while high > low, ASCII.isBlank(message[high - 1]) { high -= 1 }
            if low < high { body(low..<high) }
            low = end + 1
        }
    }

    private static func equals(
        _ message: Span<UInt8>, _ range: Range<Int>, _ text: StaticName
    ) -> Bool {
        guard text.bytes.count == range.count else { return false }
        var index = range.lowerBound
        for byte in text.bytes {
            guard ASCII.lowercased(message[index]) == byte else { return false }
            index &+= 1
        }
        return true
    }
}

/// How many bytes follow the head.
enum BodyFraming: Equatable {
    case length(Int)
    case chunked
}

extension HeadParser {
    /// Judges the head as a whole, ambiguities before wishes before sizes.
    mutating func judgeHead(_ limits: ParserLimits) throws(MalformedMessageError) -> BodyFraming {
        head.headEnd = position
        try judgeHost()
        if facts.isChunked || facts.hasOtherCoding {
            guard facts.length == nil else { throw .lengthBesideChunked }
            guard head.minorVersion == 1 else { throw .chunkedInHTTP10 }
        }
        guard !facts.hasOtherCoding else { throw .transferCoding }
        guard !facts.hasOtherExpectation else { throw .expectation }
        head.keepsAlive = !facts.saysClose && (head.minorVersion == 1 || facts.saysKeepAlive)
        // An expectation of HTTP/1.0 is ignored (RFC 9110 §10.1.1).
        head.expectsContinue = facts.expectsContinue && head.minorVersion == 1
        guard !facts.isChunked else { return .chunked }
        let length = facts.length ?? 0
        guard length <= limits.bodyBytesMax else {
            throw .bodyTooLarge(bytesMax: limits.bodyBytesMax)
        }
        return .length(length)
    }

    private mutating func judgeHost() throws(MalformedMessageError) {
        guard let authority = facts.authority else {
            guard head.minorVersion == 0 else { throw .hostMissing }
            return
        }
        // The target's authority wins (RFC 9112 §3.2.2), but a bad Host is refused all the same.
        if !head.hasHost { head.take(authority) }
    }
}
