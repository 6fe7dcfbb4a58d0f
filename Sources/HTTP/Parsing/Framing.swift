internal import Bytes

/// The fields' statement on the end of the message and whether the connection stays open.
///
/// The safety of the service behind a proxy depends on this type (RFC 9112 §6). It refuses whatever
/// two readers could understand differently, so that it never reads a request that the proxy did
/// not see.
///
/// | fields | meaning |
/// | --- | --- |
/// | neither | no body |
/// | one `Content-Length` of digits only | that many bytes; 413 above the limit, however large |
/// | one `Transfer-Encoding`, exactly `chunked` | chunks, in HTTP/1.1 |
/// | other codings before `chunked` | 501; 400 if the last one is not `chunked` (§6.1, §6.3) |
/// | anything else, or both | refused |
struct FramingFacts: Sendable {
    var saysClose = false
    var saysKeepAlive = false
    var isChunked = false
    var hasOtherCoding = false
    var expectsContinue = false
    var hasOtherExpectation = false
    /// `Int.max` if it is too large for `Int`.
    var length: Int?
    var authority: Authority?

    mutating func take(
        _ field: Field, _ message: Span<UInt8>, value range: Range<Int>
    ) throws(MalformedMessageError) {
        switch field {
        case .host:
            guard let host = Authority(message, range) else { throw .host }
            authority = host
        case .contentLength: length = try Self.length(message, range)
        case .transferEncoding: try takeCoding(message, range)
        case .connection: takeOptions(message, range)
        case .expect: takeExpectation(message, range)
        case .contentType, .contentEncoding, .contentRange, .authorization, .origin, .secFetchSite,
            .accept, .acceptEncoding, .prefer, .idempotencyKey, .lastEventID, .ifMatch,
            .ifNoneMatch, .accessControlRequestMethod, .xRequestID, .traceparent,
            .mcpProtocolVersion, .mcpMethod, .mcpName:
            break
        }
    }

    private static func length(
        _ message: Span<UInt8>, _ range: Range<Int>
    ) throws(MalformedMessageError) -> Int {
        guard let length = Decimal.saturated(message.extracting(range)) else {
            throw .contentLength
        }
        return length
    }

    private mutating func takeCoding(
        _ message: Span<UInt8>, _ range: Range<Int>
    ) throws(MalformedMessageError) {
        if message.matches(range, ignoringCase: "chunked") {
            isChunked = true
            return
        }
        for index in range {
            let byte = message[index]
            guard ASCII.isToken(byte) || ASCII.isBlank(byte) || byte == ASCII.comma
            else { throw .transferEncoding }
        }
        // If the last coding is another one, the end of the body is unknown (§6.3).
        var endsChunked = false
        Self.forEachElement(of: message, in: range) {
            endsChunked = message.matches($0, ignoringCase: "chunked")
        }
        guard endsChunked else { throw .transferEncoding }
        hasOtherCoding = true
    }

    /// `Connection` is a list of tokens, on any number of lines (RFC 9110 §7.6.1).
    private mutating func takeOptions(_ message: Span<UInt8>, _ range: Range<Int>) {
        Self.forEachElement(of: message, in: range) { option in
            if message.matches(option, ignoringCase: "close") { saysClose = true }
            if message.matches(option, ignoringCase: "keep-alive") { saysKeepAlive = true }
        }
    }

    /// `Expect` is a list, too (§10.1.1). If it is empty, nothing is expected.
    private mutating func takeExpectation(_ message: Span<UInt8>, _ range: Range<Int>) {
        Self.forEachElement(of: message, in: range) { expectation in
            if message.matches(expectation, ignoringCase: "100-continue") {
                expectsContinue = true
            } else {
                hasOtherExpectation = true
            }
        }
    }

    /// Calls the closure for each element of a list, without the blanks around it. Empty elements
    /// are skipped (RFC 9110 §5.6.1.2).
    private static func forEachElement(
        of message: Span<UInt8>, in range: Range<Int>, _ body: (Range<Int>) -> Void
    ) {
        var start = range.lowerBound
        while start < range.upperBound {
            var end = start
            while end < range.upperBound, message[end] != ASCII.comma { end += 1 }
            let element = message.trimmingBlanks(start..<end)
            if !element.isEmpty { body(element) }
            start = end + 1
        }
    }
}

/// How the length of the body is known.
enum BodyFraming: Equatable {
    case length(Int)
    case chunked
}

extension HeadParser {
    /// Checks the head as a whole: first what is ambiguous, then what is not supported, then sizes.
    mutating func judgeHead(_ limits: ParserLimits) throws(MalformedMessageError) -> BodyFraming {
        head.body.start = position
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
        // The authority of the target takes precedence (RFC 9112 §3.2.2), but an invalid `Host` is
        // refused in any case.
        if head.authority == nil { head.authority = authority.packed }
    }
}
