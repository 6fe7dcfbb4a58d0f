internal import Glibc

extension FileDescriptor {
    /// Reads a regular file. Any other kind of file is refused without waiting: a pipe can be read
    /// only once, and only when it has a writer.
    ///
    /// - Parameter countMax: the greatest allowed size in bytes, at least 1 MiB.
    public static func contents(
        of path: String, countMax: Int = 16 << 20
    ) throws(SystemError) -> [UInt8] {
        let file = try open(path, [.readOnly, .nonBlocking])
        let status = try file.status()
        guard status.mode & S_IFMT == S_IFREG else {
            throw SystemError(
                "open", number: status.isDirectory ? EISDIR : EINVAL, path: path,
                explanation: "is \(status.kind), but must be a regular file")
        }
        var bytes: [UInt8] = []
        // One more byte, in order to see the end. Files that grow meanwhile are read to their end,
        // and so are those in /proc, whose size is 0.
        var missing = min(status.size, countMax) + 1
        while missing > 0 {
            let piece = try file.bytes(at: bytes.count, count: missing)
            bytes += piece
            guard bytes.count <= countMax else {
                throw SystemError(
                    "read", number: EOVERFLOW, path: path,
                    explanation: "is larger than \(countMax >> 20) MiB")
            }
            missing = piece.count < missing ? 0 : max(4096, bytes.count)
        }
        return bytes
    }
}

extension FileDescriptor.Status {
    fileprivate var kind: String {
        switch mode & S_IFMT {
        case S_IFDIR: "a directory"
        case S_IFIFO: "a pipe"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }
}
