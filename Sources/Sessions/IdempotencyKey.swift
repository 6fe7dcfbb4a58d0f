internal import Bytes
package import Navigation

/// An `Idempotency-Key` with the digest of its request.
package struct IdempotencyKey: Equatable, Sendable {
    /// 1–255 bytes, as the client sent them.
    package var key: String
    /// The digest of the request; two requests with equal digests count as the same.
    package var digest: UInt64
    /// The digest of the bytes of the request, as version 0.2 compares requests. Nil for a stored
    /// key that has only one digest.
    package var bytesDigest: UInt64?

    package init(key: String, digest: UInt64, bytesDigest: UInt64? = nil) {
        self.key = key
        self.digest = digest
        self.bytesDigest = bytesDigest
    }

    /// Whether the request with this key repeats the one with a stored key. Version 0.2 has stored
    /// the digest of the bytes as the only one.
    package func repeats(_ earlier: IdempotencyKey) -> Bool {
        earlier.digest == digest || earlier.digest == bytesDigest
    }
}

/// The scope within which a key is unique: all creations of sessions, or the changes of one
/// session.
package enum IdempotencyScope: Hashable, Sendable {
    case creations
    case session(SessionID)
}

/// The result of the first request with a key.
package enum IdempotentResult: Equatable, Sendable {
    case change(StoredRecord)
    case deletion(Deletion)

    /// When the request was processed.
    package var at: Milliseconds {
        switch self {
        case .change(let stored): stored.record.at
        case .deletion(let deletion): deletion.at
        }
    }
}
