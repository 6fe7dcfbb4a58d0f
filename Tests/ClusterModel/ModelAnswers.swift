import FoundationEssentials

/// The bytes of what a server sends; `Tests/fixtures/nats` has recordings of a real one.
enum ModelAnswers {
    static let info =
        #"INFO {"server_id":"M","server_name":"m","version":"2.15.1","proto":1,"headers":true,"#
        + #""max_payload":2097152,"jetstream":true} "# + "\r\n"
    static let nanoseconds = 1_795_375_414_442_357_682

    /// A time in nanoseconds since 1970, as servers write it.
    private static func time(_ nanoseconds: Int) -> String {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return "\(text.dropLast()).\(String(1_000_000_000 + rest).dropFirst())Z"
    }

    /// `MSG` or `HMSG`.
    static func message(
        _ subject: String, _ sid: Int, reply: String? = nil, headers: [UInt8] = [],
        _ payload: [UInt8]
    ) -> [UInt8] {
        let to = reply.map { " \($0)" } ?? ""
        var line = headers.isEmpty ? "MSG" : "HMSG"
        line += " \(subject) \(sid)\(to)"
        if !headers.isEmpty { line += " \(headers.count)" }
        line += " \(headers.count + payload.count)\r\n"
        return Array(line.utf8) + headers + payload + [13, 10]
    }

    static func status(_ line: String, _ headers: [String] = []) -> [UInt8] {
        Array("NATS/1.0 \(line)\r\n\(headers.map { $0 + "\r\n" }.joined())\r\n".utf8)
    }

    static func ack(_ stream: String, _ sequence: Int) -> String {
        #"{"stream":"\#(stream)","seq":\#(sequence)}"#
    }

    static func error(_ code: Int, _ number: Int, _ text: String, stream: String? = nil) -> String {
        let end = stream.map { #","stream":"\#($0)","seq":0"# } ?? ""
        return #"{"error":{"code":\#(code),"err_code":\#(number),"description":"\#(text)"}\#(end)}"#
    }

    static func found(_ message: ModelMessage, storedAt nanoseconds: Int) -> String {
        var text = #"{"type":"io.nats.jetstream.api.v1.stream_msg_get_response","message":{"#
        text += #""subject":"\#(message.subject)","seq":\#(message.sequence),"#
        if !message.headers.isEmpty { text += #""hdrs":"\#(base64(message.headers))","# }
        if !message.payload.isEmpty { text += #""data":"\#(base64(message.payload))","# }
        return text + #""time":"\#(time(nanoseconds))"}}"#
    }

    /// A message of a batch.
    static func part(
        _ message: ModelMessage, storedAt nanoseconds: Int, of stream: String, pending: Int,
        previous: Int
    ) -> [UInt8] {
        var headers = message.headers.isEmpty ? Array("NATS/1.0\r\n".utf8) : message.headers
        if !message.headers.isEmpty { headers.removeLast(2) }
        let own = [
            "Nats-Stream: \(stream)", "Nats-Subject: \(message.subject)",
            "Nats-Sequence: \(message.sequence)", "Nats-Time-Stamp: \(time(nanoseconds))",
            "Nats-Num-Pending: \(pending)", "Nats-Last-Sequence: \(previous)",
        ]
        return headers + Array((own.map { $0 + "\r\n" }.joined() + "\r\n").utf8)
    }

    static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
