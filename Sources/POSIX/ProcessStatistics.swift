internal import CLinux
internal import Glibc

extension Process {
    /// What the kernel counts of this process.
    package struct ProcessStatistics: Sendable {
        package var cpuNanoseconds: Int64 = 0
        package var virtualBytes = 0
        package var descriptors = 0
        package var descriptorsMax = 0
    }

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
        // They are counted, because listing /proc/self/fd takes long when there are many.
        statistics.descriptors = 3 + FileDescriptor.openCount
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        statistics.descriptorsMax = Int(clamping: limit.rlim_cur)
        return statistics
    }
}
