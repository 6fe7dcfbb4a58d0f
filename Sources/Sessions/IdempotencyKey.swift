internal import Bytes
package import Navigation

/// An `Idempotency-Key` with the digest of its request.
package struct IdempotencyKey: Equatable, Sendable {
    /// 1–255 bytes, as the client sent them.
    package var key: String
    /// The digest of the request; two requests with equal digests count as the same.
    package var digest: UInt64

    package init(key: String, digest: UInt64) {
        self.key = key
        self.digest = digest
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
