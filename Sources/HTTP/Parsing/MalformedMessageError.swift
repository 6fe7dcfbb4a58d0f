/// Why a message is refused: a fact about its bytes. The connection is closed after each of these
/// errors, because the start of the next message is not certain.
package enum MalformedMessageError: Error, Equatable, Sendable {
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
    package var isBodyTooLarge: Bool { kind == .bodyTooLarge }

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
    package var status: Status {
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
    package var problem: String {
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
