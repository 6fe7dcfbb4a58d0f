internal import NATS

// A server answers a publication that it does not permit with a warning and with nothing else, so a
// node that lacks a permission would learn it when the first client needs it. Each publication that
// a node makes is therefore tried before it serves, in a form that changes nothing:
//
//  - a record on a subject that no session or app has, after a message that cannot exist
//  - an announcement without a node
//  - the removal of the messages of that subject, and a question for them
//  - an answer to a request for flow control that was not made

extension StoreOpening {
    /// Ensures that the user of the store may do what a node does.
    ///
    /// - Throws: `forbidden` with what the server says.
    func checkPermissions(_ facts: StoreFacts) throws(StoreOpenError) {
        let layout = StoreLayout(prefix: requests.layout.prefix, shardCount: facts.shardCount)
        attempt(layout.nodesSubject)
        attempt(layout.nodeSubject(identity.node))
        for shard in (0..<layout.shardCount).map(Optional.some) + [nil] {
            let stream = shard.map { layout.stream($0) } ?? layout.controlStream
            let subjects = layout.trialSubjects(shard)
            for subject in subjects { attempt(subject, headers: [.expectedLastSequence(1 << 52)]) }
            attempt(Subject(trusted: "$JS.FC.\(stream.text).\(identity.node).0"))
            guard shard != nil else { continue }
            attempt(
                JetStreamAPI.streamPurge(stream),
                payload: JetStreamAPI.purge(subjects[0], before: 1))
            let query = MessageQuery.batch(SubjectFilter(subjects[0]), from: 1, count: 1, bytes: 1)
            attempt(JetStreamAPI.directGet(stream), payload: query.body)
        }
        // The server warns of all that came before this question before it passes on the answer.
        _ = try info(layout.controlStream)
    }

    private func attempt(_ subject: Subject, headers: [Header] = [], payload: [UInt8] = []) {
        links.requests.send(
            .publish(Publication(subject, reply: nil, headers: headers, payload: payload)))
    }
}
