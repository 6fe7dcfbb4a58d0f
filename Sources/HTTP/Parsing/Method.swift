/// The methods that are known.
///
/// Names are case-sensitive tokens (RFC 9110 §9.1). `TRACE` is known only so that the response is
/// 405 with the allowed methods. No URL allows it, since the response would show the secrets in a
/// request to the script that sent it. `CONNECT` and all other methods are refused with 501.
public enum Method: UInt8, CaseIterable, Sendable {
    case get, head, post, put, patch, delete, options, trace

    /// The name as it is sent.
    public var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .trace: "TRACE"
        }
    }

    /// Whether the method requests no change (RFC 9110 §9.2.1).
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        case .post, .put, .patch, .delete: false
        }
    }

    /// The method of exactly these bytes.
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard range.count <= 8 else { return nil }
        var word: UInt64 = 0
        for position in range { word = word &<< 8 | UInt64(bytes[position]) }
        for method in 0..<Self.words.count where Self.words[method] == word {
            self.init(rawValue: UInt8(method))
            return
        }
        return nil
    }

    private static let words = InlineArray<8, UInt64> { index in
        allCases[index].name.utf8.reduce(0) { $0 &<< 8 | UInt64($1) }
    }
}
