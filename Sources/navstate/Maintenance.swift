internal import Bytes
internal import Cluster
internal import Navigation
internal import POSIX
internal import Storage

/// The commands that read or create a store without serving it.
enum Maintenance {
    /// `check`: prints what the store contains and whether it is intact.
    ///
    /// - Throws: a `damaged` error if `serve` would not start without `--recover`.
    static func check(_ context: CommandContext) throws(ExitError) {
        let (configuration, output) = (try context.storeConfiguration(), context.output)
        if configuration.sharedStore.address != nil {
            return try SharedStoreCommand.run(.check, configuration, output: output)
        }
        let survey = try survey(configuration)
        let report = survey.report
        output.print(
            """
            \(configuration.store.path)
              lineage   \(survey.lineage)
              files     \(report.files), \(Size.text(bytes: report.bytes))
              records   \(report.records)
              sessions  \(report.sessions)
              apps      \(report.apps)

            """)
        for note in survey.notes { output.print("note: \(note)\n") }
        guard survey.damages.isEmpty else {
            for damage in survey.damages { output.print("damage: \(damage)\n") }
            throw ExitError(.damaged, "the store is damaged; see navstate help recover")
        }
        output.print("intact\n")
    }

    /// `dump`: prints the newest state of each session, one line of JSON each.
    ///
    /// - Throws: a `damaged` error, after printing what can be read, if the store is damaged.
    static func dump(_ context: CommandContext) throws(ExitError) {
        let (configuration, output) = (try context.storeConfiguration(), context.output)
        if let address = configuration.sharedStore.address {
            return try SharedStoreCommand.dump(address, output: output)
        }
        let survey = try survey(configuration)
        var isWhole = survey.damages.isEmpty
        survey.dump(now: Clock.realtimeMilliseconds) { line in
            output.print(String(decoding: line, as: UTF8.self) + "\n")
        } complain: { damage in
            isWhole = false
            output.printError("damage: \(damage)\n")
        }
        for damage in survey.damages { output.printError("damage: \(damage)\n") }
        guard isWhole else { throw ExitError(.damaged, "the dump is incomplete") }
    }

    private static func survey(_ configuration: Configuration) throws(ExitError) -> Survey {
        do { return try Survey(of: configuration.store.path) } catch { throw ExitError(error) }
    }

    /// `restore FILE`: creates a store from the response of `GET /v1/backup`, in the directory of
    /// `--data` or at `--store`.
    ///
    /// - Throws: a `damaged` error for a backup that is cut or changed, and `cannotCreate` if the
    ///   directory is not empty.
    static func restore(_ context: CommandContext) throws(ExitError) {
        let (path, output) = (context.argument, context.output)
        let configuration = try context.storeConfiguration()
        let (source, isDirectory): (FileDescriptor, Bool)
        do {
            source = try FileDescriptor.open(path == "-" ? "/dev/stdin" : path, .readOnly)
            isDirectory = try source.status().isDirectory
        } catch {
            throw ExitError(.usage, "\(path): \(error.text)")
        }
        guard !isDirectory else {
            throw ExitError(.usage, "\(path) is a directory; give the file of a backup")
        }
        if let address = configuration.sharedStore.address {
            return try restore(source, into: address, by: configuration.sharedStore, output)
        }
        do throws(StartError) {
            let now = Clock.realtimeMilliseconds
            var restore = try Restore(into: configuration.store.path, now: now)
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            while true {
                let count = try read(source, &buffer)
                if count == 0 { break }
                try restore.feed(Array(buffer[..<count]))
            }
            let records = try restore.finish()
            output.print("restored \(records) records into \(configuration.store.path)\n")
        } catch {
            throw ExitError(error)
        }
    }

    private static func restore(
        _ source: FileDescriptor, into address: StoreAddress,
        by shared: Configuration.SharedStore, _ output: Output
    ) throws(ExitError) {
        var options = SharedRestore.Options(address: address, format: LogBackupFormat())
        options.shardCount = shared.shards
        options.replicas = shared.replicas
        do throws(SharedRestoreError) {
            let records = try SharedRestore.run(options) { buffer throws(SystemError) in
                try source.read(into: &buffer, 0..<buffer.count) ?? 0
            }
            let earlier =
                records.found > 0 ? ", \(records.found) of them by an earlier attempt" : ""
            output.print(
                "restored \(records.published + records.found) records\(earlier) into the shared "
                    + "store \(address.place)\n")
        } catch {
            throw ExitError(error)
        }
    }

    private static func read(
        _ source: FileDescriptor, _ buffer: inout [UInt8]
    ) throws(StartError) -> Int {
        do { return try source.read(into: &buffer, 0..<buffer.count) ?? 0 } catch {
            throw .unreadableBackup(error)
        }
    }
}
