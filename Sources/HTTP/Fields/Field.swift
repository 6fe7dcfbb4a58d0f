/// The request fields that this service reads. All other fields are checked and ignored.
///
/// A new field needs a case, a name, a repetition, and room for one more in `FieldTable.ranges` and
/// in `names` below. There can be at most 32, since sets of fields are bits of a number.
public enum Field: UInt8, CaseIterable, Sendable {
    case host, contentType, contentLength, contentEncoding, contentRange, transferEncoding
    case connection, expect
    case authorization, origin, secFetchSite
    case accept, acceptEncoding, prefer, idempotencyKey, lastEventID
    case ifMatch, ifNoneMatch
    case accessControlRequestMethod
    case xRequestID, traceparent
    case mcpProtocolVersion, mcpMethod, mcpName

    /// The meaning of a second line with the same name.
    enum Repetition {
        /// The message is ambiguous and is refused.
        case refused
        /// All lines form one list (RFC 9110 §5.3).
        case list
        /// The repetition is harmless; the value of the first line is used.
        case ignored
    }

    var repetition: Repetition {
        switch self {
        case .host, .contentType, .contentLength, .transferEncoding, .authorization, .origin,
            .secFetchSite, .idempotencyKey, .accessControlRequestMethod, .mcpProtocolVersion,
            .mcpMethod, .mcpName:
            .refused
        case .contentEncoding, .connection, .expect, .accept, .acceptEncoding, .prefer, .ifMatch,
            .ifNoneMatch:
            .list
        case .contentRange, .lastEventID, .xRequestID, .traceparent: .ignored
        }
    }

    /// The name in lower case, as it is compared.
    public var name: String {
        switch self {
        case .host: "host"
        case .contentType: "content-type"
        case .contentLength: "content-length"
        case .contentEncoding: "content-encoding"
        case .contentRange: "content-range"
        case .transferEncoding: "transfer-encoding"
        case .connection: "connection"
        case .expect: "expect"
        case .authorization: "authorization"
        case .origin: "origin"
        case .secFetchSite: "sec-fetch-site"
        case .accept: "accept"
        case .acceptEncoding: "accept-encoding"
        case .prefer: "prefer"
        case .idempotencyKey: "idempotency-key"
        case .lastEventID: "last-event-id"
        case .ifMatch: "if-match"
        case .ifNoneMatch: "if-none-match"
        case .accessControlRequestMethod: "access-control-request-method"
        case .xRequestID: "x-request-id"
        case .traceparent: "traceparent"
        case .mcpProtocolVersion: "mcp-protocol-version"
        case .mcpMethod: "mcp-method"
        case .mcpName: "mcp-name"
        }
    }

    /// The field with this name, in upper or lower case. Nil for a name that is not listed here.
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

    private static let names = InlineArray<24, PackedName> { PackedName(allCases[$0].name) }

    /// The fields whose names have a given length, as bits.
    private static let byLength = InlineArray<32, UInt32> { length in
        allCases.reduce(0) { $0 | ($1.name.utf8.count == length ? 1 &<< UInt32($1.rawValue) : 0) }
    }
}
