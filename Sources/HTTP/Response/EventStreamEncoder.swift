internal import Bytes

/// Server-sent events (WHATWG HTML §9.2.5) and JSON lines, as bytes appended to a body's part.
///
/// A payload is bytes of UTF-8. Its line ends, of which there are none in our JSON, begin a new
/// `data:` line each, so that no payload can end its event or begin a field.
package enum EventStreamEncoder {
    /// One event. `id` is the last id that a client sends when it comes again.
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

    /// How long a client waits before it connects again.
    package static func append(retryMilliseconds: Int, to out: inout [UInt8]) {
        out.append("retry: ")
        out.append(decimal: max(0, retryMilliseconds))
        out.append("\n\n")
    }

    /// A line that says nothing but that the stream lives.
    package static func appendComment(to out: inout [UInt8]) { out.append(":\n\n") }

    /// The same payload as one line. A line end in it becomes a blank, which in JSON it is.
    package static func append(line data: [UInt8], to out: inout [UInt8]) {
        out.reserveRoom(for: data.count + 1)
        guard data.contains(where: isLineEnd) else {
            out.append(contentsOf: data)
            out.append(ASCII.lineFeed)
            return
        }
        for byte in data { out.append(isLineEnd(byte) ? ASCII.space : byte) }
        out.append(ASCII.lineFeed)
    }

    private static func appendData(_ data: [UInt8], to out: inout [UInt8]) {
        out.append("data: ")
        guard data.contains(where: isLineEnd) else {
            out.append(contentsOf: data)
            out.append(ASCII.lineFeed)
            return
        }
        var previous: UInt8 = 0
        for byte in data {
            if byte == ASCII.lineFeed, previous == ASCII.carriageReturn {
                // The second half of CR LF, which is one line end.
            } else if isLineEnd(byte) {
                out.append("\ndata: ")
            } else {
                out.append(byte)
            }
            previous = byte
        }
        out.append(ASCII.lineFeed)
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool {
        byte == ASCII.lineFeed || byte == ASCII.carriageReturn
    }
}
