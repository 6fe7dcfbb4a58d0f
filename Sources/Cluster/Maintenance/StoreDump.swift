internal import NATS
internal import Navigation
internal import Sessions

/// Reads the newest state of each session of a store, for `navstate dump`. Nodes may use the store
/// at the same time: each session is read when its turn comes.
public enum StoreDump {
    /// Reads a store.
    ///
    /// - Parameters:
    ///   - milliseconds: how long the servers may be silent.
    ///   - print: called with the JSON text of each session that has not ended or expired.
    ///   - complain: called with a sentence about each message that cannot be read.
    public static func run(
        _ address: StoreAddress, within milliseconds: Int64,
        _ environment: EngineEnvironment = .process, print: ([UInt8]) -> Void,
        complain: (String) -> Void
    ) throws(StoreOpenError) {
        let opening = try StoreOpening(address, within: milliseconds, environment)
        let facts = try opening.facts()
        let layout = StoreLayout(prefix: address.prefix, shardCount: facts.shardCount)
        // A stream that does not exist would be silent.
        for stream in layout.streams(replicas: 1) { _ = try opening.info(stream.name) }
        // A session that is changed meanwhile comes again.
        var dumped: Set<SessionID> = []
        try opening.read(layout, reading: .newest, patience: milliseconds) { message in
            let shard = message.feed < layout.shardCount ? message.feed : nil
            do throws(DamageError) {
                guard
                    case .session(let record) = try StoreMessage(message, of: shard, in: layout),
                    case .revision(let revision) = record.content,
                    revision.expiresAt.map({ $0 > environment.clock.wall }) ?? true,
                    dumped.insert(record.id).inserted
                else { return }
                print(revision.state)
            } catch {
                guard case .session(let id)? = error.item else { return }
                complain("session \(id), message \(message.number): \(error.reason)")
            }
        }
    }
}
