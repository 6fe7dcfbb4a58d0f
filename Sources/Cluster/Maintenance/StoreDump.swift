internal import NATS
internal import Navigation
internal import Sessions

/// Reads the newest state of each session of a store, for `navstate dump`. Nodes may use the store
/// at the same time: each session is read when its turn comes.
package enum StoreDump {
    /// Reads a store.
    ///
    /// - Parameters:
    ///   - milliseconds: how long the servers may be silent.
    ///   - print: called with the JSON text of each session that has not ended or expired.
    ///   - complain: called with a sentence about each message that cannot be read.
    package static func run(
        _ address: StoreAddress, within milliseconds: Int64, print: ([UInt8]) -> Void,
        complain: (String) -> Void
    ) throws(StoreOpenError) {
        try run(address, within: milliseconds, .process, print: print, complain: complain)
    }

    /// The same with surroundings that may not be those of the process.
    static func run(
        _ address: StoreAddress, within milliseconds: Int64, _ surroundings: EngineSurroundings,
        print: ([UInt8]) -> Void, complain: (String) -> Void
    ) throws(StoreOpenError) {
        let opened = try StoreOpening(address, within: milliseconds, surroundings).facts()
        let layout = StoreLayout(prefix: address.prefix, shardCount: opened.facts.shardCount)
        // A session that is changed meanwhile comes again.
        var dumped: Set<SessionID> = []
        try opened.read(layout, reading: .newest, patience: milliseconds) { message in
            let item = (try? Subject(message.subject)).flatMap { layout.item(of: $0) }
            guard case .session(let id)? = item, message.feed == layout.shard(of: id) else {
                return
            }
            do throws(SharedRecordError) {
                let record = try SharedRecord(message.content)
                guard record.id == id else { throw .form }
                guard case .revision(let revision) = record.content,
                    revision.expiresAt.map({ $0 > surroundings.clock.wall }) ?? true,
                    dumped.insert(id).inserted
                else { return }
                print(revision.state)
            } catch {
                complain("session \(id), message \(message.number): \(error)")
            }
        }
    }
}
