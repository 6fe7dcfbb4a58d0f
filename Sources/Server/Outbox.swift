internal import Bytes

/// The bytes that a connection has still to send, in order.
///
/// A long piece is kept as the array that it is, so that connections with the same answer or event
/// share its bytes. Short pieces are joined in arrays of the connection's own.
struct Outbox {
    private struct Piece {
        var bytes: [UInt8]
        var isShared: Bool
    }

    private var pieces: [Piece] = []
    /// Bytes of the first piece that are written.
    private var written = 0
    /// Bytes that are still to be written.
    private(set) var count = 0
    /// Bytes of memory in the pieces that are the connection's own.
    private(set) var ownBytes = 0

    /// A shorter piece is copied.
    static let sharedBytesMin = 4 << 10
    /// Pieces are joined up to this many bytes, the most that are written together.
    static let joinedBytesMax = 64 << 10

    var isEmpty: Bool { count == 0 }

    /// Adds the bytes of an array to the end, all or those from `start` on.
    mutating func append(_ bytes: [UInt8], from start: Int = 0, _ shared: inout SharedBytes) {
        let length = bytes.count - start
        guard length > 0 else { return }
        count += length
        if length < Self.sharedBytesMin || (start > 0 && !pieces.isEmpty) {
            return join(bytes[start...])
        }
        if pieces.isEmpty { written = start }
        pieces.append(Piece(bytes: bytes, isShared: true))
        shared.add(bytes)
    }

    private mutating func join(_ bytes: ArraySlice<UInt8>) {
        let last = pieces.count - 1
        if last >= 0, !pieces[last].isShared,
            pieces[last].bytes.count + bytes.count <= Self.joinedBytesMax
        {
            ownBytes -= pieces[last].bytes.capacity
            pieces[last].bytes += bytes
            ownBytes += pieces[last].bytes.capacity
        } else {
            let piece = Piece(bytes: Array(bytes), isShared: false)
            ownBytes += piece.bytes.capacity
            pieces.append(piece)
        }
    }

    /// The bytes to write next, as a range of an array, if there are any.
    func next(atMost bytesMax: Int) -> (bytes: [UInt8], range: Range<Int>)? {
        guard let first = pieces.first else { return nil }
        return (first.bytes, written..<min(first.bytes.count, written + bytesMax))
    }

    /// Removes bytes that were written, at most as many as `next` gave.
    mutating func advance(by written: Int, _ shared: inout SharedBytes) {
        self.written += written
        count -= written
        guard let first = pieces.first, self.written == first.bytes.count else { return }
        self.written = 0
        drop(pieces.removeFirst(), &shared)
    }

    mutating func removeAll(_ shared: inout SharedBytes) {
        for piece in pieces { drop(piece, &shared) }
        self = Outbox()
    }

    private mutating func drop(_ piece: Piece, _ shared: inout SharedBytes) {
        if piece.isShared {
            shared.remove(piece.bytes)
        } else {
            ownBytes -= piece.bytes.capacity
        }
    }

    /// Roughly the connection's share of the memory that it has in common with others: as if all
    /// its long pieces had as many owners as the first.
    func sharedBytes(_ shared: SharedBytes) -> Int {
        guard let first = pieces.first(where: \.isShared) else { return 0 }
        return count / max(1, shared.owners(of: first.bytes))
    }
}

/// The long pieces of all outboxes. A piece counts once, however many outboxes have it.
struct SharedBytes {
    /// The number of outboxes that have a piece, by its address, which no other array can have
    /// meanwhile.
    private var owners: [UInt: Int] = [:]
    /// Bytes of memory of all pieces.
    private(set) var count = 0

    mutating func add(_ piece: [UInt8]) {
        let before = owners[piece.address, default: 0]
        owners[piece.address] = before + 1
        if before == 0 { count += piece.capacity }
    }

    mutating func remove(_ piece: [UInt8]) {
        guard let before = owners[piece.address] else { return }
        owners[piece.address] = before > 1 ? before - 1 : nil
        if before == 1 { count -= piece.capacity }
    }

    func owners(of piece: [UInt8]) -> Int { owners[piece.address, default: 0] }
}
