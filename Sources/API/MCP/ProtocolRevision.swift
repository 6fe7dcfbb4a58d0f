/// A revision of the Model Context Protocol.
enum ProtocolRevision: String, CaseIterable, Sendable {
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    case july2026 = "2026-07-28"

    /// The revision of a request that names none, such as `initialize`.
    static let unnamed = ProtocolRevision.june2025
    /// The newest revision that begins with `initialize`.
    static let newestWithInitialize = ProtocolRevision.november2025

    /// Whether every request says in `_meta` and in header fields what it is, and there is no
    /// `initialize`.
    var isStateless: Bool { self == .july2026 }

    /// The names of all revisions, the newest first.
    static let names: [String] = allCases.reversed().map(\.rawValue)
}
