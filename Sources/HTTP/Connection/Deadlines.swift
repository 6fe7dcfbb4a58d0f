/// How long the phases of a connection may take, in milliseconds.
package struct Deadlines: Equatable, Sendable {
    /// From the first byte of a message to the end of its head.
    package var headMilliseconds: Int64 = 10_000
    /// Between two messages, or before the first.
    package var idleMilliseconds: Int64 = 75_000
    /// From the end of the head to the end of the content, plus the time that the bytes received
    /// so far would need at `bodyBytesPerSecondMin`.
    package var bodyMilliseconds: Int64 = 10_000
    /// The lowest rate at which content may arrive. A slow mobile uplink is ten times as fast.
    package var bodyBytesPerSecondMin: Int64 = 1_024
    /// A peer that reads no byte of an answer for this long is disconnected with a reset.
    package var writeMilliseconds: Int64 = 20_000
    /// How long input is discarded after the last answer, which a reset could otherwise destroy.
    package var lingerMilliseconds: Int64 = 2_000
    /// How much input is discarded: content may be refused before it has arrived, and many clients
    /// read no answer before they have sent all of it.
    package var lingerBytesMax = 16 << 20

    package init() {}
}
