internal import Bytes

/// Chunked transfer coding (RFC 9112 §7.1), decoded as it comes.
///
///     size      1–16 hexadecimal digits
///     extension ( BWS ";" BWS name [ BWS "=" BWS ( token / quoted ) ] )*   judged and dropped
///     CR LF, as many bytes of data as the size says, CR LF
///     …         the last chunk has size 0 and no data; trailer fields; CR LF
///
/// Nothing is reserved for a size that was only announced. Everything that is not data counts
/// against a bound of its own, so one byte of data in each chunk does not go on for ever.
struct ChunkedBody: Sendable {
    enum Phase: UInt8, Sendable {
        case size, parameters, sizeLineFeed, data, dataReturn, dataLineFeed, trailers
    }

    private(set) var phase = Phase.size
    private var extensionState = ChunkExtension.name
    private var digits = 0
    /// The size being read, later the bytes of the chunk that are still to come.
    private var size: UInt64 = 0
    private var overhead = 0
    private(set) var decoded: [UInt8] = []

    /// Reads on from `position` in `message`; true when the trailers begin there.
    mutating func advance(
        _ message: ArraySlice<UInt8>, _ position: inout Int, _ limits: ParserLimits
    ) throws(MalformedMessageError) -> Bool {
        while phase != .trailers, position < message.endIndex {
            if phase == .data {
                takeData(message, &position)
                continue
            }
            overhead += 1
            guard overhead <= limits.chunkOverheadBytesMax else {
                throw .chunkOverheadTooLarge(bytesMax: limits.chunkOverheadBytesMax)
            }
            try take(message[position], limits)
            position += 1
        }
        return phase == .trailers
    }

    /// What trailers may still take of the bound.
    func overheadLeft(_ limits: ParserLimits) -> Int { limits.chunkOverheadBytesMax - overhead }

    private mutating func takeData(_ message: ArraySlice<UInt8>, _ position: inout Int) {
        let count = Int(min(size, UInt64(message.endIndex - position)))
        decoded.append(contentsOf: message[position..<position + count])
        position += count
        size -= UInt64(count)
        if size == 0 { phase = .dataReturn }
    }

    private mutating func take(_ byte: UInt8, _ limits: ParserLimits) throws(MalformedMessageError)
    {
        switch phase {
        case .size: try takeSize(byte, limits)
        case .parameters:
            guard byte == ASCII.carriageReturn, extensionState.mayEnd else {
                extensionState = try extensionState.next(byte)
                return
            }
            phase = .sizeLineFeed
        case .sizeLineFeed:
            guard byte == ASCII.lineFeed else { throw .bareCarriageReturn }
            phase = size == 0 ? .trailers : .data
        case .dataReturn:
            guard byte == ASCII.carriageReturn else { throw .chunkEnd }
            phase = .dataLineFeed
        case .dataLineFeed:
            guard byte == ASCII.lineFeed else { throw .chunkEnd }
            (phase, digits, size) = (.size, 0, 0)
        case .data, .trailers: break
        }
    }

    private mutating func takeSize(_ byte: UInt8, _ limits: ParserLimits)
        throws(MalformedMessageError)
    {
        if let digit = Hexadecimal.value(byte) {
            digits += 1
            guard digits <= 16 else { throw .chunkSize }
            size = size << 4 | UInt64(digit)
            return
        }
        guard digits > 0 else { throw .chunkSize }
        guard size <= UInt64(max(0, limits.bodyBytesMax - decoded.count)) else {
            throw .bodyTooLarge(bytesMax: limits.bodyBytesMax)
        }
        switch byte {
        case ASCII.carriageReturn: phase = .sizeLineFeed
        case ASCII.lineFeed: throw .bareLineFeed
        case ASCII.semicolon, ASCII.space, ASCII.tab:
            extensionState = try ChunkExtension.before.next(byte)
            phase = .parameters
        default: throw .chunkSize
        }
    }
}
