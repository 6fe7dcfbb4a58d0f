internal import Bytes

/// The records of sessions that this node has written and that the feeds have not delivered yet.
///
/// The feed of a shard delivers each of them. A message whose bytes are the ones that were written
/// says the same, so it need not be parsed.
struct OwnRecords {
    /// The bytes of a message, hashed by their checksum.
    private struct Text: Hashable {
        let bytes: ArraySlice<UInt8>
        private let checksum: UInt32

        init(_ bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
            checksum = CRC32C.of(bytes)
        }

        static func == (one: Text, other: Text) -> Bool {
            one.bytes.span.isSame(as: other.bytes.span)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(checksum) }
    }

    private var records: [Text: SharedRecord] = [:]
    private(set) var bytes = 0

    private static let bytesMax = 16 << 20

    /// Adds a record that is about to be written.
    mutating func add(_ record: SharedRecord, text: [UInt8]) {
        // A feed that is far behind parses its messages.
        if bytes > Self.bytesMax { self = OwnRecords() }
        if records.updateValue(record, forKey: Text(text[...])) == nil { bytes += text.count }
    }

    /// Removes the record with these bytes.
    @discardableResult
    mutating func take(_ text: ArraySlice<UInt8>) -> SharedRecord? {
        guard !records.isEmpty, let record = records.removeValue(forKey: Text(text))
        else { return nil }
        bytes -= text.count
        assert(record == (try? SharedRecord(text)), "a record is what its text says")
        return record
    }
}
