/// A revision of the Model Context Protocol.
enum ProtocolRevision: String, CaseIterable, Sendable {
    case march2025 = "2025-03-26"
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    case july2026 = "2026-07-28"

    /// The newest revision that begins with `initialize`.
    static let newestWithInitialize = ProtocolRevision.november2025

    /// Whether every request says in `_meta` and in header fields what it is, and there is no
    /// `initialize`.
    var isStateless: Bool { self == .july2026 }
    /// Whether a body can be an array of messages.
    var allowsArrays: Bool { self == .march2025 }
    /// Whether the result of a tool can be JSON as well as text.
    var hasStructuredContent: Bool { self != .march2025 }

    /// The names of all revisions, the newest first.
    static let names: [String] = allCases.reversed().map(\.rawValue)
}
