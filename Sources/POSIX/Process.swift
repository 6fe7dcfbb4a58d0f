internal import Bytes
internal import CLinux
internal import Glibc

/// The process that is running.
public enum Process {
    /// The number of the process.
    public static var identifier: Int32 { getpid() }
    /// The number of the user that the process runs as.
    public static var userIdentifier: UInt32 { getuid() }

    /// The first argument that is not UTF-8, with its bad bytes replaced. The standard library
    /// replaces them without notice.
    public static var badArgument: String? {
        for index in 0..<Int(CommandLine.argc) {
            guard let text = unsafe CommandLine.unsafeArgv[index] else { break }
            if unsafe String(validatingCString: text) == nil {
                return unsafe String(cString: text)
            }
        }
        return nil
    }

    /// The value of a variable of the environment.
    public static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// All variables of the environment whose names have the prefix.
    public static func environment(prefix: String) -> [String: String] {
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

    /// Whether standard output is a terminal.
    public static var outputIsTerminal: Bool { isatty(1) == 1 }
    /// The number of columns of the terminal that standard output is, or nil if that is unknown.
    public static var outputColumns: Int? {
        let columns = Int(navstate_terminal_columns(1))
        return columns > 0 ? columns : nil
    }
    /// Whether standard error is a terminal.
    public static var errorIsTerminal: Bool { isatty(2) == 1 }

    /// Ends the process at once, without running exit handlers: _exit(2).
    public static func exit(_ code: Int32) -> Never { _exit(code) }

    /// Makes the allocator keep freed memory for later use, instead of returning large blocks to
    /// the kernel and faulting them in again: mallopt(3).
    ///
    /// - Parameter bytes: the most that is kept.
    public static func keepFreedMemory(bytes: Int32) {
        mallopt(M_MMAP_THRESHOLD, bytes)
        mallopt(M_TRIM_THRESHOLD, bytes)
    }

    /// Returns freed memory between blocks that are in use to the kernel, once: malloc_trim(3).
    public static func releaseFreedMemory() { _ = malloc_trim(0) }

    /// Raises the limit of open descriptors as far as it may be raised.
    ///
    /// - Returns: the limit afterwards.
    public static func raiseDescriptorLimit() -> Int {
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

    /// Writes text to standard output or standard error. It waits for a stream that does not block
    /// and has no room.
    ///
    /// - Returns: why the rest of the text is lost, or nil if all of it was written.
    @discardableResult
    public static func print(_ text: String, toError: Bool = false) -> SystemError? {
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
            if result == -Int(EAGAIN) {
                var room = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                _ = retryingOnInterrupt { unsafe Int(poll(&room, 1, -1)) }
                continue
            }
            guard result > 0 else { return SystemError("write", number: Int32(-result)) }
            start += result
        }
        return nil
    }
}
