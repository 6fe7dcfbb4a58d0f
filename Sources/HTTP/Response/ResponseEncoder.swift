internal import Bytes

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
package enum ResponseEncoder {
    /// Appends a complete response.
    ///
    /// - Returns: whether the connection stays open after it.
    @discardableResult
    package static func encode(
        _ response: Response, to exchange: Exchange, id: RequestID? = nil, date: DateField,
        into out: inout [UInt8]
    ) -> Bool {
        let showsBody = response.showsBody(to: exchange)
        out.reserveRoom(for: 320 + (showsBody ? response.body.count : 0))
        let persists = encodeHead(response, to: exchange, id: id, date: date, into: &out)
        if showsBody { out.append(contentsOf: response.body) }
        return persists
    }

    /// Appends a response without its body, which the caller has to send.
    ///
    /// - Returns: whether the connection stays open after it.
    package static func encodeHead(
        _ response: Response, to exchange: Exchange, id: RequestID? = nil, date: DateField,
        into out: inout [UInt8]
    ) -> Bool {
        let persists = exchange.persists(after: response)
        let hasBody = response.status.allowsBody
        out.appendHead(
            of: response, hasBody: hasBody && !response.body.isEmpty, id: id, date: date)
        out.appendConnection(persists, exchange)
        if hasBody { out.appendLength(response.body.count) } else { out.append("\r\n") }
        return persists
    }

    /// Appends the head of a response whose length is not known yet; `response.body` is ignored.
    ///
    /// - Returns: how to write the parts of the body.
    package static func encodeStreamHead(
        _ response: Response, to exchange: Exchange, id: RequestID? = nil, date: DateField,
        into out: inout [UInt8]
    ) -> StreamFraming {
        let isChunked = exchange.minorVersion >= 1
        out.appendHead(of: response, hasBody: true, id: id, date: date)
        out.appendConnection(isChunked && exchange.persists(after: response), exchange)
        out.append(isChunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n")
        if exchange.isHead { return .nothing }
        return isChunked ? .chunks : .untilClose
    }

    /// Appends the response that a client waits for after it has sent `Expect: 100-continue`.
    package static func encodeContinue(into out: inout [UInt8]) {
        out.append("HTTP/1.1 100 Continue\r\n\r\n")
    }
}

/// How the parts of a stream are sent.
package enum StreamFraming: Equatable, Sendable {
    /// Nothing follows the head, because the request was a `HEAD`.
    case nothing
    /// As chunks.
    case chunks
    /// As they are; the end of the connection ends the stream.
    case untilClose

    /// Appends one part. An empty part is left out, since an empty chunk would end the stream.
    package func append(_ part: [UInt8], to out: inout [UInt8]) {
        guard !part.isEmpty else { return }
        switch self {
        case .nothing: break
        case .untilClose: out.append(contentsOf: part)
        case .chunks:
            out.append(hexadecimal: part.count)
            out.append("\r\n")
            out.append(contentsOf: part)
            out.append("\r\n")
        }
    }

    /// Appends the proper end of the stream.
    package func appendEnd(to out: inout [UInt8]) {
        switch self {
        case .nothing, .untilClose: break
        case .chunks: out.append("0\r\n\r\n")
        }
    }
}

extension Array where Element == UInt8 {
    fileprivate mutating func appendHead(
        of response: Response, hasBody: Bool, id: RequestID?, date: DateField
    ) {
        let type = hasBody ? response.contentType ?? .octetStream : nil
        if response.status == .ok, type == .json, response.caching != .never {
            append(contentsOf: response.caching == nil ? date.changeStart : date.readStart)
        } else {
            append(contentsOf: response.status.line)
            append(contentsOf: date.line)
            if let type { append(contentsOf: type.line) }
            if let caching = response.caching { append(contentsOf: caching.line) }
        }
        if let etag = response.etag {
            append(contentsOf: etag.start)
            appendTagEnd(etag.number)
        }
        if let location = response.location { append(field: "Location", cleaning: location) }
        if let id { append(id) }
        for field in response.fields { append(field: field.name.text, cleaning: field.value) }
    }

    private mutating func appendTagEnd(_ number: UInt64?) {
        append(addingCapacity: Decimal.digitsMax + 4) { (out: inout OutputSpan<UInt8>) in
            if let number {
                out.append(ASCII.hyphen)
                out.append(decimal: Int(clamping: number))
            }
            out.append(ASCII.quote)
            out.appendLineEnd()
        }
    }

    /// Appends the last line of a head and the empty line.
    fileprivate mutating func appendLength(_ count: Int) {
        append(addingCapacity: Decimal.digitsMax + 20) { (out: inout OutputSpan<UInt8>) in
            out.append("Content-Length: ")
            out.append(decimal: count)
            out.appendLineEnd()
            out.appendLineEnd()
        }
    }

    /// By default a connection stays open in 1.1 and closes in 1.0 (RFC 9112 §9.3).
    fileprivate mutating func appendConnection(_ persists: Bool, _ exchange: Exchange) {
        if !persists {
            append("Connection: close\r\n")
        } else if exchange.minorVersion == 0 {
            append("Connection: keep-alive\r\n")
        }
    }

    private mutating func append(field name: String, cleaning value: String) {
        append(name)
        append(": ")
        append(cleaning: value)
        append("\r\n")
    }
}
