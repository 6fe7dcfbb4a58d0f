internal import POSIX

/// The store's threads, from the start to the end. They share `Journal`, `SegmentList` and
/// messages with the loop, never the index.
final class StoreThreads {
    let journal: Journal
    let loader: RecordLoader
    let compactor: Compaction
    /// Signalled when a thread has done something that the loop should look at.
    private let wakeUp: WakeUp
    private let maintenance: SegmentMaintenance
    private let journalThread: Thread
    private let loaderThread: Thread
    private let maintenanceThread: Thread
    private let compactionThread: Thread
    private let lock: DirectoryLock

    /// Makes the first file and the manifest durable, then starts the threads.
    init(
        _ options: StoreOptions, _ recovered: Recovered, faults: FaultLog
    ) throws(SystemError) {
        let wakeUp = try WakeUp()
        let journal = Journal(
            first: recovered.nextFile, last: recovered.last, wakeUp: wakeUp)
        let maintenance = SegmentMaintenance(
            options, recovered, journal: journal, faults: faults)
        try maintenance.begin(recovered)
        let loader = RecordLoader(
            segments: recovered.segments, journal: journal, wakeUp: wakeUp, faults: faults,
            doneBytesMax: options.cacheBytes / 4)
        let compactor = Compaction(wakeUp: wakeUp)
        (self.wakeUp, self.journal, self.loader) = (wakeUp, journal, loader)
        (self.maintenance, self.compactor) = (maintenance, compactor)
        lock = recovered.lock
        journalThread = try Thread(named: "journal") {
            var thread = JournalThread(journal, options) { maintenance.turned($0) }
            thread.run()
        }
        loaderThread = try Thread(named: "record-loader") { loader.run() }
        maintenanceThread = try Thread(named: "maintenance") { maintenance.run() }
        compactionThread = try Thread(named: "compaction", priority: .background) {
            CompactionThread(
                compactor, options, journal: journal, maintenance: maintenance, faults: faults
            ).run()
        }
    }

    /// Readable when a thread has done something that the loop should look at.
    var wakeDescriptor: FileDescriptor { wakeUp.descriptor }

    /// Makes the descriptor unreadable until a thread does something again.
    func clearWakeUp() { wakeUp.clear() }

    /// Has the maintenance thread look for room on the disk.
    func makeRoom() { maintenance.makeRoom() }

    /// Ends the threads that write: the journal once it has written everything that was submitted,
    /// and compaction at once.
    func stopWriting() {
        journal.stop()
        compactor.stop()
        journalThread.join()
        compactionThread.join()
    }

    /// Ends the other threads, after `stopWriting`, and unlocks the directory.
    func stop(leaving end: SegmentMaintenance.End) {
        maintenance.stop(leaving: end)
        maintenanceThread.join()
        loader.stop()
        loaderThread.join()
        lock.release()
    }
}
