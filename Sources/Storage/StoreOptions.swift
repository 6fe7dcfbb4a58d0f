/// What a store is opened with.
package struct StoreOptions: Sendable {
    /// The directory; made if it is not there.
    package var path: String
    /// Bytes of a log file; a longer record makes a longer file.
    package var segmentBytes = 64 << 20
    /// Bytes of memory for records.
    package var cacheBytes = 256 << 20
    /// Bytes that may wait for the disk before changes are refused as `busy`.
    package var pendingBytesMax = 64 << 20
    /// Idempotency keys that are kept over all sessions; the oldest go first.
    package var keysMax = 1_000_000
    package var fsync = FsyncMode.always
    /// Goes on without what is damaged, which is set aside.
    package var recover = false
    /// How long after the last change the log is marked as durable.
    package var markAfterMilliseconds: Int64 = 100
    /// Whether sealed files are compacted in the background.
    package var compacts = true
    package var disk = Disk()

    package init(path: String) { self.path = path }
}

/// When a change counts as kept.
package enum FsyncMode: Equatable, Sendable {
    /// Once fdatasync(2) has returned: it survives a power cut.
    case always
    /// Once the kernel has it: it survives the process; a power cut may take back changes of
    /// about so many milliseconds.
    case interval(milliseconds: Int)
    /// Once the kernel has it; when it reaches the disk is left to the kernel.
    case never

    /// What a power cut may take back; nil if nothing.
    package var loss: String? {
        switch self {
        case .always: nil
        case .interval(let milliseconds):
            "a power failure can lose the acknowledged changes of the last \(milliseconds) ms"
        case .never:
            "a power failure can lose acknowledged changes; a crash of the process cannot"
        }
    }
}
