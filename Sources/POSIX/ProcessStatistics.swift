internal import Bytes
internal import CLinux
internal import Glibc

extension Process {
    /// The memory of a process.
    public struct Memory: Equatable, Sendable {
        /// Virtual memory in bytes; 0 if it is unknown.
        public var virtualBytes = 0
        /// Resident memory in bytes; 0 if it is unknown.
        public var residentBytes = 0

        public init() {}

        /// Reads the text of `/proc/self/statm`, whose first two numbers count pages (proc(5)).
        /// Returns nil if it does not begin with two numbers.
        ///
        /// - Parameter pageBytes: the size of a page of memory.
        public init?(statm: [UInt8], pageBytes: Int) {
            let fields = String(decoding: statm, as: UTF8.self).split(separator: " ")
            guard fields.count >= 2, let virtual = Int(fields[0]), let resident = Int(fields[1])
            else { return nil }
            virtualBytes = virtual.multipliedClamping(by: pageBytes)
            residentBytes = resident.multipliedClamping(by: pageBytes)
        }
    }

    /// Figures of the kernel about the process.
    public struct Statistics: Sendable {
        /// CPU time of all threads in nanoseconds.
        public var cpuNanoseconds: Int64 = 0
        /// The memory of the process.
        public var memory = Memory()
        /// The number of open descriptors.
        public var descriptors = 0
        /// The limit of open descriptors.
        public var descriptorsMax = 0
    }

    /// The current figures.
    public static var statistics: Statistics {
        var statistics = Statistics()
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        statistics.cpuNanoseconds = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        statistics.memory = memory
        // Listing /proc/self/fd would take long if there are many.
        statistics.descriptors = 3 + FileDescriptor.openCount
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        statistics.descriptorsMax = Int(clamping: limit.rlim_cur)
        return statistics
    }

    /// The memory in use now.
    public static var memory: Memory {
        guard let file = try? FileDescriptor.open("/proc/self/statm", .readOnly),
            let bytes = try? file.bytes(at: 0, count: 128)
        else { return Memory() }
        return Memory(statm: bytes, pageBytes: pageBytes) ?? Memory()
    }

    /// The size of a page of memory in bytes: 4096 on most machines, 65536 on some.
    private static let pageBytes = sysconf(Int32(_SC_PAGESIZE))
}

extension Int {
    fileprivate func multipliedClamping(by other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
