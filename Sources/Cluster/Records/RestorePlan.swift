internal import Bytes
internal import Navigation

// While a restore is under way, the subject for facts has this message instead of those:
//
//     {"op":"restore","format":1,"lineage":"k3f9","shards":16,"tokens":"unnamed",
//      "at":1767225600000,"backup":"9f86…","elen":0,"crc":"59be0d0c"}
//     (an empty line)
//     7f…        the secret, as in the facts
//
// A restore that was interrupted is continued by these values. No node opens the store.

/// The store that a restore makes, and the backup that it makes it of. See the top of this file.
struct RestorePlan: Equatable, Sendable {
    /// The facts that make the store valid in the end.
    let facts: StoreFacts
    /// The SHA-256 of the first line of the backup, as hexadecimal digits.
    let backup: String
    /// When the restore was begun.
    let at: Milliseconds

    private static let op = "restore"

    init(_ facts: StoreFacts, of backup: String, at: Milliseconds) {
        (self.facts, self.backup, self.at) = (facts, backup, at)
    }

    var text: [UInt8] {
        var line = ByteWriter(operation: "restore")
        facts.append(to: &line)
        line.member("at", at)
        line.member("backup", plain: backup)
        return SharedRecordText.seal(line, state: Array(facts.secret.utf8))
    }

    /// Reads the message.
    init(_ message: ArraySlice<UInt8>) throws(SharedRecordError) {
        let text = try SharedRecordText(message)
        facts = try StoreFacts(text, op: Self.op)
        at = Milliseconds(try text.number("at"))
        backup = try text.text("backup")
    }
}
