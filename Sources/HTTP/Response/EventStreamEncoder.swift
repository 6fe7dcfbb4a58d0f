public import Bytes

/// Writes server-sent events (WHATWG HTML §9.2.5).
///
/// A payload is UTF-8. The JSON of this service has no line ends, but each line end in a payload
/// starts another `data:` line, so that no payload can end its event or begin a field.
public enum EventStreamEncoder {
    /// Appends an event.
    ///
    /// - Parameters:
    ///   - id: sent back by a client that reconnects, in `Last-Event-ID`.
    ///   - appendData: appends the payload.
    public static func append(
        event name: StaticName, id: UInt64?, to out: inout ByteWriter,
        _ appendData: (inout ByteWriter) -> Void
    ) {
        if let id {
            out.append(literal: "id: ")
            out.append(UInt(id))
            out.append(ASCII.lineFeed)
        }
        out.append(literal: "event: ")
        out.append(String(name.bytes))
        out.append(ASCII.lineFeed)
        out.append(literal: "data: ")
        let start = out.count
        appendData(&out)
        splitLines(of: &out, from: start)
        out.append(literal: "\n\n")
    }

    /// Appends the id of the event that is appended next.
    ///
    /// - Parameter id: letters, digits and other visible characters of ASCII.
    public static func append(id: [UInt8], to out: inout ByteWriter) {
        out.append(literal: "id: ")
        out.append(id)
        out.append(ASCII.lineFeed)
    }

    /// Appends the time that a client should wait before it reconnects.
    public static func append(retryMilliseconds: Int, to out: inout ByteWriter) {
        out.append(literal: "retry: ")
        out.append(max(0, retryMilliseconds))
        out.append(literal: "\n\n")
    }

    /// Appends a comment, which shows that the connection is alive.
    public static func appendComment(to out: inout ByteWriter) { out.append(literal: ":\n\n") }

    /// Begins another `data:` line after each line end of a payload.
    private static func splitLines(of out: inout ByteWriter, from start: Int) {
        let hasLineEnds = out.withText { text in
            let data = text.extracting(start..<text.count)
            return data.contains(ASCII.lineFeed) || data.contains(ASCII.carriageReturn)
        }
        guard hasLineEnds else { return }
        let data = out.bytes(start..<out.count)
        out.removeLast(data.count)
        var previous: UInt8 = 0
        for byte in data {
            if byte == ASCII.lineFeed, previous == ASCII.carriageReturn {
                // CR LF is one line end.
            } else if byte == ASCII.lineFeed || byte == ASCII.carriageReturn {
                out.append(literal: "\ndata: ")
            } else {
                out.append(byte)
            }
            previous = byte
        }
    }
}
