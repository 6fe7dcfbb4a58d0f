internal import JSON

/// The session that a new one begins with.
package struct CopiedSession: Sendable {
    /// The id of the session.
    package var id: SessionID
    /// The revision to copy, or nil for the newest.
    package var revision: Int?
}

extension ObjectReader {
    /// The members `copyOf` and `revision`. Nil if they are missing or invalid.
    mutating func copied(_ body: JSONObject) -> CopiedSession? {
        let id: SessionID? = name("copyOf")
        let revision = integer("revision", in: 1...Int.max)
        guard body["copyOf"] != nil else {
            if body["revision"] != nil {
                refuse("revision", "is only allowed together with copyOf")
            }
            return nil
        }
        for name in Self.notInCopies where body[name] != nil {
            refuse(name, "cannot be combined with copyOf, which has it from the other session")
        }
        return id.map { CopiedSession(id: $0, revision: revision) }
    }

    private static let notInCopies = [
        "app", "tabs", "selectedTab", "tabBack", "facts", "template",
    ]
}
