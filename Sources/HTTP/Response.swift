/// An answer as a value. How it looks on the wire is the encoder's business alone.
package struct Response: Sendable {
    package var status: Status
    package var contentType: ContentType?
    /// The opaque text of a strong entity tag, without its quotes.
    package var etag: ResponseTag?
    package var location: String?
    /// The other fields, in the order in which they are written. `Date`, `Content-Length`,
    /// `Transfer-Encoding` and `Connection` are not for this list.
    package var fields: [ResponseField]
    package var body: [UInt8]
    /// The connection closes after this answer, whatever the request wished.
    package var closes: Bool

    package init(
        _ status: Status, contentType: ContentType? = nil, etag: ResponseTag? = nil,
        location: String? = nil, fields: [ResponseField] = [], body: [UInt8] = [],
        closes: Bool = false
    ) {
        self.status = status
        self.contentType = contentType
        self.etag = etag
        self.location = location
        self.fields = fields
        self.body = body
        self.closes = closes
    }

    /// The value of the first field with this name, nil if there is none. For tests.
    package func value(of name: String) -> String? {
        fields.first { $0.name.text == name }?.value
    }
}

/// A strong entity tag. Where it ends with a number, that is kept apart, so that no text has to be
/// made for an answer.
package struct ResponseTag: Equatable, Sendable, ExpressibleByStringLiteral {
    private let text: String
    private let number: UInt64?

    /// `text-number`, or the text alone; without quotes.
    package init(_ text: String, _ number: UInt64? = nil) {
        self.text = text
        self.number = number
    }

    package init(stringLiteral text: String) { self.init(text) }

    /// What stands between the quotes, to be compared with what a client sends.
    package var opaque: String { number.map { "\(text)-\($0)" } ?? text }

    func append(to out: inout [UInt8]) {
        out.append(cleaning: text)
        guard let number else { return }
        out.append(0x2D)
        out.append(decimal: Int(clamping: number))
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
    package static let cacheControl: Self = "Cache-Control"
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
