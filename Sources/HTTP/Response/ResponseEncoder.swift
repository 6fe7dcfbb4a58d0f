public import Bytes

/// Writes responses by appending to the caller's bytes. `id` is the id of the request, which the
/// field `X-Request-Id` shows; nil leaves the field out.
///
/// The order of a head is: status line, `Date`, `Content-Type`, `Cache-Control`, `ETag`,
/// `Location`, `X-Request-Id`, the other fields, `Connection` if the default of the version does
/// not apply, and then `Content-Length` or `Transfer-Encoding` or neither.
///
/// | response | length |
/// | --- | --- |
/// | 1xx, 204, 304 | none, and no body (RFC 9110 §8.6, §15.4.5) |
/// | to `HEAD` | the length of the body for `GET`, and no body |
/// | a stream in 1.1 | `Transfer-Encoding: chunked` |
/// | a stream in 1.0 | none; closing the connection ends it |
/// | any other | `Content-Length`, also if the body is empty |
public enum ResponseEncoder {
    /// Appends a complete response.
    ///
    /// - Returns: whether the connection stays open after it.
    @discardableResult
    public static func encode(
        _ response: Response, to exchange: Exchange, id: RequestID? = nil, date: DateField,
        into out: inout ByteWriter
    ) -> Bool {
        let showsBody = response.showsBody(to: exchange)
        out.reserve(320 + (showsBody ? response.body.count : 0))
        let persists = encodeHead(response, to: exchange, id: id, date: date, into: &out)
        if showsBody { out.append(response.body) }
        return persists
    }

    /// Appends a response without its body, which the caller has to send.
    ///
    /// - Returns: whether the connection stays open after it.
    public static func encodeHead(
        _ response: Response, to exchange: Exchange, id: RequestID? = nil, date: DateField,
        into out: inout ByteWriter
    ) -> Bool {
        let persists = exchange.persists(after: response)
        let hasBody = response.status.allowsBody
        out.appendHead(
            of: response, hasBody: hasBody && !response.body.isEmpty, id: id, date: date)
        out.appendConnection(persists, exchange)
        if hasBody { out.appendLength(response.body.count) } else { out.append(literal: "\r\n") }
        return persists
    }

    /// Appends the head of a response whose length is not known yet; `response.body` is ignored.
    ///
    /// - Returns: how to write the parts of the body.
    public static func encodeStreamHead(
        _ response: Response, to exchange: Exchange, id: RequestID? = nil, date: DateField,
        into out: inout ByteWriter
    ) -> StreamFraming {
        let isChunked = exchange.minorVersion >= 1
        out.appendHead(of: response, hasBody: true, id: id, date: date)
        out.appendConnection(isChunked && exchange.persists(after: response), exchange)
        if isChunked { out.append(literal: "Transfer-Encoding: chunked\r\n") }
        out.append(literal: "\r\n")
        if exchange.isHead { return .nothing }
        return isChunked ? .chunks : .untilClose
    }

    /// Appends the response that a client waits for after it has sent `Expect: 100-continue`.
    public static func encodeContinue(into out: inout ByteWriter) {
        out.append(literal: "HTTP/1.1 100 Continue\r\n\r\n")
    }
}

/// How the parts of a stream are sent.
public enum StreamFraming: Equatable, Sendable {
    /// Nothing follows the head, because the request was a `HEAD`.
    case nothing
    /// As chunks.
    case chunks
    /// As they are; the end of the connection ends the stream.
    case untilClose

    /// The most bytes that a chunk has beside its content.
    private static let chunkBytes = 20

    /// Appends one part. An empty part is left out, since an empty chunk would end the stream.
    public func append(_ part: Span<UInt8>, to out: inout [UInt8]) {
        guard !part.isEmpty else { return }
        switch self {
        case .nothing: break
        case .untilClose: out.append(part)
        case .chunks:
            append(hexadecimal: UInt(part.count), to: &out)
            out.append(ASCII.carriageReturn)
            out.append(ASCII.lineFeed)
            out.append(part)
            out.append(ASCII.carriageReturn)
            out.append(ASCII.lineFeed)
        }
    }

    /// Appends a number in lower-case digits, without leading zeros.
    private func append(hexadecimal number: UInt, to out: inout [UInt8]) {
        var shift = (UInt.bitWidth - 1 - (number | 1).leadingZeroBitCount) & ~3
        while shift >= 0 {
            out.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: number >> UInt(shift)) & 0xF))
            shift -= 4
        }
    }

    /// The same for an array.
    public func append(_ part: [UInt8], to out: inout [UInt8]) { append(part.span, to: &out) }

    /// A part as it is sent.
    public func frame(_ part: borrowing ByteWriter) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(part.count + Self.chunkBytes)
        part.withText { append($0, to: &frame) }
        return frame
    }

    /// Appends the proper end of the stream.
    public func appendEnd(to out: inout [UInt8]) {
        switch self {
        case .nothing, .untilClose: break
        case .chunks: out.append("0\r\n\r\n")
        }
    }
}

extension ByteWriter {
    fileprivate mutating func appendHead(
        of response: Response, hasBody: Bool, id: RequestID?, date: DateField
    ) {
        let type = hasBody ? response.contentType ?? .octetStream : nil
        if response.status == .ok, type == .json, response.caching != .never {
            append(response.caching == nil ? date.changeStart : date.readStart)
        } else {
            append(response.status.line)
            append(date.line)
            if let type { append(type.line) }
            if let caching = response.caching { append(caching.line) }
        }
        if let etag = response.etag {
            append(etag.start)
            if let number = etag.number {
                append(ASCII.hyphen)
                append(UInt(number))
            }
            append(literal: "\"\r\n")
        }
        if let location = response.location { append(field: "Location", cleaning: location) }
        if let id { append(id) }
        for field in response.fields { append(field: field.name.text, cleaning: field.value) }
    }

    /// Appends the last line of a head and the empty line.
    fileprivate mutating func appendLength(_ count: Int) {
        append(literal: "Content-Length: ")
        append(count)
        append(literal: "\r\n\r\n")
    }

    /// By default a connection stays open in 1.1 and closes in 1.0 (RFC 9112 §9.3).
    fileprivate mutating func appendConnection(_ persists: Bool, _ exchange: Exchange) {
        if !persists {
            append(literal: "Connection: close\r\n")
        } else if exchange.minorVersion == 0 {
            append(literal: "Connection: keep-alive\r\n")
        }
    }

    /// Appends the complete field line.
    private mutating func append(_ id: RequestID) {
        append(literal: "X-Request-Id: ")
        if let text = id.sentText {
            append(text)
        } else {
            append(word: Hexadecimal.word(of: UInt32(truncatingIfNeeded: id.number >> 32)))
            append(word: Hexadecimal.word(of: UInt32(truncatingIfNeeded: id.number)))
        }
        append(literal: "\r\n")
    }

    /// Appends a field line. Each byte that is not allowed in a value becomes a space, as RFC 9110
    /// §5.5 tells recipients to read it.
    private mutating func append(field name: String, cleaning value: String) {
        append(name)
        append(literal: ": ")
        for byte in value.utf8 { append(ASCII.isFieldValue(byte) ? byte : ASCII.space) }
        append(literal: "\r\n")
    }
}
