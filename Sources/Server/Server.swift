// The event loop: sockets on one side, the service and the store on the other.
//
// What this room is: one thread that waits in epoll(7) and never anywhere else. It accepts, reads,
// hands bytes to the parser and requests to the service, holds answers back until what they show is
// durable, writes, and keeps the deadlines. What it is not: it knows no URL, no command and no rule.
//
// One turn of the loop:
//
//     wait        epoll, until something happened or the next deadline
//     release     answers whose changes have become durable meanwhile are written
//     sockets     read → parse → respond → encode;  accept;  write what could not be written before
//     clocks      deadlines of connections, expiry of sessions
//     tell        streams and waiting reads get the changes that have become durable
//     submit      everything the turn has changed goes to the journal thread as one batch
//
// Each of these except the last has its share of the turn (EventLoop+Turn).
//
// 1. Nothing blocks. What needs the disk is loaded by the store's reader thread; the request is kept
//    and asked again when the bytes are there.
// 2. An answer with `visibleAfter` beyond the durable number is encoded at once and held. If the disk
//    fails meanwhile, the held bytes are thrown away and the client is told the truth instead.
// 3. A connection at rest has no buffer. All reads go into one shared buffer; only what is left over
//    is copied to the connection. All answers are encoded into one shared buffer; only what the
//    socket does not take is copied.
// 4. Of a connection one request is in work at a time (`ConnectionState`). Pipelined requests whose
//    answers need no waiting are answered in one go, with one write.
// 5. A connection is known by a token that is never used again, so an event that is late for a
//    connection that is gone means nobody.
// 6. Deadlines, the ends of waiting reads and the streams' signs of life are kept in one queue by
//    seconds. A connection is in it once at most. It is looked at when its second comes up, and not
//    each time its deadline moves.
// 7. At the limit of connections, or without descriptors, a connection that is idle or slow is closed
//    to make room (EventLoop+Accepting). If there is none, the loop stops accepting for a moment, and
//    new connections wait in the kernel's queue.
// 8. One client's burden is bounded: its work in a turn (EventLoop+Turn), the bytes in its buffers
//    (EventLoop+Sharing), its connections, and optionally its requests per second.

package import API
package import HTTP
internal import POSIX

/// What the event loop can be told.
package struct ServerOptions: Sendable {
    package var service = ServiceOptions()
    package var parser = ParserLimits()
    package var deadlines = Deadlines()
    package var connectionsMax = 20_000
    /// Open connections of one address, for IPv6 of one network of 64 bits; nil: a quarter of
    /// `connectionsMax`, but at least 512. Addresses of this machine have no limit.
    package var addressConnectionsMax: Int?
    /// What connections may hold in memory all together: requests that are not whole or wait,
    /// answers that are not shown or not read.
    package var bufferedBytesMax = 256 << 20
    /// How often one address may ask; for IPv6 one network of 64 bits. Nil: as often as it likes.
    package var addressRateLimit: RateLimit?
    /// How often one token may be used, from all addresses together.
    package var tokenRateLimit: RateLimit?
    /// What the metrics say that runs.
    package var version = ""
    /// How long it goes on after the first signal, saying at /readyz that it will stop.
    package var drainMilliseconds: Int64 = 0
    /// How long a stop waits for requests that are in work.
    package var stopMilliseconds: Int64 = 5_000
    package var clock: any LoopClock = SystemClock()

    package init() {}

    /// The limit of open connections of one address.
    var connectionsOfAddressMax: Int { addressConnectionsMax ?? max(512, connectionsMax / 4) }
}
