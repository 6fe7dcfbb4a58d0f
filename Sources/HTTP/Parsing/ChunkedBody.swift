internal import Bytes

/// Decodes the chunked transfer coding (RFC 9112 §7.1) as it arrives.
///
///     size      1–16 hexadecimal digits
///     extension ( BWS ";" BWS name [ BWS "=" BWS ( token / quoted ) ] )*   checked and dropped
///     CR LF, as many bytes of data as the size says, CR LF
///     …         the last chunk has size 0 and no data; trailer fields; CR LF
///
/// No memory is reserved for a size that was only announced. Everything that is not data has a
/// limit of its own, so that a body of one-byte chunks cannot continue forever.
struct ChunkedBody: Sendable {
    enum Phase: UInt8, Sendable {
        case size, parameters, sizeLineFeed, data, dataReturn, dataLineFeed, trailers
    }

    private(set) var phase = Phase.size
    private var extensionState = ChunkExtension.name
    private var digits = 0
    /// The size while it is read, then the number of bytes of the chunk that are still missing.
    private var size: UInt64 = 0
    private var overhead = 0
    private(set) var decoded: [UInt8] = []

    /// Continues at a position of the message and moves it. Returns true once it is at the
    /// trailers.
    mutating func advance(
        _ message: ArraySlice<UInt8>, from position: inout Int, limits: ParserLimits
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

    /// Removes and returns what has been decoded so far. If that is anything, the limits begin
    /// again with what follows, so that a body of any length can be read in parts.
    mutating func takeDecoded() -> [UInt8] {
        guard !decoded.isEmpty else { return [] }
        overhead = 0
        defer { decoded = [] }
        return decoded
    }

    /// The number of bytes that the trailers may have.
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
