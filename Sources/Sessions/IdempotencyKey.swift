package import Navigation

/// An `Idempotency-Key` and the digest of the request that it came with.
package struct IdempotencyKey: Equatable, Sendable {
    /// 1–255 bytes, as the client sent them.
    package var key: String
    /// Two requests are the same if their digests are.
    package var digest: UInt64

    package init(key: String, digest: UInt64) {
        self.key = key
        self.digest = digest
    }
}

/// Whose keys: a creation's are one set for the whole store, a change's are its session's.
package enum IdempotencyScope: Hashable, Sendable {
    case creations
    case session(SessionID)
}

/// What a kept key leads to.
package enum IdempotentResult: Equatable, Sendable {
    case change(StoredRecord)
    case deletion(Deletion)
}
