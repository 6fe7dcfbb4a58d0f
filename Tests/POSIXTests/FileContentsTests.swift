import Glibc
import POSIX
import TestSupport
import Testing

/// Which files are read, and how much of them.
@Suite struct FileContentsTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.path }

    init() throws { directory = try TemporaryDirectory() }

    private func error(_ path: String, countMax: Int = 1 << 20) -> SystemError? {
        do {
            _ = try FileDescriptor.contents(of: path, countMax: countMax)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [0, 1, 4095, 4096, 1 << 20])
    func `a regular file is read whole`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let path = folder + "/file"
        try FileDescriptor.open(path, [.writeOnly, .create]).writeAll(bytes)
        #expect(try FileDescriptor.contents(of: path, countMax: 1 << 20) == bytes)
    }

    @Test func `a larger file is refused and not cut`() throws {
        let path = folder + "/file"
        let bytes = [UInt8](repeating: 0x23, count: 1 << 20 + 1)
        try FileDescriptor.open(path, [.writeOnly, .create]).writeAll(bytes)
        #expect(error(path)?.text == "is larger than 1 MiB")
    }

    @Test func `a pipe without a writer, a directory and a device are refused at once`() throws {
        let pipe = folder + "/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        #expect(error(pipe)?.text == "is a pipe, but must be a regular file")
        #expect(error(folder)?.text == "is a directory, but must be a regular file")
        #expect(error("/dev/zero")?.text == "is a device, but must be a regular file")
        #expect(error(folder + "/none")?.number == SystemError.notFound)
    }

    @Test func `a file whose size is unknown is read to its end`() throws {
        #expect(try FileDescriptor.contents(of: "/proc/self/status").starts(with: "Name:".utf8))
    }
}
