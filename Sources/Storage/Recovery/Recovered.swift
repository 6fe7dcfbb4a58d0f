internal import POSIX

/// The result of a start.
struct Recovered {
    var layout: Layout
    var lock: DirectoryLock
    /// All files that were kept, as sealed files, and none that is open.
    var manifest: Manifest
    /// Whether the old manifest does not say what the store promises from now on, so that nothing
    /// may be written before the new one is durable.
    var needsManifest: Bool
    var tables: StateTables
    var segments: SegmentList
    var last: UInt64
    /// The number of the file to begin with.
    var nextFile: Int
    /// That file, if the last run has left a spare: empty, with its room reserved.
    var spare: LogFile?
    /// Files that are no longer needed, to be removed once the manifest says so.
    var leftovers: [String]
    /// Whether something was lost, so that the lineage is a new one.
    var isSalvaged: Bool
    var report: StartReport
}
