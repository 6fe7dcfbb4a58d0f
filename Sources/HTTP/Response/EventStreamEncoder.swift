internal import Bytes

/// Writes server-sent events (WHATWG HTML §9.2.5) and JSON lines.
///
/// A payload is UTF-8. The JSON of this service has no line ends, but each line end in a payload
/// starts another `data:` line, so that no payload can end its event or begin a field.
package enum EventStreamEncoder {
    /// Appends an event.
    ///
    /// - Parameter id: sent back by a client that reconnects, in `Last-Event-ID`.
    package static func append(
        event name: StaticName, id: UInt64?, data: [UInt8], to out: inout [UInt8]
    ) {
        out.reserveRoom(for: data.count + 64)
        if let id {
            out.append("id: ")
            out.append(decimal: Int(clamping: id))
            out.append(ASCII.lineFeed)
        }
        out.append("event: ")
        out.append(contentsOf: name.bytes)
        out.append(ASCII.lineFeed)
        appendData(data, to: &out)
        out.append(ASCII.lineFeed)
    }

    /// Appends the id of the event that is appended next.
    ///
    /// - Parameter id: letters, digits and other visible characters of ASCII.
    package static func append(id: [UInt8], to out: inout [UInt8]) {
        out.append("id: ")
        out.append(contentsOf: id)
        out.append(ASCII.lineFeed)
    }

    /// Appends the time that a client should wait before it reconnects.
    package static func append(retryMilliseconds: Int, to out: inout [UInt8]) {
        out.append("retry: ")
        out.append(decimal: max(0, retryMilliseconds))
        out.append("\n\n")
    }

    /// Appends a comment, which shows that the connection is alive.
    package static func appendComment(to out: inout [UInt8]) { out.append(":\n\n") }

    /// Appends a payload as a JSON line. Line ends in it become spaces, which mean the same in
    /// JSON.
    package static func append(line data: [UInt8], to out: inout [UInt8]) {
        out.reserveRoom(for: data.count + 1)
        guard hasLineEnd(data) else {
            out.append(contentsOf: data)
            out.append(ASCII.lineFeed)
            return
        }
        for byte in data { out.append(isLineEnd(byte) ? ASCII.space : byte) }
        out.append(ASCII.lineFeed)
    }

    private static func appendData(_ data: [UInt8], to out: inout [UInt8]) {
        out.append("data: ")
        guard hasLineEnd(data) else {
            out.append(contentsOf: data)
            out.append(ASCII.lineFeed)
            return
        }
        var previous: UInt8 = 0
        for byte in data {
            if byte == ASCII.lineFeed, previous == ASCII.carriageReturn {
                // CR LF is one line end.
            } else if isLineEnd(byte) {
                out.append("\ndata: ")
            } else {
                out.append(byte)
            }
            previous = byte
        }
        out.append(ASCII.lineFeed)
    }

    private static func hasLineEnd(_ data: [UInt8]) -> Bool {
        ByteSearch.first(ASCII.lineFeed, in: data, data.indices) != nil
            || ByteSearch.first(ASCII.carriageReturn, in: data, data.indices) != nil
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool {
        byte == ASCII.lineFeed || byte == ASCII.carriageReturn
    }
}
