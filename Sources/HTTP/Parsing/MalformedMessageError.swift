/// Why a message is refused: a fact about its bytes. The connection is closed after each of these
/// errors, because the start of the next message is not certain.
public enum MalformedMessageError: Error, Equatable, Sendable {
    case tooManyEmptyLines
    /// Not exactly `METHOD SP TARGET SP HTTP/d.d`.
    case requestLine
    /// The target is not a path, an `http` URL, or `*` with `OPTIONS`.
    case target
    case targetTooLong(bytesMax: Int)
    case requestLineTooLong(bytesMax: Int)
    case version
    case method

    case bareCarriageReturn
    case bareLineFeed
    /// A NUL or another control byte in text.
    case controlByte(UInt8)
    /// A field line has no name, no colon, or a blank before the colon.
    case fieldName
    case foldedField
    case repeatedField(Field)
    case fieldLineTooLong(bytesMax: Int)
    case headTooLarge(bytesMax: Int)
    case tooManyFields(max: Int)

    case hostMissing
    case host
    case contentLength
    case transferEncoding
    case transferCoding
    case lengthBesideChunked
    case chunkedInHTTP10
    case expectation

    case chunkSize
    case chunkExtension
    /// CR LF does not follow the data of a chunk.
    case chunkEnd
    case chunkOverheadTooLarge(bytesMax: Int)
    case bodyTooLarge(bytesMax: Int)
}

extension MalformedMessageError {
    /// Whether the body is too large, which is found out only if the head is valid.
    public var isBodyTooLarge: Bool { kind == .bodyTooLarge }

    /// The kinds of errors that clients see.
    private enum Kind {
        case malformed, uriTooLong, headersTooLarge, bodyTooLarge
        case expectationFailed, notImplemented, versionNotSupported
    }

    private var kind: Kind {
        switch self {
        case .targetTooLong, .requestLineTooLong: .uriTooLong
        case .version: .versionNotSupported
        case .method, .transferCoding: .notImplemented
        case .fieldLineTooLong, .headTooLarge, .tooManyFields: .headersTooLarge
        case .expectation: .expectationFailed
        case .chunkOverheadTooLarge, .bodyTooLarge: .bodyTooLarge
        case .tooManyEmptyLines, .requestLine, .target, .bareCarriageReturn, .bareLineFeed,
            .controlByte, .fieldName, .foldedField, .repeatedField, .hostMissing, .host,
            .contentLength, .transferEncoding, .lengthBesideChunked, .chunkedInHTTP10, .chunkSize,
            .chunkExtension, .chunkEnd:
            .malformed
        }
    }

    /// The status of the response.
    public var status: Status {
        switch kind {
        case .malformed: .badRequest
        case .uriTooLong: .uriTooLong
        case .headersTooLarge: .headersTooLarge
        case .bodyTooLarge: .bodyTooLarge
        case .expectationFailed: .expectationFailed
        case .notImplemented: .notImplemented
        case .versionNotSupported: .versionNotSupported
        }
    }

    /// The last part of the `type` of the problem document.
    public var problem: String {
        switch kind {
        case .malformed: "malformed-request"
        case .uriTooLong: "uri-too-long"
        case .headersTooLarge: "headers-too-large"
        case .bodyTooLarge: "body-too-large"
        case .expectationFailed: "expectation-failed"
        case .notImplemented: "not-implemented"
        case .versionNotSupported: "version-not-supported"
        }
    }
}

extension MalformedMessageError {
    /// Says what is wrong and what to do. It never contains bytes of the request.
    public var detail: String {
        switch self {
        case .tooManyEmptyLines: "There are empty lines before the request line. Send none."
        case .requestLine: "The request line must be METHOD, space, target, space, HTTP/1.1."
        case .target:
            "The target must begin with a slash, or be an http URL without user or fragment."
        case .targetTooLong(let max):
            "The target is longer than \(max) bytes. Shorten it or use a body."
        case .requestLineTooLong(let max): "The request line is longer than \(max) bytes."
        case .version: "Only HTTP/1.1 and HTTP/1.0 are supported. Send HTTP/1.1."
        case .method: "The methods are GET, HEAD, POST, PUT, PATCH, DELETE and OPTIONS."
        case .bareCarriageReturn: "There is a CR without LF. End lines with CR LF."
        case .bareLineFeed: "A line ends with LF alone. End lines with CR LF."
        case .controlByte(let byte): "There is a control byte (\(byte)) in the head. Remove it."
        case .fieldName: "A header field must be a name directly followed by a colon."
        case .foldedField: "A header field spans several lines. Write it on one."
        case .repeatedField(let field): "The field \(field.name) is repeated. Send it once."
        case .fieldLineTooLong(let max): "A header field is longer than \(max) bytes."
        case .headTooLarge(let max): "The header fields are longer than \(max) bytes."
        case .tooManyFields(let max): "There are more than \(max) header fields. Send fewer."
        case .hostMissing: "HTTP/1.1 requires a Host field. Add one."
        case .host: "The host must be a name or an address, with an optional port."
        case .contentLength: "Content-Length must be one decimal number."
        case .transferEncoding: "Transfer-Encoding must be chunked; otherwise send Content-Length."
        case .transferCoding: "Only the chunked transfer coding is supported."
        case .lengthBesideChunked: "Send either Content-Length or Transfer-Encoding, not both."
        case .chunkedInHTTP10: "HTTP/1.0 has no chunked coding. Send Content-Length."
        case .expectation: "The only supported expectation is 100-continue."
        case .chunkSize: "A chunk must begin with its size in hexadecimal digits."
        case .chunkExtension: "A chunk extension is malformed. Omit it."
        case .chunkEnd: "CR LF must follow the data of a chunk. Check its size."
        case .chunkOverheadTooLarge(let max): "Chunking adds over \(max) bytes. Send larger chunks."
        case .bodyTooLarge(let max): "The body can have at most \(max) bytes. Send less."
        }
    }
}
