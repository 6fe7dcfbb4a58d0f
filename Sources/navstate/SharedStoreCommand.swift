internal import Bytes
internal import Cluster
internal import JSON
internal import POSIX

/// The command `store`: creates, examines or deletes the store that several servers share.
enum SharedStoreCommand {
    /// The actions on the store.
    enum Action: String, CaseIterable {
        case `init`, check, status, delete
    }

    /// Runs the action that the command line names.
    static func run(_ context: CommandContext) throws(ExitError) {
        let (word, configuration) = (context.argument, try context.configuration())
        guard let action = Action(named: word) else {
            let hint = Suggestion.text(for: word, among: Action.allCases.map(\.rawValue))
            throw ExitError(
                .usage,
                "unknown action \(word.clipped)\(hint); usage: navstate \(Subcommand.store.usage)")
        }
        try run(action, configuration, output: context.output)
    }

    /// Runs an action.
    ///
    /// - Throws: a `usage` error if `--store` is missing.
    static func run(
        _ action: Action, _ configuration: Configuration, output: Output
    ) throws(ExitError) {
        guard let address = configuration.sharedStore.address else {
            throw ExitError(
                .usage, "--store is missing; see navstate help store")
        }
        let options = configuration.sharedStore
        let isHealthy: Bool
        do throws(StoreOpenError) {
            isHealthy =
                switch action {
                case .`init`: try create(address, by: options, output)
                case .check: try check(address, by: options, output)
                case .status: try report(address, by: options, output)
                case .delete: try delete(address, by: options, output)
                }
        } catch {
            throw ExitError(error)
        }
        guard isHealthy else {
            guard action != .delete else {
                throw ExitError(
                    .usage,
                    "nothing was deleted; type \(address.prefix.text) when asked, or give --yes")
            }
            throw ExitError(
                action == .check ? .damaged : .unhealthy, "the shared store needs attention")
        }
    }

    /// The command `dump` with a shared store: prints the newest state of each session.
    ///
    /// - Throws: a `damaged` error, after printing what can be read, if a session cannot be read.
    static func dump(_ address: StoreAddress, output: Output) throws(ExitError) {
        var isWhole = true
        do throws(StoreOpenError) {
            try StoreDump.run(address, within: milliseconds) { state in
                output.print(String(decoding: state, as: UTF8.self) + "\n")
            } complain: { fault in
                isWhole = false
                output.printError("damage: \(fault)\n")
            }
        } catch {
            throw ExitError(error)
        }
        guard isWhole else { throw ExitError(.damaged, "the dump is incomplete") }
    }

    /// How long the servers may be silent.
    private static let milliseconds: Int64 = 60_000

    private static func create(
        _ address: StoreAddress, by options: Configuration.SharedStore, _ output: Output
    ) throws(StoreOpenError) -> Bool {
        let made = try StoreSetup.create(
            address, shardCount: options.shards, replicas: options.replicas,
            within: milliseconds)
        output.print(
            "\(made.isNew ? "created" : "found") the shared store \(address.place): "
                + "shards \(made.facts.shardCount), replicas \(made.replicas), "
                + "lineage \(made.facts.lineage)\n")
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
        let notRead = "not read, since not all streams can be read"
        output.print(
            """
            the shared store \(address.place)
              messages  \(summary.isRead ? "\(summary.messages)" : notRead)
              sessions  \(summary.isRead ? "\(summary.sessions)" : notRead)
              synced    \(summary.servers) of \(options.monitors.count) monitored servers
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
        var text = "the shared store \(address.place)\n"
        if let lineage = status.lineage { text += "  lineage  \(lineage)\n" }
        for server in status.servers {
            let name = [server.name, server.version].filter { !$0.isEmpty }.joined(separator: " ")
            text += "  server   \(server.address)  \(name.isEmpty ? "not reached" : name)\n"
        }
        for stream in status.streams {
            let current = stream.followers.filter { $0.isCurrent && !$0.isOffline }.count
            text +=
                "  stream   \(stream.name)  leader \(stream.leader ?? "none")  "
                + "\(current) of \(stream.followers.count) followers current  "
                + "messages \(stream.messages)  \(Size.text(bytes: stream.bytes))\n"
        }
        output.print(text)
        for fault in status.faults { output.print("fault: \(fault)\n") }
        if let fault = status.fault { throw fault }
        return status.faults.isEmpty
    }

    /// - Returns: whether it may be deleted.
    private static func delete(
        _ address: StoreAddress, by options: Configuration.SharedStore, _ output: Output
    ) throws(StoreOpenError) -> Bool {
        guard options.isConfirmed || isConfirmed(address, output) else { return false }
        let streams = try StoreDeletion.run(
            address, shardCount: options.shards, within: milliseconds)
        output.print(
            streams.isEmpty
                ? "there is no stream of the shared store \(address.place)\n"
                : "deleted the shared store \(address.place), streams: \(streams.count)\n")
        return true
    }

    /// Asks for the prefix of the store.
    private static func isConfirmed(_ address: StoreAddress, _ output: Output) -> Bool {
        output.print(
            "This deletes the shared store \(address.place) with all its sessions. "
                + "Type \(address.prefix.text) to go on: ")
        var answer = [UInt8](repeating: 0, count: 256)
        guard let input = try? FileDescriptor.open("/dev/stdin", .readOnly),
            let count = try? input.read(into: &answer, 0..<answer.count)
        else { return false }
        return answer[..<count].elementsEqual("\(address.prefix.text)\n".utf8)
    }
}
