internal import CLinux
internal import Glibc

/// The clocks.
package enum Clock {
    /// Milliseconds since 1970 by the wall clock, which may jump. A clock that is set to a time
    /// before 1970 or after 9999 gives the nearest time between them: every date can be written
    /// with four digits for its year, and no sum of times overflows.
    package static var realtimeMilliseconds: Int64 {
        let time = read(CLOCK_REALTIME)
        return milliseconds(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// Milliseconds by a clock that never goes back and also counts while the machine sleeps.
    package static var monotonicMilliseconds: Int64 {
        let time = read(CLOCK_BOOTTIME)
        return milliseconds(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// Nanoseconds for measuring, since the machine started.
    package static var monotonicNanoseconds: Int64 {
        let time = read(CLOCK_MONOTONIC)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// The last second of the year 9999.
    private static let secondsMax: Int64 = 253_402_300_799

    /// Milliseconds since 1970, within the years 1970 to 9999.
    package static func milliseconds(seconds: Int64, nanoseconds: Int64) -> Int64 {
        guard seconds >= 0 else { return 0 }
        return min(seconds, secondsMax) * 1000 + nanoseconds / 1_000_000
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        if let simulation {
            let nanoseconds =
                clock == CLOCK_REALTIME
                ? simulation.realtimeNanoseconds : simulation.monotonicNanoseconds
            time.tv_sec = Int(nanoseconds / 1_000_000_000)
            time.tv_nsec = Int(nanoseconds % 1_000_000_000)
        } else {
            unsafe clock_gettime(clock, &time)
        }
        return time
    }
}

/// Random bytes of the kernel.
package enum Random {
    package static func bytes(_ count: Int) throws(SystemError) -> [UInt8] {
        if let simulation { return simulation.randomBytes(count) }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let start = done
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                retryingOnInterrupt {
                    unsafe getrandom(
                        buffer.baseAddress.map { unsafe $0 + start }, count - start, 0)
                }
            }
            done += try check(result, "getrandom")
        }
        return bytes
    }

    package static func word() throws(SystemError) -> UInt64 {
        try bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// This process.
package enum Process {
    package static var identifier: Int32 { getpid() }
    package static var userIdentifier: UInt32 { getuid() }

    /// A variable of the environment.
    package static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// All variables of the environment whose names begin so.
    package static func environment(prefix: String) -> [String: String] {
        var found: [String: String] = [:]
        var index = 0
        while let entry = unsafe navstate_environment(index) {
            index += 1
            let parts = unsafe String(cString: entry).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].hasPrefix(prefix) else { continue }
            found[String(parts[0])] = String(parts[1])
        }
        return found
    }

    /// Whether standard error is a terminal.
    package static var errorIsTerminal: Bool { isatty(2) == 1 }

    /// Ends at once, without handlers.
    package static func exit(_ code: Int32) -> Never { _exit(code) }

    /// Has the allocator keep up to so many freed bytes for the next need, instead of giving large
    /// pieces back to the kernel at once and faulting them in anew; mallopt(3).
    package static func keepFreedMemory(bytes: Int32) {
        mallopt(M_MMAP_THRESHOLD, bytes)
        mallopt(M_TRIM_THRESHOLD, bytes)
    }

    /// Raises the limit of open descriptors as far as allowed; the limit that holds then.
    package static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            _ = unsafe setrlimit(resource, &limit)
            _ = unsafe getrlimit(resource, &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// Bytes of a page of memory, in which /proc counts; 4096 on most machines, 65536 on some.
    package static let pageBytes = sysconf(Int32(_SC_PAGESIZE))

    /// Bytes of memory that are resident, from /proc/self/statm; 0 if that cannot be read.
    package static var residentBytes: Int {
        guard let file = try? FileDescriptor.open("/proc/self/statm", .readOnly),
            let bytes = try? file.bytes(at: 0, count: 128)
        else { return 0 }
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * pageBytes : 0
    }

    /// Writes to standard output or error; what cannot be written is lost.
    package static func print(_ text: String, toError: Bool = false) {
        let bytes = Array(text.utf8)
        let number: Int32 = toError ? 2 : 1
        var start = 0
        while start < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { buffer in
                retryingOnInterrupt {
                    unsafe Glibc.write(
                        number, buffer.baseAddress.map { unsafe $0 + start },
                        bytes.count - start)
                }
            }
            guard result > 0 else { return }
            start += result
        }
    }
}
