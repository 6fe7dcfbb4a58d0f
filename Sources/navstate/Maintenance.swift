internal import Navigation
internal import POSIX
internal import Storage

/// The verbs that look at a store, or make one, without serving it.
enum Maintenance {
    /// `check`: exit code 0 if a start would take the store as it is, 74 if not.
    static func check(_ configuration: Configuration) throws(ExitError) {
        let survey = try survey(configuration)
        let report = survey.report
        Process.print(
            """
            \(configuration.store.path)
              lineage   \(survey.lineage)
              files     \(report.files), \(Size.text(bytes: report.bytes))
              records   \(report.records)
              sessions  \(report.sessions)
              apps      \(report.apps)

            """)
        for note in survey.notes { Process.print("note: \(note)\n") }
        guard survey.damages.isEmpty else {
            for damage in survey.damages { Process.print("damage: \(damage)\n") }
            throw ExitError(.damaged, "the store is damaged; see navstate help recover")
        }
        Process.print("intact\n")
    }

    /// `dump`: each session's newest state, a line each.
    static func dump(_ configuration: Configuration) throws(ExitError) {
        let survey = try survey(configuration)
        do {
            try survey.dump(now: Clock.realtimeMilliseconds) { line in
                Process.print(String(decoding: line, as: UTF8.self) + "\n")
            }
        } catch {
            throw ExitError(error)
        }
        for damage in survey.damages { Process.print("damage: \(damage)\n", toError: true) }
        if !survey.damages.isEmpty { throw ExitError(.damaged, "the dump is incomplete") }
    }

    private static func survey(_ configuration: Configuration) throws(ExitError) -> Survey {
        do { return try Survey(of: configuration.store.path) } catch { throw ExitError(error) }
    }

    /// `restore FILE`: a new store out of what `GET /v1/backup` gave.
    static func restore(_ path: String, _ configuration: Configuration) throws(ExitError) {
        let source: FileDescriptor
        do {
            source = try FileDescriptor.open(path == "-" ? "/dev/stdin" : path, .readOnly)
        } catch {
            throw ExitError(.usage, "\(path): \(error.text)")
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
            Process.print("restored \(records) records into \(configuration.store.path)\n")
        } catch {
            throw ExitError(error)
        }
    }

    private static func read(
        _ source: FileDescriptor, _ buffer: inout [UInt8]
    ) throws(StartError) -> Int {
        do { return try source.read(into: &buffer, 0..<buffer.count) ?? 0 } catch {
            throw .system(error)
        }
    }
}
