// Cluster: sessions that several nodes share. They are stored in NATS JetStream streams. JetStream
// acknowledges a record only after a majority of the stream's servers have stored it.
//
//     Layout     the value of `--store`, and the streams and subjects of a store
//     Link       connections to the servers that never wait
//     Records    the messages of the streams, each with a checksum
//     Changes    one change on its way into a stream: `ConditionalWrite`
//     Feed       all streams, each read in order and without gaps
//     Table      what a node knows: `Replica`, with an index of all sessions and a cache of records
//     Peers      which nodes there are, and what they ask each other
//     Engine     the parts of `ClusterEngine`: reader, proposer, writer, loader, sweeper
//
// Rules:
//
//  1. Nothing blocks. The sockets of the links are in one epoll instance, whose descriptor the
//     event loop watches. Host names are looked up on separate threads.
//  2. A change counts as kept once the stream has acknowledged it, or once the record after the
//     expected one turns out to be this change. In any other case it is not kept or its outcome is
//     unknown, and an unknown outcome is reported as such.
//  3. Nothing is read that is not kept. What a node knows only moves forward: a message that is
//     older than what is known changes nothing.
//  4. Changes are announced when the feed delivers them, also a node's own ones, so that every node
//     announces the changes of a session in the same order.
//  5. Messages are validated like input from clients when they are read: length, checksum, subject
//     and id.
