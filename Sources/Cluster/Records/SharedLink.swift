internal import Bytes
internal import NATS

// What every message of the store says about its place: which message of the same subject it
// follows, and whose write it is. See `ConditionalWrite`.

/// The place of a message among those of its subject.
struct SharedLink: Equatable, Sendable {
    /// The stream sequence of the message that this one follows; 0 for the first of its subject.
    var previous: Int
    /// Whose write it is.
    var writer: WriteID

    /// Writes the members `prev` and `by`.
    func append(to text: inout ByteWriter) {
        text.append(#","prev":"#, previous)
        text.append(literal: #","by":""#)
        text.append(writer.text)
        text.append(UInt8(ascii: "\""))
    }
}

extension ConditionalWrite.Successor {
    /// What a message that was looked up tells.
    init(_ message: StoredMessage) {
        let link = try? SharedRecordText(message.payload).link()
        self = .record(
            sequence: message.sequence, previous: link?.previous ?? -1, writer: link?.writer)
    }
}
