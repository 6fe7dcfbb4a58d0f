internal import POSIX

/// What a start leads to.
struct Recovered {
    var layout: Layout
    var lock: DirectoryLock
    /// All files that were kept, as sealed, and none to write to.
    var manifest: Manifest
    /// The old manifest does not say what the store promises from now on, so that nothing may be
    /// written before the new one is durable.
    var needsManifest: Bool
    var tables: StateTables
    var segments: SegmentList
    var last: UInt64
    /// The number of the file to begin with.
    var nextFile: Int
    /// That file, if the last run has left its spare: empty, with its room reserved.
    var spare: LogFile?
    /// What counts no longer; to be removed once the manifest says so.
    var leftovers: [String]
    /// Something was lost, and the lineage is another now.
    var isSalvaged: Bool
    var report: StartReport
}
