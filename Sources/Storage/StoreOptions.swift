/// The options that a store is opened with.
public struct StoreOptions: Sendable {
    /// The directory, which is created if it does not exist.
    public var path: String
    /// The size of a log file in bytes. A longer record makes a longer file.
    public var segmentBytes = 64 << 20
    /// The memory for cached records, in bytes.
    public var cacheBytes = 256 << 20
    /// Bytes that may wait for the disk before changes are refused as `busy`.
    public var pendingBytesMax = 64 << 20
    /// The maximum number of idempotency keys of all sessions. The oldest are dropped first.
    public var keysMax = 1_000_000
    /// When a change counts as durable.
    public var fsync = FsyncMode.always
    /// Whether damaged data is set aside instead of refusing to start.
    public var recover = false
    /// How long after the last change the log is marked as durable.
    public var markAfterMilliseconds: Int64 = 100
    /// Whether sealed files are compacted in the background.
    public var compacts = true
    /// The calls that change the disk, which tests intercept.
    public var disk = Disk()

    /// Default options for the store in a directory.
    public init(path: String) { self.path = path }
}

/// When a change counts as durable.
public enum FsyncMode: Equatable, Sendable {
    /// Once fdatasync(2) has returned: it survives a power failure.
    case always
    /// Once the kernel has it: it survives the process, but a power failure may undo the changes of
    /// about this many milliseconds.
    case interval(milliseconds: Int)
    /// Once the kernel has it. The kernel decides when it reaches the disk.
    case never

    /// The changes that a power failure may undo, as text. Nil for none.
    public var loss: String? {
        switch self {
        case .always: nil
        case .interval(let milliseconds):
            "a power failure can lose the acknowledged changes of the last \(milliseconds) ms"
        case .never:
            "a power failure can lose acknowledged changes; a crash of the process cannot"
        }
    }
}
