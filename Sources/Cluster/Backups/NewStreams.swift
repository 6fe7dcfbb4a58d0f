internal import Bytes
internal import NATS
internal import Navigation
internal import Sessions

/// The streams of a store that is being restored.
struct NewStreams {
    private let opening: StoreOpening
    private let environment: EngineEnvironment
    private let options: SharedRestore.Options
    private let configs: [StreamConfig]
    /// The store that is made, and the backup that it is made of.
    private(set) var plan: RestorePlan
    /// The stream sequence of the plan.
    private var planNumber = 0
    /// Whether an earlier restore has made the streams, or some of them.
    private var isContinued = false

    /// - Parameters:
    ///   - backup: what tells the backup from others.
    ///   - highest: the numbers of the streams begin with a lineage after this number.
    init(
        _ options: SharedRestore.Options, _ environment: EngineEnvironment, of backup: String,
        after highest: SequenceNumber
    ) throws(SharedRestoreError) {
        let layout = StoreLayout(prefix: options.address.prefix, shardCount: options.shardCount)
        let perNumber = StreamPlace(shard: 0, number: 1).sequence
        configs = layout.streams(
            replicas: options.replicas,
            firstNumber: Int(highest.lastBeforeNextLineage / perNumber) + 1)
        (self.options, self.environment) = (options, environment)
        let facts = StoreFacts(
            shardCount: options.shardCount, hasUnnamedTokens: true, random: environment.random)
        plan = RestorePlan(facts, of: backup, at: environment.clock.wall)
        do throws(StoreOpenError) {
            opening = try StoreOpening(
                options.address, within: options.timeoutMilliseconds, environment)
        } catch {
            throw .store(error)
        }
    }

    /// The largest message that the servers take.
    var messageBytesMax: Int {
        let most = opening.links.requests.info?.payloadBytesMax ?? StoreLayout.messageBytesMax
        return min(most, StoreLayout.messageBytesMax) - Self.headersBytes
    }

    /// More than the headers of any message.
    private static let headersBytes = 1 << 10

    // MARK: Making them

    /// Makes the streams. None of them may exist, except those of an earlier restore of the same
    /// backup.
    mutating func make() throws(SharedRestoreError) {
        if let found = try asking(findPlan) {
            guard found.plan.backup == plan.backup,
                found.plan.facts.shardCount == plan.facts.shardCount
            else { throw .otherRestore }
            (plan, planNumber, isContinued) = (found.plan, found.number, true)
        } else {
            if let name = try asking(occupied) { throw .occupied(name) }
            planNumber = try asking(writePlan) ?? 0
        }
        guard planNumber > 0 else { throw .overtaken }
        if let name = try asking(makeStreams) { throw .occupied(name) }
        for shard in 0..<plan.facts.shardCount {
            let lineage = try asking { opening throws(StoreOpenError) in
                try opening.mark(shard, of: plan.facts, lineage: nil)
            }
            guard lineage == plan.facts.lineage else { throw .overtaken }
        }
    }

    /// The plan of a restore that has not come to its end.
    private func findPlan(
        _ opening: StoreOpening
    ) throws(StoreOpenError) -> (plan: RestorePlan, number: Int)? {
        let layout = opening.requests.layout
        let message = try opening.find(.last(layout.metaSubject), in: layout.controlStream)
        guard let message, let plan = try? RestorePlan(message.payload) else { return nil }
        return (plan, message.sequence)
    }

    /// - Returns: the name of a stream that exists, if one does. The first one that a restore makes
    ///   counts only if it has messages.
    private func occupied(_ opening: StoreOpening) throws(StoreOpenError) -> String? {
        for config in configs {
            guard let info = try opening.existing(config.name) else { continue }
            let isFirst = config.name == opening.requests.layout.controlStream
            if !isFirst || info.state.messages != 0 { return config.name.text }
        }
        return nil
    }

    /// Makes the stream of apps, and writes the plan.
    ///
    /// - Returns: the stream sequence of the plan. Nil if somebody else makes a store there.
    private func writePlan(_ opening: StoreOpening) throws(StoreOpenError) -> Int? {
        guard let control = configs.last, try opening.make(control) != nil else { return nil }
        _ = try opening.publish(
            plan.text, to: opening.requests.layout.metaSubject, headers: [.expectedLastSequence(0)])
        guard let found = try findPlan(opening), found.plan == plan else { return nil }
        return found.number
    }

    /// - Returns: the name of a stream that exists and is not of this restore, if one does.
    private func makeStreams(_ opening: StoreOpening) throws(StoreOpenError) -> String? {
        for config in configs.dropLast() {
            if isContinued, try opening.existing(config.name) != nil { continue }
            if try opening.make(config)?.state.messages != 0 { return config.name.text }
        }
        return nil
    }

    // MARK: What is in them

    /// The last message of each subject that an earlier restore has published.
    func stored() throws(SharedRestoreError) -> [StoreLayout.Item: StoredItem] {
        guard isContinued else { return [:] }
        let layout = StoreLayout(
            prefix: options.address.prefix, shardCount: plan.facts.shardCount)
        var stored: [StoreLayout.Item: StoredItem] = [:]
        return try asking { _ throws(StoreOpenError) in
            // Over links of its own, which end here.
            let reading = try StoreOpening(
                options.address, within: options.timeoutMilliseconds, environment)
            try reading.read(
                layout, reading: .heads, patience: options.timeoutMilliseconds
            ) { message in
                let shard = message.feed < layout.shardCount ? message.feed : nil
                guard let content = try? StoreMessage(message, of: shard, in: layout),
                    let item = content.item
                else { return }
                stored[item] = StoredItem(number: message.number, trait: RestoredTrait(content))
            }
            return stored
        }
    }

    /// A queue for the messages of the streams.
    func queue(timeout: Int64) -> RestoreQueue {
        RestoreQueue(opening, plan.facts, timeout: timeout)
    }

    /// Makes the store valid.
    func validate() throws(SharedRestoreError) {
        _ = try asking { opening throws(StoreOpenError) in
            try opening.write(plan.facts, after: planNumber)
        }
    }

    /// Deletes the streams after an error that another attempt would meet as well.
    ///
    /// - Returns: the error to report.
    func abandon(after reason: SharedRestoreError) -> SharedRestoreError {
        guard case .backup = reason else { return reason }
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

extension StoreMessage {
    /// The item that it is about. Nil if it is about none that a restore publishes.
    fileprivate var item: StoreLayout.Item? {
        switch self {
        case .session(let record): .session(record.id)
        case .tokens(let list): .tokens(list.id)
        case .app(let app): .app(app.id)
        case .facts, .plan, .mark, .barrier: nil
        }
    }
}
