/// The request fields that this service looks at. All others are validated and forgotten.
///
/// A new one needs a case, its name, its repetition, and one place more in `RequestHead.fields`
/// and in `names` below. There is room for 32, which is what there are: one more asks for a wider
/// set of bits.
package enum Field: UInt8, CaseIterable, Sendable {
    case host, contentType, contentLength, contentEncoding, contentRange, transferEncoding
    case connection, expect, upgrade
    case authorization, cookie, origin, secFetchSite, referer
    case accept, acceptEncoding, prefer, idempotencyKey, lastEventID
    case ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, range
    case accessControlRequestMethod, accessControlRequestHeaders
    case xRequestID, traceparent, tracestate, userAgent, forwarded, xForwardedFor

    /// What a second line of the same name means.
    enum Repetition {
        /// The message is ambiguous and refused.
        case refused
        /// One list over several lines (RFC 9110 §5.3).
        case list
        /// Nothing hangs on it; the first line counts.
        case ignored
    }

    var repetition: Repetition {
        switch self {
        case .host, .contentType, .contentLength, .transferEncoding, .authorization, .origin,
            .secFetchSite, .idempotencyKey, .accessControlRequestMethod:
            .refused
        case .contentEncoding, .connection, .expect, .upgrade, .accept, .acceptEncoding, .prefer,
            .ifMatch, .ifNoneMatch, .accessControlRequestHeaders, .forwarded, .xForwardedFor,
            .tracestate, .cookie:
            .list
        case .contentRange, .referer, .lastEventID, .ifModifiedSince, .ifUnmodifiedSince, .range,
            .xRequestID, .traceparent, .userAgent:
            .ignored
        }
    }

    /// In lower case, as it is compared.
    package var name: String {
        switch self {
        case .host: "host"
        case .contentType: "content-type"
        case .contentLength: "content-length"
        case .contentEncoding: "content-encoding"
        case .contentRange: "content-range"
        case .transferEncoding: "transfer-encoding"
        case .connection: "connection"
        case .expect: "expect"
        case .upgrade: "upgrade"
        case .authorization: "authorization"
        case .cookie: "cookie"
        case .origin: "origin"
        case .secFetchSite: "sec-fetch-site"
        case .referer: "referer"
        case .accept: "accept"
        case .acceptEncoding: "accept-encoding"
        case .prefer: "prefer"
        case .idempotencyKey: "idempotency-key"
        case .lastEventID: "last-event-id"
        case .ifMatch: "if-match"
        case .ifNoneMatch: "if-none-match"
        case .ifModifiedSince: "if-modified-since"
        case .ifUnmodifiedSince: "if-unmodified-since"
        case .range: "range"
        case .accessControlRequestMethod: "access-control-request-method"
        case .accessControlRequestHeaders: "access-control-request-headers"
        case .xRequestID: "x-request-id"
        case .traceparent: "traceparent"
        case .tracestate: "tracestate"
        case .userAgent: "user-agent"
        case .forwarded: "forwarded"
        case .xForwardedFor: "x-forwarded-for"
        }
    }

    /// The field of this name in any case; nil for names that mean nothing here.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard range.count < PackedName.bytesMax else { return nil }
        var candidates = Self.byLength[range.count]
        guard candidates != 0 else { return nil }
        let name = PackedName(folding: bytes, range)
        while candidates != 0 {
            let index = candidates.trailingZeroBitCount
            if Self.names[index] == name {
                self.init(rawValue: UInt8(truncatingIfNeeded: index))
                return
            }
            candidates &= candidates &- 1
        }
        return nil
    }

    private static let names = InlineArray<32, PackedName> { PackedName(allCases[$0].name) }

    /// For each length the fields whose names have it, as bits.
    private static let byLength = InlineArray<32, UInt32> { length in
        allCases.reduce(0) { $0 | ($1.name.utf8.count == length ? 1 &<< UInt32($1.rawValue) : 0) }
    }
}
