internal import Bytes

/// The value of `Content-Type`: `type/subtype` and its parameters (RFC 9110 §8.3.1).
public struct MediaType: Equatable, Sendable {
    /// The type without parameters, such as `application/json`, in lower case.
    public let essence: String
    /// The charset in lower case, if there is one. It is compared as bytes, since it may not be
    /// text.
    private let charset: [UInt8]?

    /// The type of a request. Nil if the field is malformed or absent; in the latter case,
    /// `request[.contentType]` is nil, too.
    public init?(_ request: Request) {
        guard let range = request[.contentType] else { return nil }
        self.init(request.bytes, range)
    }

    /// Reads a media type. Returns nil if it is malformed or has two charsets.
    public init?(_ bytes: [UInt8], _ range: Range<Int>) {
        var scanner = FieldScanner(bytes, range)
        guard let type = scanner.token(), scanner.takeHere(ASCII.slash),
            let subtype = scanner.token()
        else { return nil }
        essence = scanner.lowercased(type) + "/" + scanner.lowercased(subtype)
        var charset: [UInt8]?
        while let (name, value) = scanner.parameter() {
            guard name == "charset" else { continue }
            guard charset == nil else { return nil }
            charset = value.map(ASCII.lowercased)
        }
        scanner.skipBlanks()
        guard scanner.isAtEnd, !scanner.isBroken else { return nil }
        self.charset = charset
    }

    /// Whether the type is JSON in UTF-8, with any other parameters.
    public var isJSON: Bool {
        essence == "application/json" && isUTF8
    }

    /// Whether the type is a merge patch in UTF-8 (RFC 7396 §4).
    public var isMergePatch: Bool {
        essence == "application/merge-patch+json" && isUTF8
    }

    private var isUTF8: Bool { charset?.elementsEqual("utf-8".utf8) ?? true }
}
