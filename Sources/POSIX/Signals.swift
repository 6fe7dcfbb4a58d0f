internal import CLinux
internal import Glibc

/// Signals to the process, received by reading a descriptor.
public enum Signals {
    /// SIGTERM.
    public static let terminate = SIGTERM
    /// SIGINT.
    public static let interrupt = SIGINT
    /// SIGHUP.
    public static let hangUp = SIGHUP

    /// Makes a write to a closed connection, or beyond the largest file size, fail with EPIPE or
    /// EFBIG instead of ending the process.
    public static func ignoreFatalWrites() {
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// Makes a write to a pipe that nobody reads any more end the process without a message, as
    /// commands do in a pipeline, also if the parent process ignores SIGPIPE.
    public static func endOnClosedPipe() {
        _ = signal(SIGPIPE, SIG_DFL)
    }

    /// Blocks signals and returns a non-blocking descriptor that is readable while one is pending:
    /// signalfd(2). It must be called before any thread is started.
    public static func descriptor(_ signals: [Int32]) throws(SystemError) -> FileDescriptor {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        let blocked = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        guard blocked == 0 else { throw SystemError("pthread_sigmask", number: blocked) }
        let flags = Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK)
        let result = retryingOnInterrupt { unsafe Int(signalfd(-1, &set, flags)) }
        return FileDescriptor(owning: Int32(try check(result, "signalfd")))
    }

    /// Makes a signal pending for this process: kill(2).
    public static func send(_ signal: Int32) { _ = kill(getpid(), signal) }

    /// The next pending signal, if there is one.
    public static func next(_ descriptor: FileDescriptor) throws(SystemError) -> Int32? {
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        let result = retryingOnInterrupt { unsafe read(descriptor.number, &information, size) }
        guard try checkUnlessWaiting(result, "read") != nil else { return nil }
        return Int32(bitPattern: information.ssi_signo)
    }
}
