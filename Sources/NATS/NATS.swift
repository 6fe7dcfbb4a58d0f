// NATS: the client protocol of NATS and the JetStream API as bytes and values, without a socket, a
// clock, a file or a source of random numbers.
//
// This target reads what a server sends (`FrameParser`, `Frame`, `Message`, `Headers`), writes what
// a client sends (`Command`, `Publication`, `ConnectOptions`), reads and writes the bodies of
// JetStream (`PublishAck`, `StoredMessage`, `DirectAnswer`, `StreamConfig`, `StreamInfo`,
// `OrderedConsumer`, `FeedItem`), and has three state machines as values: the life of the link
// (`LinkState`), what waits for an answer (`RequestTable`), and the reading of a stream in order
// (`OrderedReader`). It is the first part of the store on NATS JetStream.
//
// It is not a client library. It knows no sessions and no records; it has no queue groups, no pull
// consumers, no acknowledgements of deliveries, no key-value layer, no nkeys and no TLS. It knows
// the part of JetStream that the store uses. The facts are from the documentation of NATS, its
// architecture decision records (ADR-4, ADR-15, ADR-31) and from what a server 2.15.1 really sends,
// which is in `Tests/fixtures/nats`.
//
// Rules:
//
//  1. A server is as little trusted as a client of HTTP. Every length is bounded before memory is
//     used for it (`ProtocolLimits`), numbers cannot overflow, and no input reaches a precondition.
//  2. What makes the start of the next operation uncertain is a `FrameError` and ends the link.
//     What is wrong within a message is an error of that message: what a stranger stored in a
//     stream must not end the link again each time it is read.
//  3. The result does not depend on how the network cuts the bytes, and the work is linear in
//     their number.
//  4. What is sent is checked when it is made (`Subject`, `SubjectToken`, `Header`), so that
//     encoding cannot fail and nothing can end a line.
//  5. A stored message is told from a status of the server by what the server adds (its number, or
//     where it came from), never by the status line alone, which a publisher can write. Of two
//     headers with the same name the last one counts, because the server's come last.
//  6. Nothing is published to a subject because a server says so, unless it is one of flow control.
//  7. Time is a value, in milliseconds of a clock that does not go back; so are random bits.
//  8. No answer is not an answer: a write without one is *unknown*, never taken for not done.
//
// An example. A compare-and-set of the last record of a subject, on a link that is ready:
//
//     let reply = try requests.begin(context, deadline: now + 1_500)
//     let write = Publication(
//         subject, reply: reply, headers: [.expectedLastSequence(184_320)], payload: record)
//     try write.check(link.publishLimits)
//     Command.publish(write).encode(into: &output)
//
//     HPUB nav.017.s.kiosk-1 _INBOX.n.17.4711 57 409␍␊ …
//
//     parser.parse(input, from: start, to: end)  → .frame(.message(message), consumed: 61)
//     requests.end(with: message)                → context
//     try message.answer(as: PublishAck.self)    → .value(PublishAck), .sequence is 184391
//
// or `.refused(error)`, whose `kind` is `.wrongLastSequence(184_377)`: somebody was first.
