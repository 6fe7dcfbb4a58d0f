/// What connections hold in memory, all together, and which of them hold anything.
///
/// When it is more than allowed, somebody has to go: of a few that are looked at, the connection
/// with the largest product of what it holds and of how long its message has been under way. A
/// client that has just come and that reads what it asks for is never that one as long as another
/// holds anything.
struct BufferBudget {
    let bytesMax: Int
    /// Long pieces that connections owe.
    var shared = SharedBytes()
    /// Bytes that each connection holds for itself.
    private var own = 0
    private var holders: [Connection] = []
    /// Where the next look begins.
    private var hand = 0

    private static let looksMax = 64

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    var bytes: Int { own + shared.count }
    var isExceeded: Bool { bytes > bytesMax }

    /// Takes down what a connection holds now.
    mutating func update(_ connection: Connection, at now: Int64) {
        let bytes = connection.ownBytes
        own += bytes - connection.weight
        connection.weight = bytes
        let holds = bytes > 0 || !connection.outbox.isEmpty
        guard holds != (connection.holder != nil) else { return }
        if holds {
            connection.holder = holders.count
            connection.holdsSince = now
            holders.append(connection)
        } else {
            leave(connection)
        }
    }

    /// The connection is closed.
    mutating func remove(_ connection: Connection) {
        connection.outbox.removeAll(&shared)
        own -= connection.weight
        connection.weight = 0
        leave(connection)
    }

    private mutating func leave(_ connection: Connection) {
        guard let place = connection.holder else { return }
        connection.holder = nil
        let last = holders.removeLast()
        guard last !== connection else { return }
        holders[place] = last
        last.holder = place
    }

    /// Who has to go; nil if no connection holds anything.
    mutating func heaviest(at now: Int64) -> Connection? {
        var found: (connection: Connection, burden: Double)?
        for _ in 0..<min(holders.count, Self.looksMax) {
            hand = hand + 1 < holders.count ? hand + 1 : 0
            let burden = burden(of: holders[hand], at: now)
            if found.map({ burden > $0.burden }) ?? true { found = (holders[hand], burden) }
        }
        return found?.connection
    }

    private func burden(of connection: Connection, at now: Int64) -> Double {
        let bytes = connection.weight + connection.outbox.sharedBytes(shared)
        return Double(bytes) * Double(max(0, now - connection.holdsSince) + 1)
    }
}
