internal import Bytes
internal import Navigation
internal import Sessions

// Tokens of sessions. A record has the whole list, and the newest record of a session is valid:
//
//     {"n":184326,"d":184325,"op":"tokens","id":"kiosk-1","at":…,"born":170000,
//      "tokens":[{"id":"t4k","scope":"read","sha256":"ba78…15ad","exp":1795225100000,
//      "at":1795225000000,"name":"wall"}],"crc":"…"}
//
// `exp`, `at` and `name` may be missing, and so may `commands` and `routes`, the lists of a token
// that has limits.
//
// `born` tells which session of that name is meant: a list is void if the session's first record is
// a different one. A list may precede all records of its session that still exist, so recovery
// joins them at the end. An empty list is kept as long as the session, because an older list may
// still exist in another file.

/// The tokens of live sessions, by session and by digest.
struct TokenTable {
    struct Row: Equatable {
        var sequence: UInt64
        /// The length of the record's line.
        var length: Int
        var tokens: [SessionToken]
    }

    private var rows: [SessionHandle: Row] = [:]
    private var owners: [TokenDigest: SessionHandle] = [:]
    /// During a recovery: the newest list of each name, and which session it means.
    private var recovered: [[UInt8]: (born: UInt64, row: Row)] = [:]

    var isEmpty: Bool { rows.isEmpty }

    subscript(handle: SessionHandle) -> Row? { rows[handle] }

    func owner(of digest: TokenDigest) -> (handle: SessionHandle, token: SessionToken)? {
        guard let handle = owners[digest],
            let token = rows[handle]?.tokens.first(where: { $0.digest == digest })
        else { return nil }
        return (handle, token)
    }

    /// Replaces the list of a session, and returns the previous one.
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

    /// Joins the lists with the sessions that exist.
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
    /// The maximum length of a token without limits in a record, in bytes.
    private static let bytesMax = 256

    /// The maximum length of the token in a record, in bytes.
    var textMax: Int { Self.bytesMax + (limits?.textMax ?? 0) }
}

extension RecordHeader {
    func sessionTokens(_ bytes: [UInt8]) -> [SessionToken] {
        guard let range = body.tokens?.range else { return [] }
        var reader = LineReader(
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
        _ reader: inout LineReader, _ bytes: [UInt8]
    ) -> SessionToken? {
        var (id, scope, digest) = (0..<0, 0..<0, 0..<0)
        guard reader.key() != nil, reader.text(&id), reader.take(0x2C), reader.key() != nil,
            reader.text(&scope), reader.take(0x2C), reader.key() != nil, reader.text(&digest)
        else { return nil }
        guard let digest = TokenDigest(hexadecimal: bytes[digest]),
            let scope = Scope(named: String(decoding: bytes[scope], as: UTF8.self))
        else { return nil }
        var token = SessionToken(
            id: String(decoding: bytes[id], as: UTF8.self), scope: scope, digest: digest,
            expiresAt: nil)
        var lists: LimitLists = (nil, nil)
        while reader.take(0x2C) {
            guard let key = reader.key() else { return nil }
            if key == commandsKey || key == routesKey {
                guard read(key, of: &lists, &reader) else { return nil }
            } else {
                guard read(key, of: &token, &reader) else { return nil }
            }
        }
        token.limits = TokenLimits(commands: lists.commands, routes: lists.routes)
        return reader.take(0x7D) ? token : nil
    }

    private typealias LimitLists = (commands: [TokenCommand]?, routes: [RouteSelector]?)

    /// Reads one of the lists of a token that has limits. A token whose limits cannot be read is
    /// not valid.
    private static func read(
        _ key: UInt64, of lists: inout LimitLists, _ reader: inout LineReader
    ) -> Bool {
        guard reader.take(0x5B) else { return false }
        var (names, name) = ([String](), 0..<0)
        while reader.text(&name) {
            names.append(String(decoding: reader.bytes[name], as: UTF8.self))
            _ = reader.take(0x2C)
        }
        if key == commandsKey {
            lists.commands = names.compactMap { TokenCommand($0) }
            return reader.take(0x5D) && lists.commands?.count == names.count
        }
        lists.routes = names.compactMap(RouteSelector.init)
        return reader.take(0x5D) && lists.routes?.count == names.count
    }

    /// Reads the value of a member that may be missing.
    private static func read(
        _ key: UInt64, of token: inout SessionToken, _ reader: inout LineReader
    ) -> Bool {
        var (time, name) = (Int64(0), 0..<0)
        switch key {
        case RecordKey.expiresAt.rawValue:
            guard reader.read(&time) else { return false }
            token.expiresAt = time
        case RecordKey.at.rawValue:
            guard reader.read(&time) else { return false }
            token.createdAt = time
        case nameKey:
            guard reader.text(&name) else { return false }
            token.name = TokenName(String(decoding: reader.bytes[name], as: UTF8.self))
        default: return false
        }
        return true
    }

    /// `name`, as `LineReader.key` gives it.
    private static let nameKey: UInt64 = 0x6E61_6D65
    /// `commands`
    private static let commandsKey: UInt64 = 0x636F_6D6D_616E_6473
    /// `routes`
    private static let routesKey: UInt64 = 0x726F_7574_6573
}
