internal import Glibc

/// Standard error, which is written to without waiting.
public enum ErrorStream {
    /// A pipe that is ready has room for at least this many bytes: PIPE_BUF of pipe(7).
    private static let pieceBytes = 4096

    /// Writes as many bytes of a range as are possible without waiting.
    ///
    /// - Returns: the number of bytes written. Bytes that can never be written, because the reader
    ///   has closed the stream, count as written.
    public static func write(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        var poll = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        guard unsafe Glibc.poll(&poll, 1, 0) == 1 else { return 0 }
        guard poll.revents & Int16(POLLOUT) != 0 else { return range.count }
        let count = min(range.count, pieceBytes)
        let result = unsafe bytes.withUnsafeBytes { buffer in
            retryingOnInterrupt {
                unsafe Glibc.write(
                    2, buffer.baseAddress.map { unsafe $0 + range.lowerBound }, count)
            }
        }
        return result >= 0 ? result : (result == -Int(EAGAIN) ? 0 : range.count)
    }
}
