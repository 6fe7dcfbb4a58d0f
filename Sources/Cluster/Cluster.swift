// Cluster: sessions that several nodes share. They are in streams of NATS JetStream, which keeps
// each record on a majority of its servers before it acknowledges it.
//
// What is where: `StoreAddress` is the value of `--store`, `StoreLayout` says which stream and
// subject a session has, `ServerLink` is the socket to one server after the other, and
// `ConditionalWrite` is one change on its way into the stream.
//
// Rules:
//
//  1. Nothing waits. The sockets of the links are in one epoll instance, whose descriptor the event
//     loop watches; names are looked up on threads of their own.
//  2. A change is kept when the stream has acknowledged it, or when the record behind the expected
//     one is found to be this change. Anything else is not kept, or unknown, and unknown is told.
//  3. What is read is checked like a client's input: length, checksum, subject and id.
