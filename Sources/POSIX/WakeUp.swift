internal import CLinux
internal import Glibc

/// Wakes a thread that waits in epoll, from another thread: eventfd(2).
public final class WakeUp: Sendable {
    /// Readable after `signal`, until `clear`.
    public let descriptor: FileDescriptor

    /// A descriptor that is not readable.
    public init() throws(SystemError) {
        let flags = Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)
        let result = retryingOnInterrupt { Int(eventfd(0, flags)) }
        descriptor = FileDescriptor(owning: Int32(try check(result, "eventfd")))
    }

    /// Makes the descriptor readable.
    public func signal() {
        var one: UInt64 = 1
        _ = retryingOnInterrupt { unsafe write(descriptor.number, &one, 8) }
    }

    /// Makes the descriptor unreadable again.
    ///
    /// - Returns: whether it was readable.
    @discardableResult
    public func clear() -> Bool {
        var value: UInt64 = 0
        return retryingOnInterrupt { unsafe read(descriptor.number, &value, 8) } == 8
    }
}
