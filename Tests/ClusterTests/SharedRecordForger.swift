import Bytes
import Testing

@testable import Cluster

extension SharedRecord {
    /// The message.
    var text: [UInt8] { texts.whole }
}

/// Makes messages with any head and the checksum that goes with it.
enum SharedRecordForger {
    static func message(_ text: [UInt8], _ replace: (String) -> String) throws -> [UInt8] {
        let end = try #require(text.firstIndex(of: 10))
        let head = replace(String(decoding: text[..<(end - 18)], as: UTF8.self))
        let body = Array(text[(end + 1)...])
        // The checksum leaves out the newlines, and `elen` says where the first one is.
        let newline = try #require(body.firstIndex(of: 10))
        let parts = [
            Array(head.utf8), Array(body[..<newline]), Array(body[(newline + 1)...].dropLast()),
        ]
        let value = parts.reduce(CRC32C.start) { CRC32C.update($0, over: $1, $1.indices) }
        let digits = String(~value, radix: 16)
        let crc = String(repeating: "0", count: 8 - digits.count) + digits
        return Array("\(head),\"crc\":\"\(crc)\"}\n".utf8) + body
    }
}
