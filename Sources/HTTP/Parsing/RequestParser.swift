internal import Bytes

// HTTP/1.1 as bytes and values, without a socket, a clock or a file.
//
// What this room is: the reading of requests (`RequestParser`, `Request`), the writing of answers
// (`Response`, `ResponseEncoder`, `EventStreamEncoder`), the reading of what fields and targets
// say (`PathSegments`, `QueryItems`, `Preferences`, `EntityTags`, …) and the life of one
// connection as a value (`ConnectionState`). RFC 9110 and RFC 9112 are the law.
//
// What it deliberately is not: a framework. It knows no route, no JSON and no problem document; it
// reads no descriptor and holds no buffer; it speaks no HTTP/2, no TLS, no compression, no
// `CONNECT`, no `Upgrade`; it serves no files, so nothing ever joins a path.
//
// Its rules:
//
//  1. Bytes, not text. Until a message is judged, nothing is a `String`: text functions fold, trim
//     and compare by Unicode, where a Kelvin sign equals a K. Classes of bytes are in `ASCII`.
//  2. A message is either served or refused as a whole. What two readers could understand
//     differently is refused: bare line ends, folded lines, a blank before a colon, a second
//     `Content-Length`, a length beside chunks (RFC 9112 §5, §6, §11.2).
//  3. A byte is judged when it is seen. Refusals come in the order of the bytes, so the result
//     does not depend on how the network cut them.
//  4. The work is linear in the bytes. The parser remembers where it was and never begins again.
//  5. Everything is bounded by `ParserLimits`, and nothing is reserved that was only announced.
//  6. A refusal is a `MalformedMessageError`: a fact, with a status, a problem and advice. The connection
//     closes after it and nothing behind it is parsed (RFC 9112 §2.2, §9.6).
//  7. A request copies nothing. It shares the buffer and holds ranges; the fields that the service
//     knows lie in the value itself. The usual GET is parsed without an allocation.
//  8. Values are decoded once, strictly and on demand, after splitting; dot segments are text.
//  9. What goes into a field of an answer has its control bytes replaced by spaces at the place
//     where it is written, so no text of anybody can end a line (RFC 9110 §5.5).
// 10. Arithmetic on what came in cannot trap, nor can an index: input reaches no precondition.
//
// A worked example. One read brought a request and the beginning of the next:
//
//     buffer: GET /v1/sessions/a HTTP/1.1␍␊Host: localhost␍␊␍␊GET /v1/ses
//             0                                               48         59
//
//     var parser = RequestParser(limits: limits)
//     parser.parse(buffer, from: 0, to: 59)   → .request(request, consumed: 48)
//     request.method                          → .get
//     request.text(request.path)              → "/v1/sessions/a"
//     request[.host]                          → 35..<44, a place in the buffer
//     parser.parse(buffer, from: 48, to: 59)  → .needsMore(.head)
//
// The loop now moves the 11 bytes to the front of a buffer of this connection's own, reads behind
// them, and calls `parse(own, from: 0, to: 60)`: the same parser goes on at byte 11, for positions
// count from the first byte of the message, wherever that lies. Where nothing is left over, an
// idle connection holds a parser of 72 bytes and no buffer at all.

/// What a call to the parser came to.
package enum ParserStep: Sendable {
    /// Read on, behind the same bytes.
    case needsMore(ParseStatus)
    /// A whole request; the next message begins `consumed` bytes behind `start`.
    case request(Request, consumed: Int)
    /// Answer this, then close. The parser must not be used again.
    case refused(MalformedMessageError)
}

/// What is missing.
package enum ParseStatus: Equatable, Sendable {
    /// Not a byte of a message was there.
    case message
    /// The head is not whole.
    case head
    /// The head is good, the body is not whole. If `sendsContinue`, the client waits for
    /// `100 Continue`, which is to be sent now; this is said once (RFC 9110 §10.1.1).
    case body(sendsContinue: Bool)
}

/// Reads requests out of a buffer that belongs to somebody else.
///
/// One parser serves a connection for its whole life. Between two messages, and in a message that
/// came whole, it owns no storage; one that came in pieces is remembered in one small block.
package struct RequestParser: Sendable {
    package let limits: ParserLimits
    /// The message that is unfinished or was refused: none or one.
    private var unfinished: [MessageParser] = []

    package init(limits: ParserLimits = ParserLimits()) { self.limits = limits }

    /// Whether a message has begun.
    package var isInMessage: Bool { !unfinished.isEmpty }

    /// Whether the message that has begun, or was refused, asks with `HEAD`: its answer has no
    /// content, whatever it is (RFC 9110 §9.3.2).
    package var isHead: Bool { unfinished.first?.isHead ?? false }

    /// How many bytes of the unfinished message are judged and will not be looked at again.
    package var judgedBytes: Int { unfinished.first?.judgedBytes ?? 0 }

    /// Bytes of memory that the parser holds for an unfinished message, besides the buffer.
    package var heldBytes: Int { unfinished.first?.heldBytes ?? 0 }

    /// The unfinished message as a request without its content; nil while its head is not whole.
    /// The buffer is that of the last call of `parse`.
    package func head(_ buffer: [UInt8], from start: Int) -> Request? {
        unfinished.first?.headAlone(buffer, start)
    }

    /// Parses the message that begins at `start`, as far as `end`.
    ///
    /// After `.needsMore` call again with the same message, longer than before, wherever it lies
    /// now. After `.request` the next call is for the next message. `start <= end <=
    /// buffer.count`, and a message never gets shorter; anything else is the caller's mistake.
    package mutating func parse(_ buffer: [UInt8], from start: Int, to end: Int) -> ParserStep {
        guard !unfinished.isEmpty else {
            guard start < end else { return .needsMore(.message) }
            var message = MessageParser()
            let step = message.step(buffer, start, end, limits)
            if case .request = step { return step }
            unfinished.append(message)
            return step
        }
        // In its place, for a message that drips in is not to be moved with each byte.
        let step = unfinished[0].step(buffer, start, end, limits)
        if case .request = step { unfinished = [] }
        return step
    }
}
