internal import Bytes
internal import POSIX

/// Reads from the sockets, into one buffer that all connections share.
final class InputReader {
    /// The bytes that were read last. It is overwritten by the next read.
    private(set) var buffer = [UInt8](repeating: 0, count: bufferBytes)

    /// The size of the shared buffer, and the most that one read brings.
    static let bufferBytes = 64 << 10
    /// The least that is read at once for a connection that has kept bytes.
    private static let roomMin = 4 << 10

    /// Reads once into `buffer`, and appends the bytes to those that the connection has kept, if
    /// there are any.
    ///
    /// - Returns: the number of bytes, 0 if the peer has ended its side, or nil if there is nothing
    ///   to read now.
    func read(_ connection: Connection) throws(SystemError) -> Int? {
        let kept = connection.incoming.bytes.count
        guard kept > 0 else {
            return try connection.descriptor.receive(into: &buffer, 0..<buffer.count)
        }
        let room = max(Self.roomMin, min(kept, Self.bufferBytes))
        guard let count = try connection.descriptor.receive(into: &buffer, 0..<room) else {
            return nil
        }
        connection.incoming.bytes.append(buffer, 0..<count)
        return count
    }

    /// Reads and discards what a client has sent: closing a socket with unread input resets the
    /// connection, and the client may lose its answer.
    func discardInput(of descriptor: FileDescriptor) throws(SystemError) {
        _ = try descriptor.receive(into: &buffer, 0..<buffer.count)
    }
}
