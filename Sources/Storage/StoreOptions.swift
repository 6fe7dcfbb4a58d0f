/// What a store is opened with.
package struct StoreOptions: Sendable {
    /// The directory; it is made if it does not exist.
    package var path: String
    /// Bytes of a log file; a longer record makes a longer file.
    package var segmentBytes = 64 << 20
    /// Bytes of memory for records.
    package var cacheBytes = 256 << 20
    /// Bytes that may wait for the disk before changes are refused as `busy`.
    package var pendingBytesMax = 64 << 20
    /// Idempotency keys that are kept over all sessions; the oldest go first.
    package var keysMax = 1_000_000
    /// When a change counts as durable.
    package var fsync = FsyncMode.always
    /// Whether damaged data is set aside instead of refusing to start.
    package var recover = false
    /// How long after the last change the log is marked as durable.
    package var markAfterMilliseconds: Int64 = 100
    /// Whether sealed files are compacted in the background.
    package var compacts = true
    /// The calls that change the disk, which tests intercept.
    package var disk = Disk()

    /// Default options for the store in a directory.
    package init(path: String) { self.path = path }
}

/// When a change counts as durable.
package enum FsyncMode: Equatable, Sendable {
    /// Once fdatasync(2) has returned: it survives a power failure.
    case always
    /// Once the kernel has it: it survives the process, but a power failure may take back the
    /// changes of about this many milliseconds.
    case interval(milliseconds: Int)
    /// Once the kernel has it; when it reaches the disk is left to the kernel.
    case never

    /// What a power failure may take back, in words; nil for nothing.
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
