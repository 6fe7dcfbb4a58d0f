internal import Glibc

/// How long tests wait for something that must happen, in milliseconds.
///
/// None of them needs so long. But while other programs use the disk and the processors, a sync or
/// the start of a process can take many seconds, and a test that waits in vain can be seen later.
package let waitMilliseconds = 600_000

/// The processor time of this thread, which others do not disturb.
package var secondsOfThread: Int {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec
}
