internal import Bytes
public import Navigation

/// An `Idempotency-Key` with the digest of its request.
public struct IdempotencyKey: Equatable, Sendable {
    /// 1–255 bytes, as the client sent them.
    public var key: String
    /// The digest of the request; two requests with equal digests count as the same.
    public var digest: UInt64
    /// The digest of the bytes of the request, as version 0.2 compares requests. Nil for a stored
    /// key that has only one digest.
    public var bytesDigest: UInt64?

    public init(key: String, digest: UInt64, bytesDigest: UInt64? = nil) {
        self.key = key
        self.digest = digest
        self.bytesDigest = bytesDigest
    }

    /// Whether the request with this key repeats the one with a stored key. Version 0.2 has stored
    /// the digest of the bytes as the only one.
    public func repeats(_ earlier: IdempotencyKey) -> Bool {
        earlier.digest == digest || earlier.digest == bytesDigest
    }
}

/// The scope within which a key is unique: all creations of sessions, or the changes of one
/// session.
public enum IdempotencyScope: Hashable, Sendable {
    case creations
    case session(SessionID)
}

/// The result of the first request with a key.
public enum IdempotentResult: Equatable, Sendable {
    case change(StoredRecord)
    case deletion(Deletion)

    /// When the request was processed.
    public var at: Milliseconds {
        switch self {
        case .change(let stored): stored.record.at
        case .deletion(let deletion): deletion.at
        }
    }
}
