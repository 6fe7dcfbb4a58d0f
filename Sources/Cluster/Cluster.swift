// Cluster: sessions that several nodes share. They are stored in NATS JetStream streams. JetStream
// acknowledges a record only after a majority of the stream's servers have stored it.
//
// `StoreAddress` is the value of `--store`, `StoreLayout` maps sessions to streams and subjects,
// `ServerLink` is the connection to one of the servers, and `ConditionalWrite` is a change on its
// way into a stream.
//
// Rules:
//
//  1. Nothing blocks. The sockets of the links are in one epoll instance, whose descriptor the
//     event loop watches. Host names are looked up on separate threads.
//  2. A change counts as kept once the stream has acknowledged it, or once the record after the
//     expected one turns out to be this change. In any other case it is not kept or its outcome is
//     unknown, and an unknown outcome is reported as such.
//  3. Records are validated like input from clients when they are read: length, checksum, subject
//     and id.
