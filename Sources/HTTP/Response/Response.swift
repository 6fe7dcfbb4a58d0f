internal import Bytes

/// An answer as a value. How it looks on the wire is the encoder's business alone.
package struct Response: Sendable {
    package var status: Status
    package var contentType: ContentType?
    /// The opaque text of a strong entity tag, without its quotes.
    package var etag: ResponseTag?
    package var location: String?
    /// What caches are told; nil: nothing.
    package var caching: Caching?
    /// The other fields, in the order in which they are written. `Date`, `Cache-Control`,
    /// `Content-Length`, `Transfer-Encoding` and `Connection` are not for this list.
    package var fields: [ResponseField]
    package var body: [UInt8]
    /// The connection closes after this answer, whatever the request wished.
    package var closes: Bool
}

extension Response {
    /// It hands all on to the initializer of the members, which takes them over without a copy.
    package init(
        _ status: Status, contentType: ContentType? = nil, etag: ResponseTag? = nil,
        location: String? = nil, caching: Caching? = nil, fields: [ResponseField] = [],
        body: [UInt8] = [], closes: Bool = false
    ) {
        self.init(
            status: status, contentType: contentType, etag: etag, location: location,
            caching: caching, fields: fields, body: body, closes: closes)
    }

    /// Whether the body is written behind the head.
    package func showsBody(to exchange: Exchange) -> Bool { status.allowsBody && !exchange.isHead }

    /// The value of the first field with this name, nil if there is none. For tests.
    package func value(of name: String) -> String? {
        name == "Cache-Control" ? caching?.value : fields.first { $0.name.text == name }?.value
    }
}

/// What caches may do with an answer (RFC 9111 §5.2.2).
package enum Caching: UInt8, CaseIterable, Sendable {
    /// Keep it, and ask each time whether it still holds.
    case askAgain
    case never

    var value: String {
        switch self {
        case .askAgain: "no-cache"
        case .never: "no-store"
        }
    }
}

/// A strong entity tag. Its text is made once; a number at its end is kept apart, so that an
/// answer's tag costs no text of its own.
package struct ResponseTag: Equatable, Sendable, ExpressibleByStringLiteral {
    /// The field's line as far as the number: `ETag: "` and the text, cleaned.
    let start: [UInt8]
    let number: UInt64?

    private static let fieldStart = "ETag: \""

    /// - Parameter text: without quotes.
    package init(_ text: String) {
        var start: [UInt8] = []
        start.append(Self.fieldStart)
        start.append(cleaning: text)
        self.start = start
        number = nil
    }

    private init(start: [UInt8], number: UInt64) {
        self.start = start
        self.number = number
    }

    package init(stringLiteral text: String) { self.init(text) }

    /// The tag `text-number`, where this one is `text`.
    package func numbered(_ number: UInt64) -> ResponseTag {
        ResponseTag(start: start, number: number)
    }

    /// What stands between the quotes, to be compared with what a client sends.
    package var opaque: String {
        String(decoding: start.dropFirst(Self.fieldStart.utf8.count), as: UTF8.self)
            + (number.map { "-\($0)" } ?? "")
    }
}

/// One field of an answer. Its name is a literal; its value may carry anybody's text.
package struct ResponseField: Sendable, Equatable {
    package let name: ResponseFieldName
    package let value: String

    package init(_ name: ResponseFieldName, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// The name of a field of an answer, as it is written on the wire. Only literals make one, so it
/// is never anybody's text; that it is a token is our own duty.
package struct ResponseFieldName: ExpressibleByStringLiteral, Hashable, Sendable {
    package let text: String

    package init(stringLiteral text: String) {
        precondition(!text.isEmpty && text.utf8.allSatisfy(ASCII.isToken), "not a field name")
        self.text = text
    }

    package static let allow: Self = "Allow"
    package static let link: Self = "Link"
    package static let preferenceApplied: Self = "Preference-Applied"
    package static let retryAfter: Self = "Retry-After"
    package static let wwwAuthenticate: Self = "WWW-Authenticate"
    package static let vary: Self = "Vary"
}

/// The media types of the bodies that this service sends.
package enum ContentType: UInt8, CaseIterable, Sendable {
    case json, problemJSON, ndjson, eventStream, yaml, html, javaScript, css, text, prometheus
    case svg, png, icon, octetStream

    package var value: String {
        switch self {
        case .json: "application/json"
        case .problemJSON: "application/problem+json"
        case .ndjson: "application/x-ndjson"
        case .eventStream: "text/event-stream"
        case .yaml: "application/yaml"
        case .html: "text/html; charset=utf-8"
        case .javaScript: "text/javascript; charset=utf-8"
        case .css: "text/css; charset=utf-8"
        case .text: "text/plain; charset=utf-8"
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .svg: "image/svg+xml"
        case .png: "image/png"
        case .icon: "image/x-icon"
        case .octetStream: "application/octet-stream"
        }
    }
}

extension Caching {
    /// The whole field line.
    var line: [UInt8] { Self.lines[Int(rawValue)] }

    private static let lines = allCases.map { Array("Cache-Control: \($0.value)\r\n".utf8) }
}

extension ContentType {
    /// The whole field line.
    var line: [UInt8] { Self.lines[Int(rawValue)] }

    private static let lines = allCases.map { Array("Content-Type: \($0.value)\r\n".utf8) }
}

/// What an answer has to know of its request. A few bytes, to be kept while the request is gone.
package struct Exchange: Equatable, Sendable {
    package var isHead: Bool
    package var minorVersion: Int
    package var keepsAlive: Bool

    package init(isHead: Bool, minorVersion: Int, keepsAlive: Bool) {
        self.isHead = isHead
        self.minorVersion = minorVersion
        self.keepsAlive = keepsAlive
    }

    /// For the answer to something that was no request.
    package static func refusal(isHead: Bool) -> Exchange {
        Exchange(isHead: isHead, minorVersion: 1, keepsAlive: false)
    }

    /// Whether the connection goes on behind this answer.
    package func persists(after response: Response) -> Bool { keepsAlive && !response.closes }
}
