internal import Bytes
internal import JSON
internal import Navigation
internal import Sessions

// The one message of the subject for facts, which `navstate store init` writes:
//
//     {"op":"store","format":1,"lineage":"k3f9","shards":16,"tokens":"unnamed","elen":0,
//      "crc":"59be0d0c"}
//     (an empty line)
//     7f…        a secret of 64 hexadecimal digits, from which ids are made for idempotency keys
//
// `tokens` is missing unless the store was restored with tokens that may not name their session.

/// The facts that hold for a store as long as it exists.
public struct StoreFacts: Equatable, Sendable {
    /// Letters and digits that no other store has, nor this one after a restore.
    public let lineage: String
    /// The number of streams that the sessions are spread over.
    public let shardCount: Int
    /// Two to the power of 256 values; 64 hexadecimal digits.
    public let secret: String
    /// Whether there may be session tokens whose text does not name the session, because the store
    /// was restored from a backup.
    public let hasUnnamedTokens: Bool

    /// The version of the layout and of the messages.
    static let format = 1
    private static let op = "store"
    private static let secretCount = 64

    /// - Precondition: `StoreLayout.shardCounts` contains the number of shards.
    init(
        lineage: String, shardCount: Int, secret: String, hasUnnamedTokens: Bool = false
    ) {
        precondition(StoreLayout.shardCounts.contains(shardCount), "a number that a store may have")
        (self.lineage, self.shardCount, self.secret) = (lineage, shardCount, secret)
        self.hasUnnamedTokens = hasUnnamedTokens
    }

    var text: [UInt8] {
        var line = ByteWriter(operation: "store")
        append(to: &line)
        return SharedRecordText.seal(line, state: Array(secret.utf8))
    }

    /// Writes all but the secret.
    func append(to line: inout ByteWriter) {
        line.member("format", Self.format)
        line.member("lineage", plain: lineage)
        line.member("shards", shardCount)
        if hasUnnamedTokens { line.member("tokens", plain: "unnamed") }
    }

    /// Reads the message.
    init(_ message: ArraySlice<UInt8>) throws(SharedRecordError) {
        try self.init(SharedRecordText(message), op: Self.op)
    }

    /// Reads a message that has the facts.
    init(_ text: SharedRecordText, op: String) throws(SharedRecordError) {
        guard try text.text("op") == op else { throw .member("op") }
        let format = try text.number("format")
        guard format <= Self.format else { throw .newerFormat(format) }
        guard format == Self.format else { throw .member("format") }
        lineage = try text.required("lineage") { text in
            let isLineage = text.utf8.allSatisfy { ASCII.isDigit($0) || (0x61...0x7A).contains($0) }
            return isLineage && (1...16).contains(text.utf8.count) ? text : nil
        }
        shardCount = try text.number("shards", in: StoreLayout.shardCounts)
        guard text.state.count == Self.secretCount,
            text.state.allSatisfy({ Hexadecimal.lowercaseValue($0) != nil })
        else { throw .form }
        secret = String(decoding: text.state, as: UTF8.self)
        hasUnnamedTokens = try text.optional("tokens") { $0 == "unnamed" ? true : nil } ?? false
    }
}

extension StoreFacts {
    /// The facts of a new store.
    ///
    /// - Parameter random: a source of bits that nobody can foresee.
    init(shardCount: Int, hasUnnamedTokens: Bool = false, random: () -> UInt64) {
        let letters = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        var bits = random()
        let lineage = (0..<8).map { _ in
            defer { bits /= 36 }
            return letters[Int(bits % 36)]
        }
        var secret = ByteWriter(capacity: 64)
        for _ in 0..<4 { secret.append(hexadecimal: random(), digits: 16) }
        self.init(
            lineage: String(lineage), shardCount: shardCount,
            secret: secret.string,
            hasUnnamedTokens: hasUnnamedTokens)
    }

    /// The id of a session that is created on a day with an idempotency key and without an id.
    /// Nobody can tell it from the key who does not know the secret.
    ///
    /// - Parameter day: days since 1970.
    func creationID(forKey key: String, day: Int) -> SessionID {
        let code = SHA256.authenticationCode(of: "\(day) \(key)".utf8, key: Array(secret.utf8))
        return SessionID(bits: UInt128(code.words.first) << 64 | UInt128(code.words.second))
    }
}
