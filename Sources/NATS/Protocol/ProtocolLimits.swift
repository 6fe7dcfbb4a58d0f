/// Limits on the size of what servers send and of what the client sends, in bytes.
package struct ProtocolLimits: Equatable, Sendable {
    /// The client's own max payload: headers and payload of a published message together. A server
    /// may allow less. Records are far smaller.
    package let payloadBytesMax: Int
    /// The maximum size of a header block, which is also the server's limit.
    package let headerBytesMax: Int

    /// The longest control line except for `INFO`; servers have the same limit for clients.
    package static let controlLineBytesMax = 4096
    /// The longest `INFO`, which lists every server of the cluster.
    package static let infoBytesMax = 64 << 10
    /// The longest subject. With a reply subject and two numbers it fits into a control line.
    package static let subjectBytesMax = 1024

    package init(payloadBytesMax: Int = 2 << 20, headerBytesMax: Int = 64 << 10) {
        self.payloadBytesMax = payloadBytesMax
        self.headerBytesMax = headerBytesMax
    }

    /// The largest message accepted from a server. A response to `STREAM.MSG.GET` contains a stored
    /// message and its headers in base64, and servers do not apply `max_payload` to their own
    /// responses.
    package var messageBytesMax: Int { (payloadBytesMax + headerBytesMax) / 3 * 4 + (4 << 10) }
}
