/// The options that a store is opened with.
package struct StoreOptions: Sendable {
    /// The directory, which is created if it does not exist.
    package var path: String
    /// The size of a log file in bytes. A longer record makes a longer file.
    package var segmentBytes = 64 << 20
    /// The memory for cached records, in bytes.
    package var cacheBytes = 256 << 20
    /// Bytes that may wait for the disk before changes are refused as `busy`.
    package var pendingBytesMax = 64 << 20
    /// The maximum number of idempotency keys of all sessions. The oldest are dropped first.
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
    /// Once the kernel has it: it survives the process, but a power failure may undo the changes of
    /// about this many milliseconds.
    case interval(milliseconds: Int)
    /// Once the kernel has it. The kernel decides when it reaches the disk.
    case never

    /// The changes that a power failure may undo, as text. Nil for none.
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
