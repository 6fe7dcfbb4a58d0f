internal import Bytes
internal import Glibc

/// Directories and the names in them.
public enum Directory {
    /// Creates a directory: mkdir(2).
    ///
    /// - Returns: false if it existed.
    @discardableResult
    public static func make(_ path: String, mode: UInt32 = 0o700) throws(SystemError) -> Bool {
        let result = retryingOnInterrupt { unsafe Int(mkdir(path, mode)) }
        if result == -Int(EEXIST) { return false }
        try check(result, "mkdir", path: path)
        return true
    }

    /// The names in a directory, sorted by byte, without `.` and `..`.
    public static func names(_ path: String) throws(SystemError) -> [String] {
        guard let stream = unsafe opendir(path) else {
            throw SystemError("opendir", number: errno, path: path)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw SystemError("readdir", number: errno, path: path) }
                return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    /// Makes creations, renames and removals in a directory durable: fsync(2).
    public static func sync(_ path: String) throws(SystemError) {
        do {
            try FileDescriptor.open(path, [.readOnly, .directory]).sync()
        } catch {
            throw SystemError(error.call, number: error.number, path: path)
        }
    }

    /// Renames a file and atomically replaces one that has the new name: rename(2).
    public static func rename(_ path: String, to other: String) throws(SystemError) {
        try check(
            retryingOnInterrupt { unsafe Int(Glibc.rename(path, other)) }, "rename", path: path)
    }

    /// Gives a file a second name: link(2).
    public static func link(_ path: String, to other: String) throws(SystemError) {
        try check(retryingOnInterrupt { unsafe Int(Glibc.link(path, other)) }, "link", path: path)
    }

    /// Removes a file if it exists: unlink(2).
    public static func remove(_ path: String) throws(SystemError) {
        let result = retryingOnInterrupt { unsafe Int(unlink(path)) }
        if result == -Int(ENOENT) { return }
        try check(result, "unlink", path: path)
    }

    /// Removes an empty directory: rmdir(2).
    public static func removeEmpty(_ path: String) throws(SystemError) {
        try check(retryingOnInterrupt { unsafe Int(rmdir(path)) }, "rmdir", path: path)
    }

    /// Removes a directory with everything in it. Symbolic links are not followed.
    public static func removeTree(_ path: String) throws(SystemError) {
        for name in try names(path) {
            let inner = "\(path)/\(name)"
            if let status = try status(inner), status.isDirectory {
                try removeTree(inner)
            } else {
                try remove(inner)
            }
        }
        try removeEmpty(path)
    }

    /// The status of a file, without following a symbolic link: lstat(2). Returns nil if the file
    /// does not exist.
    public static func status(_ path: String) throws(SystemError) -> FileDescriptor.Status? {
        var buffer = stat()
        let result = retryingOnInterrupt { unsafe Int(lstat(path, &buffer)) }
        if result == -Int(ENOENT) || result == -Int(ENOTDIR) { return nil }
        try check(result, "lstat", path: path)
        return FileDescriptor.Status(buffer)
    }
}
