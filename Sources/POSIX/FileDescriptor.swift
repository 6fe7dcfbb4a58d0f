internal import CLinux
internal import Glibc
internal import Synchronization

/// An open file, socket or other thing of the kernel; closes itself with its last reference.
package final class FileDescriptor: Sendable {
    /// What the kernel calls it.
    package let number: Int32

    /// Takes over a descriptor that nobody else closes.
    package init(owning number: Int32) {
        precondition(number >= 0, "a descriptor is never negative")
        self.number = number
        Self.opened.add(1, ordering: .relaxed)
    }

    deinit {
        _ = close(number)
        Self.opened.subtract(1, ordering: .relaxed)
    }

    private static let opened = Atomic(0)

    /// The number of descriptors that are open in the process, without the three standard streams.
    package static var openCount: Int { opened.load(ordering: .relaxed) }

    /// How a file is opened; CLOEXEC always.
    package struct Options: OptionSet, Sendable {
        package let rawValue: Int32
        package init(rawValue: Int32) { self.rawValue = rawValue }

        package static let readOnly = Options([])
        package static let writeOnly = Options(rawValue: O_WRONLY)
        package static let readWrite = Options(rawValue: O_RDWR)
        package static let create = Options(rawValue: O_CREAT)
        package static let exclusive = Options(rawValue: O_EXCL)
        package static let truncate = Options(rawValue: O_TRUNC)
        package static let append = Options(rawValue: O_APPEND)
        package static let directory = Options(rawValue: O_DIRECTORY)
        package static let noFollow = Options(rawValue: O_NOFOLLOW)
        /// Opening a pipe or a device does not wait either.
        package static let nonBlocking = Options(rawValue: O_NONBLOCK)
    }

    /// open(2).
    package static func open(
        _ path: String, _ options: Options, mode: UInt32 = 0o600
    ) throws(SystemError) -> FileDescriptor {
        let flags = options.rawValue | O_CLOEXEC
        let result = retryingOnInterrupt { unsafe Int(Glibc.open(path, flags, mode)) }
        return FileDescriptor(owning: Int32(try check(result, "open", path: path)))
    }

    // MARK: Reading

    /// read(2) into a window of the array; nil if it would have to wait, 0 at the end.
    package func read(into bytes: inout [UInt8], _ window: Range<Int>) throws(SystemError) -> Int? {
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

    /// pread(2) into a window of the array; fewer bytes than asked for only at the end.
    package func read(
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

    /// A piece of a file; shorter than asked for only at the end.
    package func bytes(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try read(into: &bytes, 0..<count, at: offset)
        if read < count { bytes.removeSubrange(read...) }
        return bytes
    }

    /// The same if all of it is in the kernel's memory; nil if a disk would have to be asked, where
    /// the file system cannot tell, and at any error. preadv2(2) with RWF_NOWAIT.
    package func bytesInMemory(at offset: Int, count: Int) -> [UInt8]? {
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

    /// write(2) once; the bytes taken, nil if it would have to wait.
    package func write(_ bytes: [UInt8], _ range: Range<Int>) throws(SystemError) -> Int? {
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

    /// Writes all of it, in as many calls as it takes.
    package func writeAll(_ bytes: [UInt8], _ range: Range<Int>) throws(SystemError) {
        var start = range.lowerBound
        while start < range.upperBound {
            start += try check(writeOnce(bytes, start..<range.upperBound), "write")
        }
    }

    package func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        try writeAll(bytes, 0..<bytes.count)
    }

    /// pwrite(2) until all of it is written.
    package func writeAll(
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

    /// fdatasync(2): the bytes and the size are on the disk when it returns.
    package func syncData() throws(SystemError) {
        try check(retryingOnInterrupt { Int(fdatasync(number)) }, "fdatasync")
    }

    /// fsync(2); on a directory it makes names durable.
    package func sync() throws(SystemError) {
        try check(retryingOnInterrupt { Int(fsync(number)) }, "fsync")
    }

    /// ftruncate(2); to its own size it gives back what was reserved behind the end.
    package func truncate(to size: Int) throws(SystemError) {
        try check(retryingOnInterrupt { Int(ftruncate(number, off_t(size))) }, "ftruncate")
    }

    /// fallocate(2) with KEEP_SIZE: room without a change of size. False where the file system
    /// cannot do that.
    package func reserve(from offset: Int, count: Int) throws(SystemError) -> Bool {
        guard count > 0 else { return true }
        let result = retryingOnInterrupt {
            Int(fallocate(number, Int32(navstate_fallocate_keep_size), offset, count))
        }
        if result == -Int(EOPNOTSUPP) || result == -Int(ENOSYS) { return false }
        try check(result, "fallocate")
        return true
    }

    /// flock(2), exclusive, without waiting; false if somebody else has it.
    package func lock() throws(SystemError) -> Bool {
        try checkUnlessWaiting(
            retryingOnInterrupt { Int(flock(number, LOCK_EX | LOCK_NB)) }, "flock") != nil
    }

    /// What fstat(2) says.
    package struct Status: Equatable, Sendable {
        /// Bytes.
        package var size: Int
        /// Bytes that the file takes on the disk.
        package var allocated: Int
        package var owner: UInt32
        package var mode: UInt32
        package var isDirectory: Bool
        package var isRegular: Bool
        package var links: Int
    }

    package func status() throws(SystemError) -> Status {
        var buffer = stat()
        try check(retryingOnInterrupt { unsafe Int(fstat(number, &buffer)) }, "fstat")
        return Status(buffer)
    }
}

extension FileDescriptor.Status {
    init(_ buffer: stat) {
        self.init(
            size: Int(buffer.st_size), allocated: Int(buffer.st_blocks) * 512,
            owner: buffer.st_uid, mode: buffer.st_mode,
            isDirectory: buffer.st_mode & S_IFMT == S_IFDIR,
            isRegular: buffer.st_mode & S_IFMT == S_IFREG, links: Int(buffer.st_nlink))
    }
}
