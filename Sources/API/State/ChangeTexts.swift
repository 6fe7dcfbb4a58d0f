internal import Bytes
internal import Navigation
internal import Sessions

/// The buffers in which the texts of changes and of responses are written. They are used again for
/// the next request, unless the store has kept them.
struct ChangeTexts: ~Copyable {
    private var encoder = SessionEncoder()
    private var writer = ByteWriter()
    private var spare: [[UInt8]] = []

    /// A record has two texts, and its response has one.
    private static let spareMax = 6
    private static let bytesMax = 16 << 10

    /// The session as JSON.
    mutating func state(_ session: borrowing Session, app: App?) -> [UInt8] {
        encoder.encode(session, app: app)
        var text = takeSpare()
        text.append(encoder.out)
        return text
    }

    /// A text that a function writes.
    mutating func text(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        writer.removeAll(keepingCapacity: Self.bytesMax)
        write(&writer)
        var text = takeSpare()
        text.append(writer)
        return text
    }

    /// An empty text with memory, if there is any to be used again.
    mutating func takeSpare() -> [UInt8] {
        var text = spare.popLast() ?? []
        text.removeAll(keepingCapacity: true)
        return text
    }

    /// Takes back the texts of records that were put.
    mutating func reuse(_ records: [SessionRecord]) {
        for index in records.indices {
            reuse(records[index].state)
            reuse(records[index].event)
        }
    }

    /// Takes back a text.
    mutating func reuse(_ text: [UInt8]) {
        guard spare.count < Self.spareMax, (1...Self.bytesMax).contains(text.capacity) else {
            return
        }
        spare.append(text)
    }
}
