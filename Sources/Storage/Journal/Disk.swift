internal import Bytes
internal import POSIX

/// The calls that change the disk, each of which a test can make fail.
///
/// In the service `intercept` is nil, and calls go to the kernel. In tests it decides for each call
/// whether it happens, fails, or, for a write, happens in part and then fails.
public struct Disk: Sendable {
    /// A call that changes the disk, with the path of its file.
    public enum Call: Equatable, Sendable {
        case create(String)
        case write(String, count: Int)
        case sync(String)
        case truncate(String)
        case reserve(String)
        case rename(String, to: String)
        case remove(String)
        case link(String, to: String)
        case syncDirectory(String)
    }

    /// The answer to a call.
    public enum Answer: Equatable, Sendable {
        case proceed
        /// Fails with this `errno` and does nothing.
        case fail(Int32)
        /// Writes this many bytes, then fails.
        case writePart(Int, Int32)
    }

    /// Called before each call; nil in the service.
    public var intercept: (@Sendable (Call) -> Answer)?

    /// A disk whose calls a test may intercept.
    public init(intercept: (@Sendable (Call) -> Answer)? = nil) { self.intercept = intercept }

    private func ask(_ call: Call, named name: String, path: String) throws(SystemError) {
        switch intercept?(call) ?? .proceed {
        case .proceed: return
        case .fail(let number), .writePart(_, let number):
            throw SystemError(name, number: number, path: path)
        }
    }

    /// Creates an empty file. Fails with `EEXIST` if the name is taken, even by a link: opening
    /// never truncates a file.
    func create(_ path: String) throws(SystemError) -> LogFile {
        try ask(.create(path), named: "open", path: path)
        let options: FileDescriptor.Options = [.readWrite, .create, .exclusive, .noFollow]
        return LogFile(descriptor: try .open(path, options), path: path)
    }

    /// Creates an empty file that is renamed once it is complete. An unfinished file of that name
    /// is removed first; a link is removed, not followed.
    func createUnfinished(_ path: String) throws(SystemError) -> LogFile {
        try remove(path)
        return try create(path)
    }

    func write(
        _ bytes: [UInt8], _ range: Range<Int>, to file: LogFile, at offset: Int
    ) throws(SystemError) {
        switch intercept?(.write(file.path, count: range.count)) ?? .proceed {
        case .proceed:
            try file.naming { descriptor throws(SystemError) in
                try descriptor.writeAll(bytes, range, at: offset)
            }
        case .fail(let number): throw SystemError("pwrite", number: number, path: file.path)
        case .writePart(let count, let number):
            let part = range.lowerBound..<range.lowerBound + min(count, range.count)
            try file.descriptor.writeAll(bytes, part, at: offset)
            throw SystemError("pwrite", number: number, path: file.path)
        }
    }

    func sync(_ file: LogFile) throws(SystemError) {
        try ask(.sync(file.path), named: "fdatasync", path: file.path)
        try file.naming { descriptor throws(SystemError) in try descriptor.syncData() }
    }

    func truncate(_ file: LogFile, to size: Int) throws(SystemError) {
        try ask(.truncate(file.path), named: "ftruncate", path: file.path)
        try file.naming { descriptor throws(SystemError) in try descriptor.truncate(to: size) }
    }

    /// Reserves room up to `count` bytes. Returns false if the file system cannot reserve.
    @discardableResult
    func reserve(_ file: LogFile, count: Int) throws(SystemError) -> Bool {
        try ask(.reserve(file.path), named: "fallocate", path: file.path)
        return try file.naming { descriptor throws(SystemError) in
            try descriptor.reserve(from: 0, count: count)
        }
    }

    func rename(_ path: String, to other: String) throws(SystemError) {
        try ask(.rename(path, to: other), named: "rename", path: path)
        try Directory.rename(path, to: other)
    }

    func remove(_ path: String) throws(SystemError) {
        try ask(.remove(path), named: "unlink", path: path)
        try Directory.remove(path)
    }

    func link(_ path: String, to other: String) throws(SystemError) {
        try ask(.link(path, to: other), named: "link", path: path)
        try Directory.link(path, to: other)
    }

    func syncDirectory(_ path: String) throws(SystemError) {
        try ask(.syncDirectory(path), named: "fsync", path: path)
        try Directory.sync(path)
    }

    /// Replaces a small file as a whole: writes another one, syncs it, renames it, and syncs the
    /// name.
    func replace(_ path: String, _ bytes: [UInt8], in directory: String) throws(SystemError) {
        let file = try createUnfinished(path + ".tmp")
        try write(bytes, 0..<bytes.count, to: file, at: 0)
        try sync(file)
        try rename(file.path, to: path)
        try syncDirectory(directory)
    }
}

/// An open file and its name.
struct LogFile: Sendable {
    let descriptor: FileDescriptor
    let path: String

    init(descriptor: FileDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens an existing file.
    init(reading path: String) throws(SystemError) {
        self.init(descriptor: try .open(path, .readOnly), path: path)
    }

    /// Reads a piece of the file, which is shorter than `count` only at the end.
    func bytes(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        try naming { descriptor throws(SystemError) in
            try descriptor.bytes(at: offset, count: count)
        }
    }

    /// Throws if the file was removed: what is written to it would be lost with the process.
    func checkName() throws(SystemError) {
        // Some file systems do not count links.
        guard try descriptor.linkCount() == 0, try Directory.status(path) == nil else { return }
        throw SystemError("pwrite", number: SystemError.notFound, path: path)
    }

    /// Calls the closure with the descriptor, and adds the file to the errors.
    func naming<Value>(
        _ body: (FileDescriptor) throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        do {
            return try body(descriptor)
        } catch {
            throw SystemError(error.call, number: error.number, path: path)
        }
    }
}
