internal import NATS
internal import POSIX

/// What came from a server and has not been parsed.
struct InputBuffer {
    private(set) var bytes: [UInt8] = []
    /// The first byte that was not parsed.
    private(set) var start = 0
    /// The end of what came.
    private(set) var end = 0
    /// How many bytes the next operation needs from `start` on, as far as is known.
    private var expected = 0

    /// The least room for a read.
    private static let roomMin = 16 << 10
    /// The least room of a new array, so that not every read needs one.
    private static let roomFresh = 64 << 10
    /// The most bytes of one read.
    private static let readMax = 256 << 10

    /// Receives once.
    ///
    /// - Returns: the number of bytes, 0 at the end, or nil if nothing has come.
    mutating func receive(
        from socket: FileDescriptor, atMost limits: ProtocolLimits
    ) throws(SystemError) -> Int? {
        makeRoom()
        let window = end..<min(bytes.count, end + Self.readMax)
        guard let count = try socket.receive(into: &bytes, window) else { return nil }
        end += count
        return count
    }

    /// Moves what was not parsed into a new array. Messages keep the old one.
    private mutating func makeRoom() {
        let room = max(Self.roomMin, expected - (end - start))
        guard bytes.count - end < room else { return }
        let rest = bytes[start..<end]
        var fresh = [UInt8](repeating: 0, count: rest.count + max(room, Self.roomFresh))
        fresh.replaceSubrange(0..<rest.count, with: rest)
        bytes = fresh
        (start, end) = (0, rest.count)
    }

    /// The next operation needs so many bytes from `start` on.
    mutating func expect(_ count: Int) { expected = count }

    /// The first bytes were parsed.
    mutating func consume(_ count: Int) {
        start += count
        expected = 0
    }
}

/// What waits to be sent to a server.
struct OutputBuffer {
    /// Operations are appended here.
    var bytes: [UInt8] = []
    private var sent = 0

    /// The number of bytes that were not sent.
    var count: Int { bytes.count - sent }

    /// Sends as much as the socket takes.
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

/// Random numbers for waits (SplitMix64), which need not be secret.
struct JitterSource {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
