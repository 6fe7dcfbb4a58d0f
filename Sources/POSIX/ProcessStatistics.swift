internal import CLinux
internal import Glibc

extension Process {
    /// Figures of the kernel about the process.
    package struct ProcessStatistics: Sendable {
        /// CPU time of all threads in nanoseconds.
        package var cpuNanoseconds: Int64 = 0
        /// Virtual memory in bytes; 0 if it is unknown.
        package var virtualBytes = 0
        /// The number of open descriptors.
        package var descriptors = 0
        /// The limit of open descriptors.
        package var descriptorsMax = 0
    }

    /// The current figures.
    package static var statistics: ProcessStatistics {
        var statistics = ProcessStatistics()
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        statistics.cpuNanoseconds = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        if let file = try? FileDescriptor.open("/proc/self/statm", .readOnly),
            let bytes = try? file.bytes(at: 0, count: 128)
        {
            let pages = String(decoding: bytes, as: UTF8.self).prefix { $0 != " " }
            statistics.virtualBytes = (Int(pages) ?? 0) * pageBytes
        }
        // Listing /proc/self/fd would take long if there are many.
        statistics.descriptors = 3 + FileDescriptor.openCount
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        statistics.descriptorsMax = Int(clamping: limit.rlim_cur)
        return statistics
    }
}
