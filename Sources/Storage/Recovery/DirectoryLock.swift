internal import POSIX

/// The lock of a store's directory, held while the store is open. The kernel releases it with the
/// process, however that ends.
///
/// It is on the directory itself and on the file `LOCK`, which says who holds it. Some file systems
/// only lock the file, and so does version 0.2.
final class DirectoryLock {
    private var held: [FileDescriptor] = []

    init(_ layout: Layout) throws(StartError) {
        let directory = try StartError.catching(
            try FileDescriptor.open(layout.root, [.readOnly, .directory]))
        // NFS, for one, only locks what is open for writing.
        guard (try? directory.lock()) != false else {
            let owner = try? FileDescriptor.open(layout.lock, [.readOnly, .noFollow, .nonBlocking])
            throw .locked(path: layout.root, by: owner.map(Self.text(of:)) ?? "")
        }
        held.append(directory)
        let options: FileDescriptor.Options = [.readWrite, .create, .noFollow]
        let file = try StartError.catching(try FileDescriptor.open(layout.lock, options))
        guard try StartError.catching(try file.lock()) else {
            throw .locked(path: layout.root, by: Self.text(of: file))
        }
        held.append(file)
        try StartError.catching(try file.truncate(to: 0))
        do throws(SystemError) {
            try file.writeAll(Array("\(Process.identifier)\n".utf8))
        } catch {
            // The number is for people to read. On a full disk the lock works without it.
            guard error.isFull else { throw .system(error) }
        }
    }

    /// The number of the process that holds the lock, as text.
    private static func text(of file: FileDescriptor) -> String {
        let pid = (try? file.bytes(at: 0, count: 16)) ?? []
        return String(decoding: pid.prefix { $0 != 0x0A }, as: UTF8.self)
    }

    deinit { release() }

    /// Gives the locks up. Closing the files would be enough but for a process that was forked and
    /// has not closed its copies of them yet.
    func release() {
        for file in held { try? file.unlock() }
        held = []
    }
}
