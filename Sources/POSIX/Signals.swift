internal import CLinux
internal import Glibc

/// Signals of the process as things to read.
package enum Signals {
    package static let terminate = SIGTERM
    package static let interrupt = SIGINT
    package static let hangUp = SIGHUP
    package static let user1 = SIGUSR1

    /// Writing to a closed connection, or beyond the largest file size, is then an error of the
    /// call (EPIPE, EFBIG) instead of the end of the process.
    package static func ignoreFatalWrites() {
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// Blocks the signals, which must happen before any thread is started, and returns a
    /// non-blocking descriptor that becomes readable when one of them has come.
    package static func descriptor(_ signals: [Int32]) throws(SystemError) -> FileDescriptor {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        let blocked = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        guard blocked == 0 else { throw SystemError("pthread_sigmask", number: blocked) }
        let flags = Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK)
        let result = retryingOnInterrupt { unsafe Int(signalfd(-1, &set, flags)) }
        return FileDescriptor(owning: Int32(try check(result, "signalfd")))
    }

    /// The next signal that came; nil if none is waiting.
    package static func next(_ descriptor: FileDescriptor) throws(SystemError) -> Int32? {
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        let result = retryingOnInterrupt { unsafe read(descriptor.number, &information, size) }
        guard try checkUnlessWaiting(result, "read") != nil else { return nil }
        return Int32(bitPattern: information.ssi_signo)
    }
}

/// A descriptor by which one thread wakes another that waits in epoll: eventfd(2).
package final class WakeUp: Sendable {
    package let descriptor: FileDescriptor

    package init() throws(SystemError) {
        let flags = Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)
        let result = retryingOnInterrupt { Int(eventfd(0, flags)) }
        descriptor = FileDescriptor(owning: Int32(try check(result, "eventfd")))
    }

    /// Makes the descriptor readable.
    package func signal() {
        var one: UInt64 = 1
        _ = retryingOnInterrupt { unsafe write(descriptor.number, &one, 8) }
    }

    /// Makes it unreadable again; true if it had been signalled.
    @discardableResult
    package func clear() -> Bool {
        var value: UInt64 = 0
        return retryingOnInterrupt { unsafe read(descriptor.number, &value, 8) } == 8
    }
}
