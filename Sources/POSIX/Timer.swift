internal import CLinux
internal import Glibc

/// timerfd(2) on the clock that does not jump: readable once its time has come.
package final class Timer: Sendable {
    package let descriptor: FileDescriptor

    package init() throws(SystemError) {
        let flags = Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK)
        let result = retryingOnInterrupt { Int(timerfd_create(CLOCK_MONOTONIC, flags)) }
        descriptor = FileDescriptor(owning: Int32(try check(result, "timerfd_create")))
    }

    /// Goes off once, so many milliseconds from now (at least 1); nil stops it.
    package func set(milliseconds: Int?) throws(SystemError) {
        var time = itimerspec()
        if let milliseconds {
            let bounded = max(1, milliseconds)
            time.it_value.tv_sec = bounded / 1000
            time.it_value.tv_nsec = (bounded % 1000) * 1_000_000
        }
        let result = retryingOnInterrupt {
            unsafe Int(timerfd_settime(descriptor.number, 0, &time, nil))
        }
        try check(result, "timerfd_settime")
    }

    /// Makes it unreadable again; true if it had gone off.
    @discardableResult
    package func clear() -> Bool {
        var count: UInt64 = 0
        return retryingOnInterrupt { unsafe read(descriptor.number, &count, 8) } == 8
    }
}
