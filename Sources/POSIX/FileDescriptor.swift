internal import CLinux
internal import Glibc
internal import Synchronization

/// An open file, socket or other kernel object, which is closed with its last reference.
public final class FileDescriptor: Sendable {
    /// The number of the descriptor.
    public let number: Int32

    /// Takes ownership of an open descriptor.
    public init(owning number: Int32) {
        precondition(number >= 0, "a descriptor is never negative")
        self.number = number
        Self.opened.add(1, ordering: .relaxed)
    }

    deinit {
        _ = close(number)
        Self.opened.subtract(1, ordering: .relaxed)
    }

    private static let opened = Atomic(0)

    /// The number of instances in the process; the three standard streams are not among them.
    public static var openCount: Int { opened.load(ordering: .relaxed) }

    /// How a file is opened. O_CLOEXEC is always added.
    public struct Options: OptionSet, Sendable {
        /// The flags of open(2).
        public let rawValue: Int32
        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// Only for reading.
        public static let readOnly = Options([])
        /// Only for writing.
        public static let writeOnly = Options(rawValue: O_WRONLY)
        /// For reading and writing.
        public static let readWrite = Options(rawValue: O_RDWR)
        /// Creates the file if it does not exist.
        public static let create = Options(rawValue: O_CREAT)
        /// With `create`: fails if the file exists.
        public static let exclusive = Options(rawValue: O_EXCL)
        /// Sets the size to 0.
        public static let truncate = Options(rawValue: O_TRUNC)
        /// Writes always at the end.
        public static let append = Options(rawValue: O_APPEND)
        /// Fails if it is not a directory.
        public static let directory = Options(rawValue: O_DIRECTORY)
        /// Fails if it is a symbolic link.
        public static let noFollow = Options(rawValue: O_NOFOLLOW)
        /// Does not wait, not even when opening a pipe or a device.
        public static let nonBlocking = Options(rawValue: O_NONBLOCK)
    }

    /// Opens a file: open(2).
    public static func open(
        _ path: String, _ options: Options, mode: UInt32 = 0o600
    ) throws(SystemError) -> FileDescriptor {
        let flags = options.rawValue | O_CLOEXEC
        let result = retryingOnInterrupt { unsafe Int(Glibc.open(path, flags, mode)) }
        return FileDescriptor(owning: Int32(try check(result, "open", path: path)))
    }

    // MARK: Reading

    /// Reads into a range of the array: read(2).
    ///
    /// - Returns: the number of bytes, 0 at the end, or nil if the call would block.
    public func read(into bytes: inout [UInt8], _ window: Range<Int>) throws(SystemError) -> Int? {
        precondition(window.lowerBound >= 0 && window.upperBound <= bytes.count)
        let number = number
        let result = unsafe bytes.withUnsafeMutableBytes { buffer in
            retryingOnInterrupt {
                unsafe Glibc.read(
                    number, buffer.baseAddress.map { unsafe $0 + window.lowerBound },
                    window.count)
            }
        }
        return try checkUnlessWaiting(result, "read")
    }

    /// Reads from an offset of the file into a range of the array: pread(2).
    ///
    /// - Returns: the number of bytes, smaller than the range only at the end of the file.
    public func read(
        into bytes: inout [UInt8], _ window: Range<Int>, at offset: Int
    ) throws(SystemError) -> Int {
        precondition(window.lowerBound >= 0 && window.upperBound <= bytes.count && offset >= 0)
        simulation?.pause()
        var done = 0
        while done < window.count {
            let (number, start, rest) = (number, window.lowerBound + done, window.count - done)
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                retryingOnInterrupt {
                    unsafe pread(
                        number, buffer.baseAddress.map { unsafe $0 + start }, rest,
                        off_t(offset + done))
                }
            }
            let count = try check(result, "pread")
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Reads bytes from an offset of the file; fewer than `count` only at its end.
    public func bytes(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try read(into: &bytes, 0..<count, at: offset)
        if read < count { bytes.removeSubrange(read...) }
        return bytes
    }

    /// Reads bytes only if all of them are in the page cache: preadv2(2) with RWF_NOWAIT.
    ///
    /// - Returns: nil if a disk would have to be read, if the file system does not support the
    ///   flag, and for any error.
    public func bytesInMemory(at offset: Int, count: Int) -> [UInt8]? {
        precondition(offset >= 0)
        if let simulation {
            let bytes = simulation.isInMemory() ? try? bytes(at: offset, count: count) : nil
            return bytes?.count == count ? bytes : nil
        }
        let number = number
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var piece = unsafe iovec(iov_base: buffer.baseAddress, iov_len: count)
            let result = retryingOnInterrupt {
                unsafe preadv2(
                    number, &piece, 1, off_t(offset), Int32(navstate_read_without_waiting))
            }
            filled = max(0, result)
        }
        return bytes.count == count ? bytes : nil
    }

    // MARK: Writing

    /// Writes bytes by one call: write(2).
    ///
    /// - Returns: the number of bytes written, or nil if the call would block.
    public func write(_ bytes: [UInt8], _ range: Range<Int>) throws(SystemError) -> Int? {
        try checkUnlessWaiting(writeOnce(bytes, range), "write")
    }

    private func writeOnce(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        let number = number
        return unsafe bytes.withUnsafeBytes { buffer in
            retryingOnInterrupt {
                unsafe Glibc.write(
                    number, buffer.baseAddress.map { unsafe $0 + range.lowerBound },
                    range.count)
            }
        }
    }

    /// Writes a range of the array completely.
    public func writeAll(_ bytes: [UInt8], _ range: Range<Int>) throws(SystemError) {
        var start = range.lowerBound
        while start < range.upperBound {
            start += try check(writeOnce(bytes, start..<range.upperBound), "write")
        }
    }

    /// Writes the array completely.
    public func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        try writeAll(bytes, 0..<bytes.count)
    }

    /// Writes a range of the array completely to an offset of the file: pwrite(2).
    public func writeAll(
        _ bytes: [UInt8], _ range: Range<Int>, at offset: Int
    ) throws(SystemError) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count && offset >= 0)
        var done = 0
        while done < range.count {
            let (number, start, rest) = (number, range.lowerBound + done, range.count - done)
            let result = unsafe bytes.withUnsafeBytes { buffer in
                retryingOnInterrupt {
                    unsafe pwrite(
                        number, buffer.baseAddress.map { unsafe $0 + start }, rest,
                        off_t(offset + done))
                }
            }
            done += try check(result, "pwrite")
        }
    }

    // MARK: Durability and size

    /// Makes the contents and the size durable: fdatasync(2).
    public func syncData() throws(SystemError) {
        try check(retryingOnInterrupt { Int(fdatasync(number)) }, "fdatasync")
    }

    /// Makes the file and its metadata durable; for a directory, the names in it: fsync(2).
    public func sync() throws(SystemError) {
        try check(retryingOnInterrupt { Int(fsync(number)) }, "fsync")
    }

    /// Sets the size of the file: ftruncate(2). The current size releases what was reserved after
    /// the end.
    public func truncate(to size: Int) throws(SystemError) {
        try check(retryingOnInterrupt { Int(ftruncate(number, off_t(size))) }, "ftruncate")
    }

    /// Reserves disk space without changing the size of the file: fallocate(2) with KEEP_SIZE.
    ///
    /// - Returns: false if the file system does not support it.
    public func reserve(from offset: Int, count: Int) throws(SystemError) -> Bool {
        guard count > 0 else { return true }
        let result = retryingOnInterrupt {
            Int(fallocate(number, Int32(navstate_fallocate_keep_size), offset, count))
        }
        if result == -Int(EOPNOTSUPP) || result == -Int(ENOSYS) { return false }
        try check(result, "fallocate")
        return true
    }

    /// Takes an exclusive lock without waiting: flock(2).
    ///
    /// - Returns: false if another descriptor has the lock.
    public func lock() throws(SystemError) -> Bool {
        try checkUnlessWaiting(
            retryingOnInterrupt { Int(flock(number, LOCK_EX | LOCK_NB)) }, "flock") != nil
    }

    /// Gives the lock up, also if a process that was just forked has a copy of the descriptor.
    public func unlock() throws(SystemError) {
        try check(retryingOnInterrupt { Int(flock(number, LOCK_UN)) }, "flock")
    }

    /// The kernel's knowledge of a file: stat(2).
    public struct Status: Equatable, Sendable {
        /// The size in bytes.
        public var size: Int
        /// The disk space of the file in bytes.
        public var allocated: Int
        /// The number of the user that owns the file.
        public var owner: UInt32
        /// The type and the permissions, as in inode(7).
        public var mode: UInt32
        /// Whether it is a directory.
        public var isDirectory: Bool
        /// Whether it is a regular file.
        public var isRegular: Bool
        /// Whether it is a symbolic link.
        public var isLink: Bool
        /// Whether it is a Unix socket.
        public var isSocket: Bool
        /// The number of the file in its file system, which no other file has while it exists.
        public var inode: UInt64
    }

    /// The status of the open file: fstat(2).
    public func status() throws(SystemError) -> Status {
        var buffer = stat()
        try check(retryingOnInterrupt { unsafe Int(fstat(number, &buffer)) }, "fstat")
        return Status(buffer)
    }

    /// The number of names of the open file, from statx(2).
    ///
    /// Nothing else is requested. Once the times of a file have been read, as fstat(2) does, Linux
    /// 6.13 and newer give its next write a timestamp of its own ("multigrain timestamps"), and the
    /// sync after it writes the inode as well.
    public func linkCount() throws(SystemError) -> Int {
        var buffer = statx()
        try check(
            retryingOnInterrupt {
                unsafe Int(
                    statx(number, "", Int32(navstate_at_empty_path), STATX_NLINK, &buffer))
            }, "statx")
        return Int(buffer.stx_nlink)
    }
}

extension FileDescriptor.Status {
    init(_ buffer: stat) {
        self.init(
            size: Int(buffer.st_size), allocated: Int(buffer.st_blocks) * 512,
            owner: buffer.st_uid, mode: buffer.st_mode,
            isDirectory: buffer.st_mode & S_IFMT == S_IFDIR,
            isRegular: buffer.st_mode & S_IFMT == S_IFREG,
            isLink: buffer.st_mode & S_IFMT == S_IFLNK,
            isSocket: buffer.st_mode & S_IFMT == S_IFSOCK, inode: UInt64(buffer.st_ino))
    }
}
