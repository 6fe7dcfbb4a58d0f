internal import POSIX

/// Waits for the kernel's reports.
struct Poller {
    /// Tokens of the loop's own descriptors. Listeners have tokens from `Acceptor.firstToken` on,
    /// connections from `ConnectionTable.firstToken` on.
    enum Token {
        static let signals: UInt64 = 1
        static let store: UInt64 = 2
        static let reload: UInt64 = 3
    }

    let epoll: Epoll
    private let signals: FileDescriptor
    /// What the last wait has brought.
    private(set) var events: [Epoll.Event] = []

    /// - Parameter signals: the descriptor that `Control.signals` returned.
    init(signals: FileDescriptor) throws(SystemError) {
        epoll = try Epoll()
        self.signals = signals
        try epoll.add(signals, .readable, token: Token.signals)
    }

    /// Watches a descriptor of the loop's own.
    func watch(_ descriptor: FileDescriptor, token: UInt64) throws(SystemError) {
        try epoll.add(descriptor, .readable, token: token)
    }

    /// Watches a descriptor that the caller keeps open.
    func watch(number: Int32, token: UInt64) throws(SystemError) {
        try epoll.add(number: number, .readable, token: token)
    }

    /// Waits until something happens.
    ///
    /// - Parameter milliseconds: the longest wait; `.max` for no limit.
    mutating func wait(atMost milliseconds: Int) throws(SystemError) {
        try epoll.wait(
            into: &events, timeoutMilliseconds: milliseconds == .max ? nil : milliseconds)
    }

    /// The number of the next signal, if there is one.
    func nextSignal() throws(SystemError) -> Int32? { try Signals.next(signals) }
}
