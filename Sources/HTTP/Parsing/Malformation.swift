/// Why a message is not served: a fact about its bytes. The connection closes after each of them,
/// for where the next message begins is no longer certain.
package enum MalformedMessageError: Error, Equatable, Sendable {
    case tooManyEmptyLines
    /// Not exactly `METHOD SP TARGET SP HTTP/d.d`.
    case requestLine
    /// Neither a path, nor an `http` URL, nor `*` with `OPTIONS`.
    case target
    case targetTooLong(bytesMax: Int)
    case requestLineTooLong(bytesMax: Int)
    case version
    case method

    case bareCarriageReturn
    case bareLineFeed
    /// A NUL or another control byte where text belongs.
    case controlByte(UInt8)
    /// No name, a blank before the colon, or no colon.
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
    /// What stands behind a chunk's data is not CR LF.
    case chunkEnd
    case chunkOverheadTooLarge(bytesMax: Int)
    case bodyTooLarge(bytesMax: Int)
}

extension MalformedMessageError {
    /// What a malformation is on the wire.
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

    /// The last part of the problem's `type`.
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
