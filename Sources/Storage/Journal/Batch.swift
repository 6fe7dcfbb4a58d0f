/// Bytes for the disk, and the files that they belong to.
struct Batch: Sendable {
    var bytes: [UInt8] = []
    var parts: [Part] = []

    /// The bytes of one file.
    struct Part: Sendable {
        var segment: Segment
        /// An index into `bytes`; the part ends where the next one starts.
        var start: Int
        /// The highest number in the part, or 0 if it has only a header.
        var last: UInt64
    }

    /// Appends a later batch.
    mutating func append(_ other: Batch) {
        let shift = bytes.count
        bytes.append(contentsOf: other.bytes)
        for part in other.parts {
            if let last = parts.indices.last, parts[last].segment === part.segment {
                parts[last].last = max(parts[last].last, part.last)
            } else {
                parts.append(
                    Part(segment: part.segment, start: part.start + shift, last: part.last))
            }
        }
    }

    /// Removes everything but keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        parts.removeAll(keepingCapacity: true)
    }
}
