internal import Bytes
internal import Storage

// The rows about the store.

extension Option {
    static let data = Option(
        "data", .text(.directory), sets: \.data,
        meaning: "directory of the store; created if it does not exist",
        details: """
            It must belong to the user that runs the server. Only one server can use it at a time; a
            second one exits with code 75. Use a local disk.
            """)

    static let storageOptions: [Option] = [
        data, fsync, cache,
        Option(
            "recover", .flag, sets: \.store.recover,
            meaning: "start in spite of damage, setting damaged files aside in quarantine/",
            details: """
                Without it, damage to acknowledged data stops the startup with exit code 74. With
                it, the intact records of a damaged file are kept, and losses are logged. A session
                whose newest record is lost goes back to its last intact one, or is gone; a deleted
                session whose deletion is lost can come back. Every ETag changes.

                Copy the directory first, prefer restoring a backup, and do not leave the option on:
                it would hide the next damage.
                """),
        Option(
            "segment-size", .size(1 << 20...4 << 30), sets: \.store.segmentBytes,
            meaning: "maximum size of a log segment",
            details: """
                The log is a sequence of files of this size. Two are reserved at startup, so the
                store takes at least twice as much disk space. A record that is larger gets a longer
                segment. There is rarely a reason to change it; use a smaller value if 128 MiB is
                too much for the disk.
                """),
        Option(
            "pending-max", .memory(1 << 20...4 << 30), sets: \.memory.pendingBytes,
            meaning: "memory for changes that wait for the disk, then 503; auto is at most 64MiB",
            details: """
                Changes wait in memory while the disk is busy. At the limit, further changes get 503
                store-unavailable with Retry-After and change nothing; reads continue. auto is a
                sixteenth of the memory limit of the cgroup, between 2MiB and 64MiB.
                """),
        Option(
            "keys-max", .count(0...100_000_000), sets: \.store.keysMax,
            meaning: "idempotency keys to remember across all sessions",
            details: """
                At the limit the oldest keys are forgotten. Below it a session keeps at least its
                last 64 keys, each for 24 hours. A request that repeats a forgotten key is carried
                out again.
                """),
    ]

    private static let fsync = Option(
        "fsync", syncPolicy, sets: \.store.fsync,
        meaning: "when a change is synced: before its response (always), every TIME, or never",
        details: """
            With always, a change is acknowledged after fdatasync(2) and survives a power failure.
            With a TIME from 1ms to 1m, it is acknowledged once the kernel has it, and synced that
            often; it survives a crash of the process, but a power failure can lose the changes of
            the last TIME. With never, the kernel decides when to write. The log warns at startup
            about possible losses. ETags and event ids of lost changes are not used again.
            """)

    private static let syncPolicy = OptionValue<FsyncMode>(.text("always|never|TIME")) { text in
        switch text {
        case "always": return .always
        case "never": return .never
        default:
            let time = OptionValue<Int64>.duration(1...60_000).parse(text)
            return time.map { .interval(milliseconds: Int($0)) }
        }
    } text: { policy in
        switch policy {
        case .always: "always"
        case .never: "never"
        case .interval(let milliseconds): Duration.text(milliseconds: Int64(milliseconds))
        }
    }.ruled { _ in "must be always, never or a time from 1ms to 1m" }

    private static let cache = Option(
        "cache", .memory(1 << 20...1 << 40), sets: \.memory.cacheBytes,
        meaning: "memory for session records; auto is at most 256MiB",
        details: """
            Records that are not in the cache are read from the log. Raise it if more sessions are
            in use at the same time than fit. auto is a quarter of the memory limit of the cgroup,
            between 4MiB and 256MiB.
            """)
}
