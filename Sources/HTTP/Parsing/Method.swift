/// The methods that this service can be asked with.
///
/// Names are case-sensitive tokens (RFC 9110 §9.1). `TRACE` is known so that it is answered with
/// 405 and the methods that there are; no URL has it, since it would show a client's own secrets to
/// whatever script made the request. `CONNECT` and all others are 501.
package enum Method: UInt8, CaseIterable, Sendable {
    case get, head, post, put, patch, delete, options, trace

    package var name: String {
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

    /// Asks for no change (RFC 9110 §9.2.1).
    package var isSafe: Bool {
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
