// NATS: the NATS client protocol and the JetStream API as bytes and values, without sockets,
// clocks, files or random numbers.
//
// This target parses what a server sends (`FrameParser`, `Frame`, `Message`, `Headers`), encodes
// what a client sends (`ClientOperation`, `Publication`, `ConnectOptions`), and converts bodies of
// JetStream messages (`PublishAck`, `StoredMessage`, `DirectAnswer`, `StreamConfig`, `StreamInfo`,
// `OrderedConsumer`, `FeedItem`). Three state machines are plain values: the link, which is the
// client's connection to one server at a time (`LinkState`), the outstanding requests
// (`RequestTable`), and the ordered reader of a stream (`OrderedReader`). It is the first part of a
// store on NATS JetStream.
//
// It is not a general client library. It implements only the part of NATS that the store needs, and
// knows nothing about sessions or records. It has no queue groups, pull consumers, consumer
// acknowledgements, key-value buckets, NKeys or TLS. The facts come from the NATS documentation,
// from its architecture decision records (ADR-4, ADR-15, ADR-31) and from recordings of server
// 2.15.1 in `Tests/fixtures/nats`.
//
// Rules:
//
//   1. A server is trusted no more than an HTTP client. Every length is checked before memory is
//      allocated for it (`ProtocolLimits`), integers cannot overflow, and no input can fail a
//      precondition.
//   2. An error that makes the start of the next operation uncertain is a `FrameError` and ends the
//      link. An error within a message affects only that message. Otherwise a malformed message
//      that someone stored in a stream would end the link every time it is read.
//   3. The result does not depend on how the network splits the bytes, and the work is linear in
//      their number.
//   4. Values to be sent are validated when they are created (`Subject`, `SubjectToken`, `Header`),
//      so encoding cannot fail, and no value can inject a line end.
//   5. A stored message is told apart from a server status by what the server adds to it (its
//      sequence, or the reply subject of a delivery), never by the status line alone, because
//      publishers can write one too. If a header is repeated, the last value wins, because the
//      server appends its headers after the publisher's.
//   6. The client never publishes to a subject just because a server names it, except for flow
//      control.
//   7. Time is a parameter, in milliseconds of a monotonic clock, and so are random bits.
//   8. A missing reply proves nothing: the outcome of a publish without an ack is *unknown*, never
//      assumed to be a failure.
//
// Example: a compare-and-set of the last record of a subject, on a link that is ready.
//
//     let reply = requests.begin(context, deadline: now + 1_500)
//     let write = Publication(
//         subject, reply: reply, headers: [.expectedLastSequence(184_320)], payload: record)
//     guard write.fits(link.publishLimits) else { … }
//     ClientOperation.publish(write).encode(into: &output)
//
//     HPUB nav.017.s.kiosk-1 _INBOX.n.17.4711 57 409␍␊ …
//
//     parser.parse(input, from: start, to: end)  → .frame(.message(message), consumed: 61)
//     requests.end(with: message)                → context
//     try message.publishAck()                   → .value(PublishAck), .sequence is 184391
//
// If another client has changed the record first, the last line returns `.refused(error)`, and
// `error.kind` is `.wrongLastSequence(184_377)`.
