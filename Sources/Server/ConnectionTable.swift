/// Connections by token. A token combines an index of the table with a number that grows each time
/// the index is used.
struct ConnectionTable {
    private var connections: [Connection?] = []
    private var uses: [UInt32] = []
    private var free: [Int] = []
    /// The number of connections.
    private(set) var count = 0
    /// The index after which the next sample begins.
    private var sampled = 0

    /// The event loop uses smaller tokens for its own descriptors.
    static let firstToken: UInt64 = 1 << 32

    /// The index that belongs to a connection's token.
    static func index(of token: UInt64) -> Int { Int(truncatingIfNeeded: token & 0xFFFF_FFFF) }

    /// Adds the connection that `make` returns for a new token.
    mutating func insert(_ make: (UInt64) -> Connection) -> Connection {
        let index = free.popLast() ?? connections.count
        if index == connections.count {
            connections.append(nil)
            uses.append(0)
        }
        uses[index] += 1
        let connection = make(UInt64(uses[index]) << 32 | UInt64(index))
        connections[index] = connection
        count += 1
        return connection
    }

    /// Whether the connection has not been removed.
    func holds(_ connection: Connection) -> Bool {
        let (token, index) = (connection.token, connection.index)
        return index < connections.count && UInt64(uses[index]) == token >> 32
            && connections[index] != nil
    }

    subscript(token: UInt64) -> Connection? {
        let index = Self.index(of: token)
        guard index < connections.count, let connection = connections[index],
            connection.token == token
        else { return nil }
        return connection
    }

    /// The connection at an index, if there is one.
    func at(_ index: Int) -> Connection? { index < connections.count ? connections[index] : nil }

    mutating func remove(_ connection: Connection) {
        let index = connection.index
        guard connections[index] === connection else { return }
        connections[index] = nil
        count -= 1
        // An index whose numbers are used up is not used again.
        if uses[index] < .max { free.append(index) }
    }

    /// A few connections, different ones each time.
    mutating func sample(_ count: Int = 64) -> [Connection] {
        guard !connections.isEmpty else { return [] }
        var found: [Connection] = []
        for _ in 0..<min(connections.count, count * 4) where found.count < count {
            sampled = sampled + 1 < connections.count ? sampled + 1 : 0
            if let connection = connections[sampled] { found.append(connection) }
        }
        return found
    }

    var all: [Connection] { connections.compactMap { $0 } }
}
