internal import Glibc

/// The time limit of tests that wait for a thread, a process or a connection, in milliseconds.
///
/// These waits normally end at once. The limit is generous because a sync or the start of a process
/// can take many seconds on a busy machine.
package let waitMilliseconds = 600_000

/// The processor time of this thread, which others do not disturb.
package var secondsOfThread: Int {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec
}
