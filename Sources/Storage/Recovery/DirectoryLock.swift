internal import POSIX

/// The lock of a store's directory, held while it is served; the kernel lets go of it with the
/// process, however that ends.
final class DirectoryLock {
    private var file: FileDescriptor?

    init(_ layout: Layout) throws(StartError) {
        do {
            let options: FileDescriptor.Options = [.readWrite, .create, .noFollow]
            let file = try FileDescriptor.open(layout.lock, options)
            guard try file.lock() else {
                let pid = (try? file.bytes(at: 0, count: 16)) ?? []
                let text = String(decoding: pid.prefix { $0 != 0x0A }, as: UTF8.self)
                throw StartError.locked(path: layout.root, by: text)
            }
            try file.truncate(to: 0)
            do throws(SystemError) {
                try file.writeAll(Array("\(Process.identifier)\n".utf8))
            } catch {
                // The number is for people; on a full disk the lock holds without it.
                guard error.isFull else { throw error }
            }
            self.file = file
        } catch let error as SystemError {
            throw .system(error)
        } catch let error as StartError {
            throw error
        } catch {
            throw .notEmpty(path: layout.lock)
        }
    }

    func release() { file = nil }
}
