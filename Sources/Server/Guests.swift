internal import HTTP
internal import POSIX

/// The clients that are answered while the store is being opened, a limited number of them, each
/// for a limited time.
struct Guests {
    struct Guest {
        var socket: FileDescriptor
        var input: [UInt8] = []
        var parser = RequestParser(limits: ParserLimits())
        /// In milliseconds of the clock with which it was added.
        var deadline: Int64
    }

    static let firstToken: UInt64 = 1000
    static let countMax = 256
    static let patienceMilliseconds: Int64 = 5_000

    /// By token. Tokens and deadlines rise in the order in which guests are added.
    private var byToken: [UInt64: Guest] = [:]
    private var oldest = firstToken
    private var next = firstToken

    var count: Int { byToken.count }

    /// Adds a client; the oldest one is closed if there are `countMax`.
    ///
    /// - Returns: its token, which is never used again.
    mutating func add(_ socket: FileDescriptor, at now: Int64) -> UInt64 {
        if byToken.count >= Self.countMax { removeOldest() }
        let token = next
        next += 1
        byToken[token] = Guest(socket: socket, deadline: now + Self.patienceMilliseconds)
        return token
    }

    /// Takes a guest out to serve it. It is closed unless it is put back.
    mutating func remove(_ token: UInt64) -> Guest? { byToken.removeValue(forKey: token) }

    mutating func putBack(_ guest: Guest, _ token: UInt64) {
        byToken[token] = guest
        oldest = min(oldest, token)
    }

    /// When the oldest guest is closed; nil without guests.
    var deadline: Int64? { first?.value.deadline }

    private var first: (key: UInt64, value: Guest)? {
        guard !byToken.isEmpty else { return nil }
        for token in oldest..<next {
            if let guest = byToken[token] { return (token, guest) }
        }
        return nil
    }

    /// Closes the oldest guest; false without guests.
    @discardableResult
    mutating func removeOldest() -> Bool {
        guard let token = first?.key else { return false }
        byToken[token] = nil
        oldest = token + 1
        return true
    }

    mutating func removeExpired(at now: Int64) {
        while let deadline, deadline <= now { removeOldest() }
        oldest = first?.key ?? next
    }
}
