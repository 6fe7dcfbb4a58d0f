internal import Navigation
internal import Sessions

// Tokens of sessions. A record has the whole list, and the newest of a session counts:
//
//     {"n":184326,"d":184325,"op":"tokens","id":"kiosk-1","at":…,"born":170000,
//      "tokens":[{"id":"t4k","scope":"read","sha256":"ba78…15ad","exp":1795225100000}],"crc":"…"}
//
// `born` tells which session of that name is meant: a list is void when the session's first record
// is another. A list may come before every record of its session that is still there, so recovery
// joins them at the end. An empty list is kept as long as the session, for an older one may still
// lie in another file.

/// The tokens of live sessions, by session and by digest.
struct TokenTable {
    struct Row: Equatable {
        var sequence: UInt64
        /// Of the record's line.
        var length: Int
        var tokens: [SessionToken]
    }

    private var rows: [SessionHandle: Row] = [:]
    private var owners: [TokenDigest: SessionHandle] = [:]
    /// Of a recovery: the newest list of each name, and which session it means.
    private var recovered: [[UInt8]: (born: UInt64, row: Row)] = [:]

    var isEmpty: Bool { rows.isEmpty }

    subscript(handle: SessionHandle) -> Row? { rows[handle] }

    func owner(of digest: TokenDigest) -> (handle: SessionHandle, token: SessionToken)? {
        guard let handle = owners[digest],
            let token = rows[handle]?.tokens.first(where: { $0.digest == digest })
        else { return nil }
        return (handle, token)
    }

    /// Gives what was there before.
    @discardableResult
    mutating func replace(_ handle: SessionHandle, _ row: Row?) -> Row? {
        let old = rows.removeValue(forKey: handle)
        for token in old?.tokens ?? [] { owners[token.digest] = nil }
        guard let row else { return old }
        rows[handle] = row
        for token in row.tokens { owners[token.digest] = handle }
        return old
    }

    // MARK: Recovery

    mutating func recover(_ id: [UInt8], born: UInt64, _ row: Row) -> Row? {
        let old = recovered.updateValue((born, row), forKey: id)
        return old?.row
    }

    /// Joins the lists with the sessions that are there.
    mutating func finishRecovery(_ find: ([UInt8]) -> (SessionHandle, born: UInt64)?) {
        for (id, list) in recovered {
            guard let (handle, born) = find(id), born == list.born else { continue }
            replace(handle, list.row)
        }
        recovered = [:]
    }
}

// MARK: - Text

extension SessionToken {
    /// Bytes that a token has at most in a record.
    static let textMax = 256
}

extension Envelope {
    func sessionTokens(_ bytes: [UInt8]) -> [SessionToken] {
        guard let range = tokens else { return [] }
        var reader = EnvelopeReader(
            bytes, range.lowerBound + 1..<range.upperBound - 1 + Line.endCount)
        var list: [SessionToken] = []
        while reader.take(0x7B) {
            guard let token = Self.token(&reader, bytes) else { break }
            list.append(token)
            _ = reader.take(0x2C)
        }
        return list
    }

    private static func token(
        _ reader: inout EnvelopeReader, _ bytes: [UInt8]
    ) -> SessionToken? {
        var (id, scope, digest, time) = (0..<0, 0..<0, 0..<0, Int64(0))
        guard reader.key() != nil, reader.text(&id), reader.take(0x2C), reader.key() != nil,
            reader.text(&scope), reader.take(0x2C), reader.key() != nil, reader.text(&digest)
        else { return nil }
        let expires = reader.take(0x2C)
        if expires { guard reader.key() != nil, reader.read(&time) else { return nil } }
        guard reader.take(0x7D), let digest = TokenDigest(hexadecimal: bytes[digest]),
            let scope = Scope(rawValue: String(decoding: bytes[scope], as: UTF8.self))
        else { return nil }
        return SessionToken(
            id: String(decoding: bytes[id], as: UTF8.self), scope: scope, digest: digest,
            expiresAt: expires ? time : nil)
    }
}
