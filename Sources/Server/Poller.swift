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
    /// The events of the last wait.
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

// The operations of `OptionSet` on what is looked at for each event. They are not inlined from
// other modules, and would be a fiftieth of a GET.
extension Epoll.Interest {
    static func == (a: Self, b: Self) -> Bool { a.rawValue == b.rawValue }
    static func != (a: Self, b: Self) -> Bool { a.rawValue != b.rawValue }

    func contains(_ other: Self) -> Bool { rawValue & other.rawValue == other.rawValue }
    func isDisjoint(with other: Self) -> Bool { rawValue & other.rawValue == 0 }
    func isSubset(of other: Self) -> Bool { rawValue & ~other.rawValue == 0 }
    func union(_ other: Self) -> Self { Self(rawValue: rawValue | other.rawValue) }
    func intersection(_ other: Self) -> Self { Self(rawValue: rawValue & other.rawValue) }
    func subtracting(_ other: Self) -> Self { Self(rawValue: rawValue & ~other.rawValue) }
    mutating func formUnion(_ other: Self) { self = union(other) }
}
