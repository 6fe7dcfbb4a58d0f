internal import Bytes

/// The value of `Content-Type`: `type/subtype` and its parameters (RFC 9110 §8.3.1).
package struct MediaType: Equatable, Sendable {
    /// `application/json`, in lower case.
    package let essence: String
    /// The bytes of the charset in lower case, if it is given. They are compared as they are, since
    /// they need not be text.
    private let charset: [UInt8]?

    /// Nil if the field is absent or malformed; `request[.contentType]` tells which.
    package init?(_ request: Request) {
        guard let range = request[.contentType] else { return nil }
        self.init(request.bytes, range)
    }

    package init?(_ bytes: [UInt8], _ range: Range<Int>) {
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

    /// JSON as this service takes it: in UTF-8, with any other parameters.
    package var isJSON: Bool {
        essence == "application/json" && isUTF8
    }

    /// A merge patch is JSON too (RFC 7396 §4).
    package var isMergePatch: Bool {
        essence == "application/merge-patch+json" && isUTF8
    }

    private var isUTF8: Bool { charset?.elementsEqual("utf-8".utf8) ?? true }
}

/// The credentials of `Authorization: Bearer …` (RFC 6750 §2.1).
package enum BearerToken {
    /// Where the token lies in the request's bytes; nil if there is none in this form. The scheme
    /// is read in any case. What a token looks like is not judged here: it is compared whole.
    package static func range(in request: Request) -> Range<Int>? {
        guard let value = request[.authorization], value.count > 7 else { return nil }
        let scheme = value.lowerBound..<value.lowerBound + 6
        guard request.bytes.matches(scheme, ignoringCase: "bearer"),
            request.bytes[scheme.upperBound] == ASCII.space
        else { return nil }
        let token = request.bytes.trimmingBlanks(scheme.upperBound..<value.upperBound)
        let isOne = !token.isEmpty && !token.contains { ASCII.isBlank(request.bytes[$0]) }
        return isOne ? token : nil
    }
}
