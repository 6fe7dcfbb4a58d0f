internal import NATS
internal import POSIX

/// Bytes received from a server that have not been parsed yet.
struct InputBuffer {
    private(set) var bytes: [UInt8] = []
    /// The position of the first byte that has not been parsed.
    private(set) var start = 0
    /// How many bytes the next operation needs, counted from `start`, as far as that is known.
    private var expected = 0

    /// The minimum space for a read, in bytes.
    private static let roomMin = 16 << 10
    /// The minimum space of a new array, in bytes, so that not every read needs one.
    private static let roomFresh = 64 << 10
    private static let readMax = 256 << 10

    /// Reads from the socket once.
    ///
    /// - Returns: the number of bytes; 0 if the server has closed the connection, and nil if there
    ///   is nothing to read.
    mutating func receive(from socket: FileDescriptor) throws(SystemError) -> Int? {
        makeRoom()
        let room = min(bytes.capacity - bytes.count, Self.readMax)
        return try socket.receive(appendingTo: &bytes, atMost: room)
    }

    /// Moves the unparsed bytes to a new array if there is not enough space. Messages keep the old
    /// array.
    private mutating func makeRoom() {
        let rest = bytes[start...]
        let room = max(Self.roomMin, expected - rest.count)
        guard bytes.capacity - bytes.count < room else { return }
        var fresh: [UInt8] = []
        fresh.reserveCapacity(rest.count + max(room, Self.roomFresh))
        fresh += rest
        (bytes, start) = (fresh, 0)
    }

    /// Sets how many bytes the next operation needs, counted from `start`.
    mutating func expect(_ count: Int) { expected = count }

    /// Removes the first `count` bytes, which have been parsed.
    mutating func consume(_ count: Int) {
        start += count
        expected = 0
    }
}

/// Bytes that are waiting to be sent to a server.
struct OutputBuffer {
    /// The bytes, to which operations are appended.
    var bytes: [UInt8] = []
    private var sent = 0

    var count: Int { bytes.count - sent }

    /// Sends as much as the socket accepts.
    mutating func send(to socket: FileDescriptor) throws(SystemError) {
        while count > 0 {
            guard let done = try socket.send(bytes, sent..<bytes.count) else { break }
            sent += done
        }
        if count == 0 {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.capacityKept)
            sent = 0
        } else if sent > bytes.count / 2 {
            bytes.removeSubrange(..<sent)
            sent = 0
        }
    }

    private static let capacityKept = 1 << 20
}
