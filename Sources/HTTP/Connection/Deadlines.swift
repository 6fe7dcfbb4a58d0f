/// How long the parts of a connection's life may take, in milliseconds.
package struct Deadlines: Equatable, Sendable {
    /// From the first byte of a message to the end of its head, however the bytes drip.
    package var headMilliseconds: Int64 = 10_000
    /// Nothing at all, between two messages or before the first.
    package var idleMilliseconds: Int64 = 75_000
    /// A body must have come this long after its head, and later for each second that the bytes
    /// that have come would need at `bodyBytesPerSecondMin`.
    package var bodyMilliseconds: Int64 = 10_000
    /// A slow mobile uplink is ten times as fast.
    package var bodyBytesPerSecondMin: Int64 = 1_024
    /// A peer that takes no byte of an answer for so long is dropped without goodbye.
    package var writeMilliseconds: Int64 = 20_000
    /// How long input is swallowed behind the last answer, so that it is not lost to a reset.
    package var lingerMilliseconds: Int64 = 2_000
    /// How much of it: a body of the usual limit, which may be refused before it has come.
    package var lingerBytesMax = 1_088 * 1_024

    package init() {}
}
