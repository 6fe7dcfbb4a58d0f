// The memory that all connections hold together is limited: for requests that are incomplete or
// wait, and for answers that may not be shown yet or are not read. Bytes that are sent to several
// clients count once. Above the limit, the connections that have held the most for the longest are
// closed, and nothing is read until the others hold less.

/// The budget's knowledge of a connection.
struct BufferState {
    /// Bytes of the connection's own, without those that it shares.
    fileprivate var bytes = 0
    /// The index among the connections that hold anything.
    fileprivate var index: Int?
    /// Since when it has held anything, or since its last request began if that was later.
    fileprivate var since: Int64 = 0
}

/// Counts what connections hold in memory, and says which of them to close when it is too much.
///
/// Of a few connections it picks the one with the largest product of the bytes that it holds and
/// the time for which its message has been in transit. A client that has just connected and reads
/// its answers is never picked while another one holds anything.
final class BufferBudget {
    private let bytesMax: Int
    /// Long pieces of output, which connections may share.
    var shared = SharedBytes()
    /// Bytes that belong to one connection each.
    private var own = 0
    private var holders: [Connection] = []
    /// The index after which the next search begins.
    private var searched = 0

    private static let searchesMax = 64

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    var bytes: Int { own + shared.count }
    var isExceeded: Bool { bytes > bytesMax }

    /// Counts what a connection holds now.
    func update(_ connection: Connection, at now: Int64) {
        let bytes = connection.ownBytes
        own += bytes - connection.buffering.bytes
        connection.buffering.bytes = bytes
        let holds = bytes > 0 || !connection.outbox.isEmpty
        guard holds != (connection.buffering.index != nil) else { return }
        if holds {
            connection.buffering.index = holders.count
            connection.buffering.since = now
            holders.append(connection)
        } else {
            removeHolder(connection)
        }
    }

    /// A request of the connection is complete.
    func beginRequest(_ connection: Connection, at now: Int64) { connection.buffering.since = now }

    /// The connection is closed.
    func remove(_ connection: Connection) {
        connection.outbox.removeAll(&shared)
        own -= connection.buffering.bytes
        connection.buffering.bytes = 0
        removeHolder(connection)
    }

    private func removeHolder(_ connection: Connection) {
        guard let index = connection.buffering.index else { return }
        connection.buffering.index = nil
        let last = holders.removeLast()
        guard last !== connection else { return }
        holders[index] = last
        last.buffering.index = index
    }

    /// The connection to close next, or nil if none holds anything.
    func heaviest(at now: Int64) -> Connection? {
        var found: (connection: Connection, weight: Double)?
        for _ in 0..<min(holders.count, Self.searchesMax) {
            searched = searched + 1 < holders.count ? searched + 1 : 0
            let weight = weight(of: holders[searched], at: now)
            if found.map({ weight > $0.weight }) ?? true { found = (holders[searched], weight) }
        }
        return found?.connection
    }

    private func weight(of connection: Connection, at now: Int64) -> Double {
        let bytes = connection.buffering.bytes + connection.outbox.sharedBytes(shared)
        return Double(bytes) * Double(max(0, now - connection.buffering.since) + 1)
    }
}
