/// Bounds on what a server may send and on what is sent to it.
package struct ProtocolLimits: Equatable, Sendable {
    /// Headers and payload of a message that is published, unless the server allows less. A record
    /// is far below it.
    package let payloadBytesMax: Int
    /// The header block of a message; the server's own limit.
    package let headerBytesMax: Int

    /// The longest control line but `INFO`; the server's own limit for what clients send.
    package static let controlLineBytesMax = 4096
    /// The longest `INFO`, which lists every server of the cluster.
    package static let infoBytesMax = 64 << 10
    /// The longest subject. With a reply and two numbers it fits into a control line.
    package static let subjectBytesMax = 1024

    package init(payloadBytesMax: Int = 2 << 20, headerBytesMax: Int = 64 << 10) {
        self.payloadBytesMax = payloadBytesMax
        self.headerBytesMax = headerBytesMax
    }

    /// The largest message that is read. An answer of `STREAM.MSG.GET` holds a stored message with
    /// its headers in base64, and the server does not hold its own answers to `max_payload`.
    package var messageBytesMax: Int { (payloadBytesMax + headerBytesMax) / 3 * 4 + (4 << 10) }
}
