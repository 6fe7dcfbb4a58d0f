/// What a cache may do with a response (RFC 9111 §5.2.2).
package enum Caching: UInt8, CaseIterable, Sendable {
    /// `no-cache`: store it, and revalidate it before each use.
    case askAgain
    /// `no-store`: do not store it.
    case never

    /// The value of `Cache-Control`.
    package var value: String {
        switch self {
        case .askAgain: "no-cache"
        case .never: "no-store"
        }
    }
}

extension Caching {
    /// The complete field line.
    var line: [UInt8] { Self.lines[Int(rawValue)] }

    private static let lines = allCases.map { Array("Cache-Control: \($0.value)\r\n".utf8) }
}
