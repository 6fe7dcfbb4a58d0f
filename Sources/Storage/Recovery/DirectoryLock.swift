internal import POSIX

/// The lock of a store's directory, held while the store is open. The kernel releases it with the
/// process, however that ends.
final class DirectoryLock {
    private var file: FileDescriptor?

    init(_ layout: Layout) throws(StartError) {
        let options: FileDescriptor.Options = [.readWrite, .create, .noFollow]
        let file = try StartError.catching(try FileDescriptor.open(layout.lock, options))
        guard try StartError.catching(try file.lock()) else {
            let pid = (try? file.bytes(at: 0, count: 16)) ?? []
            let text = String(decoding: pid.prefix { $0 != 0x0A }, as: UTF8.self)
            throw .locked(path: layout.root, by: text)
        }
        try StartError.catching(try file.truncate(to: 0))
        do throws(SystemError) {
            try file.writeAll(Array("\(Process.identifier)\n".utf8))
        } catch {
            // The number is for people to read. On a full disk the lock works without it.
            guard error.isFull else { throw .system(error) }
        }
        self.file = file
    }

    func release() { file = nil }
}
