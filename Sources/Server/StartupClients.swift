internal import HTTP
internal import POSIX

/// The clients that are answered while the store is being opened, a limited number of them, each
/// for a limited time.
struct StartupClients {
    struct Client {
        var socket: FileDescriptor
        var input: [UInt8] = []
        var parser = RequestParser(limits: ParserLimits())
        /// In milliseconds of the clock with which it was added.
        var deadline: Int64
    }

    static let firstToken: UInt64 = 1000
    static let countMax = 256
    /// For how long each of them is served.
    static let servedMilliseconds: Int64 = 5_000

    /// By token. Tokens and deadlines rise in the order in which clients are added.
    private var byToken: [UInt64: Client] = [:]
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
        byToken[token] = Client(socket: socket, deadline: now + Self.servedMilliseconds)
        return token
    }

    /// Takes a client out to serve it. It is closed unless it is put back.
    mutating func remove(_ token: UInt64) -> Client? { byToken.removeValue(forKey: token) }

    mutating func putBack(_ client: Client, _ token: UInt64) {
        byToken[token] = client
        oldest = min(oldest, token)
    }

    /// When the oldest client is closed, if there are any.
    var deadline: Int64? { first?.value.deadline }

    private var first: (key: UInt64, value: Client)? {
        guard !byToken.isEmpty else { return nil }
        for token in oldest..<next {
            if let client = byToken[token] { return (token, client) }
        }
        return nil
    }

    /// Closes the oldest client. Returns false if there are none.
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
