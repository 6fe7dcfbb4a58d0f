package import POSIX

/// A new directory of a test's own; it is removed with the last reference to it.
package final class TemporaryDirectory: Sendable {
    /// Where a directory is made.
    package enum Medium: Sendable {
        /// In TMPDIR, or else in /tmp.
        case disk
        /// In /dev/shm, where syncing costs nothing; on the disk if there is no such file system.
        case memory
    }

    package let path: String

    package init(on medium: Medium = .disk) throws(SystemError) {
        var path = ""
        repeat {
            let name = String(Random.word(), radix: 36)
            path = "\(try Self.parent(medium))/navstate-test-\(name)"
        } while try !Directory.make(path)
        self.path = path
    }

    deinit { try? Directory.removeTree(path) }

    private static func parent(_ medium: Medium) throws(SystemError) -> String {
        if case .memory = medium, try Directory.status("/dev/shm") != nil { return "/dev/shm" }
        return Process.environment("TMPDIR") ?? "/tmp"
    }
}
