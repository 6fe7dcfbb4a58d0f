internal import Bytes
internal import NATS
internal import Navigation
internal import Sessions

/// The streams of a store that is being restored.
struct NewStreams {
    private let opening: StoreOpening
    private let options: SharedRestore.Options
    private let configs: [StreamConfig]
    /// The facts that make the store valid once they are written.
    let facts: StoreFacts

    /// - Parameter highest: the numbers of the streams begin with a lineage after this number.
    init(
        _ options: SharedRestore.Options, _ environment: EngineEnvironment,
        after highest: SequenceNumber
    ) throws(SharedRestoreError) {
        let layout = StoreLayout(prefix: options.address.prefix, shardCount: options.shardCount)
        let perNumber = StreamPlace(shard: 0, number: 1).sequence
        configs = layout.streams(
            replicas: options.replicas,
            firstNumber: Int(highest.lastBeforeNextLineage / perNumber) + 1)
        self.options = options
        facts = StoreFacts(
            shardCount: options.shardCount, hasUnnamedTokens: true, random: environment.random)
        do throws(StoreOpenError) {
            opening = try StoreOpening(
                options.address, within: options.timeoutMilliseconds, environment)
        } catch {
            throw .store(error)
        }
    }

    var now: Milliseconds { opening.environment.clock.wall }

    /// The largest message that the servers take.
    var messageBytesMax: Int {
        let most = opening.links.requests.info?.payloadBytesMax ?? StoreLayout.messageBytesMax
        return min(most, StoreLayout.messageBytesMax) - Self.headersBytes
    }

    /// More than the headers of any message.
    private static let headersBytes = 1 << 10

    /// Makes the streams, none of which may exist.
    func make() throws(SharedRestoreError) {
        if let name = try asking(makeUnlessThere) { throw .occupied(name) }
        for shard in 0..<facts.shardCount {
            let lineage = try asking { opening throws(StoreOpenError) in
                try opening.mark(shard, of: facts, lineage: nil)
            }
            guard lineage == facts.lineage else { throw .overtaken }
        }
    }

    /// - Returns: the name of a stream that exists, if one does.
    private func makeUnlessThere(_ opening: StoreOpening) throws(StoreOpenError) -> String? {
        for config in configs where try opening.existing(config.name) != nil {
            return config.name.text
        }
        for config in configs where try opening.make(config)?.state.messages != 0 {
            return config.name.text
        }
        return nil
    }

    /// A queue for the messages of the streams.
    func queue(timeout: Int64) -> RestoreQueue { RestoreQueue(opening, facts, timeout: timeout) }

    /// Makes the store valid.
    func validate() throws(SharedRestoreError) {
        _ = try asking { opening throws(StoreOpenError) in try opening.write(facts) }
    }

    /// Deletes the streams after an error.
    ///
    /// - Returns: the error to report.
    func abandon(after reason: SharedRestoreError) -> SharedRestoreError {
        if reason.concernsOthers { return reason }
        do throws(SharedRestoreError) {
            try asking { opening throws(StoreOpenError) in
                for config in configs { try opening.delete(config.name) }
            }
            return reason
        } catch {
            return .unfinished(reason)
        }
    }

    private func asking<Value>(
        _ body: (StoreOpening) throws(StoreOpenError) -> Value
    ) throws(SharedRestoreError) -> Value {
        do throws(StoreOpenError) { return try body(opening) } catch { throw .store(error) }
    }
}
