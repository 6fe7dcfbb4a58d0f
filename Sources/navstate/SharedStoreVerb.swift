internal import Bytes
internal import Cluster
internal import JSON

/// The verb `store`: creates or examines the store that several servers share.
enum SharedStoreVerb {
    /// What there is to do with the store.
    private enum Action: String, CaseIterable {
        case `init`, check, status
    }

    /// Runs an action.
    ///
    /// - Parameter word: the name of the action.
    /// - Throws: a `usage` error for another word, or if `--store` is missing.
    static func run(
        _ word: String, _ configuration: Configuration, output: Output
    ) throws(ExitError) {
        guard let action = Action(named: word) else {
            let names = Action.allCases.map(\.rawValue)
            let hint = Suggestion.text(for: word, among: names)
            throw ExitError(
                .usage,
                "unknown action \(word.clipped)\(hint); usage: navstate \(Verb.store.usage)")
        }
        guard let address = configuration.sharedStore.address else {
            throw ExitError(
                .usage, "--store is missing; see navstate help store")
        }
        let options = configuration.sharedStore
        let isWell: Bool
        do throws(StoreOpenError) {
            isWell =
                switch action {
                case .`init`: try create(address, by: options, output)
                case .check: try check(address, by: options, output)
                case .status: try report(address, by: options, output)
                }
        } catch {
            throw ExitError(error)
        }
        guard isWell else {
            throw ExitError(
                action == .check ? .damaged : .unhealthy, "the shared store needs attention")
        }
    }

    /// How long the servers may be silent.
    private static let milliseconds: Int64 = 60_000

    private static func create(
        _ address: StoreAddress, by options: Configuration.SharedStore, _ output: Output
    ) throws(StoreOpenError) -> Bool {
        let (facts, isNew) = try StoreSetup.create(
            address, shardCount: options.shards, replicas: options.replicas,
            within: milliseconds)
        output.print(
            "\(isNew ? "created" : "found") the shared store \(address.place): "
                + "shards \(facts.shardCount), replicas \(options.replicas), "
                + "lineage \(facts.lineage)\n")
        return true
    }

    /// - Returns: whether the store is intact.
    private static func check(
        _ address: StoreAddress, by options: Configuration.SharedStore, _ output: Output
    ) throws(StoreOpenError) -> Bool {
        let summary = try StoreCheck.run(
            address, monitors: options.monitors, replicasMin: options.replicas,
            within: milliseconds
        ) { output.print("fault: \($0)\n") }
        output.print(
            """
            the shared store \(address.place)
              messages  \(summary.messages)
              sessions  \(summary.sessions)
              faults    \(summary.faults)

            """)
        if options.monitors.isEmpty {
            output.print(
                "note: whether the servers sync each change is not known without --monitor\n")
        }
        if summary.faults == 0 { output.print("intact\n") }
        return summary.faults == 0
    }

    /// - Returns: whether nothing needs attention.
    private static func report(
        _ address: StoreAddress, by options: Configuration.SharedStore, _ output: Output
    ) throws(StoreOpenError) -> Bool {
        let status = try StoreStatus.read(
            address, replicasMin: options.replicas, within: milliseconds)
        var text = "the shared store \(address.place)\n  lineage  \(status.lineage)\n"
        for server in status.servers {
            let name = [server.name, server.version].filter { !$0.isEmpty }.joined(separator: " ")
            text += "  server   \(server.address)  \(name.isEmpty ? "not reached" : name)\n"
        }
        for stream in status.streams {
            let current = stream.followers.filter { $0.isCurrent && !$0.isOffline }.count
            text +=
                "  stream   \(stream.name)  leader \(stream.leader ?? "none")  "
                + "\(current) of \(stream.followers.count) followers current  "
                + "\(stream.messages) messages  \(Size.text(bytes: stream.bytes))\n"
        }
        output.print(text)
        for fault in status.faults { output.print("fault: \(fault)\n") }
        return status.faults.isEmpty
    }
}
