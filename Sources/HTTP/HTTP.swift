// HTTP: HTTP/1.1 as bytes and values, without a socket, a clock or a file.
//
// This target reads requests (`RequestParser`, `Request`), writes responses (`Response`,
// `ResponseEncoder`, `EventStreamEncoder`), reads the values of fields and the parts of targets
// (`PathSegments`, `QueryItems`, `Preferences`, `EntityTags`, …) and keeps the state of one
// connection as a value (`ConnectionState`). For clients it reads responses and server-sent events
// (`ResponseParser`, `EventStreamParser`). It implements RFC 9110 and RFC 9112.
//
// It is not a framework. It knows no routes, no JSON and no problem documents; it reads no
// descriptor and owns no buffer; it supports no HTTP/2, no TLS, no compression, no `CONNECT` and no
// `Upgrade`; it serves no files, so no part of a path ever reaches a file system.
//
// Rules:
//
//  1. Bytes, not text. Nothing becomes a `String` before the message has been checked: text
//     functions fold, trim and compare by the rules of Unicode, by which a Kelvin sign equals a K.
//     The classes of bytes are in `ASCII`.
//  2. A message is served or refused as a whole. Whatever two readers could understand differently
//     is refused: bare line ends, folded lines, a blank before a colon, a second `Content-Length`,
//     a length together with chunks (RFC 9112 §5, §6, §11.2).
//  3. A byte is checked when it is seen. Errors are found in the order of the bytes, so the result
//     does not depend on how the network splits the message.
//  4. The work is linear in the number of bytes. The parser remembers its position and never starts
//     over.
//  5. Everything is bounded by `ParserLimits`, and no memory is reserved for a length that was only
//     announced.
//  6. A refusal is a `MalformedMessageError`: a fact with a status, a problem type and advice. The
//     connection closes after it, and the bytes that follow are not parsed (RFC 9112 §2.2, §9.6).
//  7. A request copies nothing. It shares the buffer and holds ranges; the fields that the service
//     uses are found while parsing. An ordinary GET is parsed without an allocation.
//  8. Values are decoded once, strictly, on demand and after splitting. Dot segments are text.
//  9. Control bytes in a field of a response are replaced by spaces where the field is written, so
//     no text can end a line of the head (RFC 9110 §5.5).
// 10. Arithmetic on input cannot trap, nor can an index computed from it: no input reaches a
//     precondition.
//
// An example. One read has returned a request and the beginning of the next one:
//
//     buffer: GET /v1/sessions/a HTTP/1.1␍␊Host: localhost␍␊␍␊GET /v1/ses
//             0                                               48         59
//
//     var parser = RequestParser(limits: limits)
//     parser.parse(buffer, from: 0, to: 59)   → .request(request, consumed: 48)
//     request.method                          → .get
//     request.text(request.path)              → "/v1/sessions/a"
//     request[.host]                          → 35..<44, a range of the buffer
//     parser.parse(buffer, from: 48, to: 59)  → .needsMore(.head)
//
// The event loop now moves the 11 bytes to the start of a buffer that belongs to this connection,
// reads more after them, and calls `parse(own, from: 0, to: 60)`. The parser continues at byte 11,
// because positions count from the first byte of the message, wherever that is. If no bytes are
// left over, an idle connection needs only a parser of 72 bytes and no buffer.
