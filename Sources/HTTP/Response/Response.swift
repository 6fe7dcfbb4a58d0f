internal import Bytes

/// A response as a value. `ResponseEncoder` turns it into bytes.
public struct Response: Sendable {
    // The small properties come first: a `Response`, and what contains one, is copied in registers
    // only as long as it is small, and otherwise by calls of `memcpy`.

    /// The status.
    public var status: Status
    /// The type of the body; it is not sent without a body.
    public var contentType: ContentType?
    /// The value of `Cache-Control`, or nil to leave the field out.
    public var caching: Caching?
    /// Whether the connection closes after this response even if the client wants to keep it.
    public var closes: Bool
    /// The entity tag.
    public var etag: ResponseTag?
    /// The value of `Location`.
    public var location: String?
    /// The other fields in the order in which they are sent, without `Date`, `Cache-Control`,
    /// `X-Request-Id`, `Content-Length`, `Transfer-Encoding` and `Connection`.
    public var fields: [ResponseField]
    /// The body, not encoded.
    public var body: [UInt8]
}

extension Response {
    /// A response, by default without fields and body.
    public init(
        _ status: Status, contentType: ContentType? = nil, etag: ResponseTag? = nil,
        location: String? = nil, caching: Caching? = nil, fields: [ResponseField] = [],
        body: [UInt8] = [], closes: Bool = false
    ) {
        self.init(
            status: status, contentType: contentType, caching: caching, closes: closes,
            etag: etag, location: location, fields: fields, body: body)
    }

    /// Whether the body is sent after the head.
    public func showsBody(to exchange: Exchange) -> Bool { status.allowsBody && !exchange.isHead }
}

/// One field of a response. The name is a literal; the value may contain any text.
public struct ResponseField: Sendable, Equatable {
    /// The name.
    public let name: ResponseFieldName
    /// The value; control characters are written as spaces.
    public let value: String

    public init(_ name: ResponseFieldName, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// The name of a response field as it is sent. It is made from a literal and never contains input.
public struct ResponseFieldName: ExpressibleByStringLiteral, Equatable, Sendable {
    /// The name as text.
    public let text: String

    public init(stringLiteral text: String) {
        precondition(
            !text.isEmpty && text.utf8.allSatisfy(ASCII.isToken), "a field name is a token")
        self.text = text
    }

    /// `Allow`
    public static let allow: Self = "Allow"
    /// `Link`
    public static let link: Self = "Link"
    /// `Preference-Applied`
    public static let preferenceApplied: Self = "Preference-Applied"
    /// `Retry-After`
    public static let retryAfter: Self = "Retry-After"
    /// `WWW-Authenticate`
    public static let wwwAuthenticate: Self = "WWW-Authenticate"
    /// `Vary`
    public static let vary: Self = "Vary"
}

/// A strong entity tag. A number at its end is stored separately, so that the tag of a response
/// needs no text of its own.
public struct ResponseTag: Equatable, Sendable, ExpressibleByStringLiteral {
    /// The field line up to the number: `ETag: "` and the text without control bytes.
    let start: [UInt8]
    let number: UInt64?

    private static let fieldStart = "ETag: \""

    /// A tag without a number.
    ///
    /// - Parameter text: the opaque text without quotes.
    public init(_ text: String) {
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

    public init(stringLiteral text: String) { self.init(text) }

    /// The tag `text-number`, if this one is `text`.
    public func numbered(_ number: UInt64) -> ResponseTag {
        ResponseTag(start: start, number: number)
    }

    /// The tag `text-first-second`, if this one is `text`.
    public func numbered(_ first: UInt64, _ second: UInt64) -> ResponseTag {
        var text = ByteWriter(capacity: start.count + 21)
        text.append(start)
        text.append(ASCII.hyphen)
        text.append(UInt(first))
        return ResponseTag(start: text.finish(), number: second)
    }

    /// The text between the quotes, for comparison with the tags of a request.
    public var opaque: String {
        String(decoding: start.dropFirst(Self.fieldStart.utf8.count), as: UTF8.self)
            + (number.map { "-\($0)" } ?? "")
    }
}

/// The media types of responses.
public enum ContentType: UInt8, CaseIterable, Sendable {
    case json, problemJSON, ndjson, eventStream, yaml, html, javaScript, css, text, prometheus
    case octetStream, svg, schemaJSON, wasm

    /// The value of `Content-Type`.
    public var value: String {
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
        case .octetStream: "application/octet-stream"
        case .svg: "image/svg+xml"
        case .schemaJSON: "application/schema+json"
        case .wasm: "application/wasm"
        }
    }

    /// The type without parameters.
    var essence: String { String(value.unicodeScalars.prefix { $0 != ";" }) }
}

extension ContentType {
    /// The complete field line.
    var line: [UInt8] { Self.lines[Int(rawValue)] }

    private static let lines = allCases.map { Array("Content-Type: \($0.value)\r\n".utf8) }
}

/// The permission of a cache to store a response (RFC 9111 §5.2.2).
public enum Caching: UInt8, CaseIterable, Sendable {
    /// `no-cache`: store it, and revalidate it before each use.
    case askAgain
    /// `no-store`: do not store it.
    case never

    /// The value of `Cache-Control`.
    public var value: String {
        switch self {
        case .askAgain: "no-cache"
        case .never: "no-store"
        }
    }
}

extension Caching {
    /// The complete field line.
    var line: [UInt8] { Self.lines[Int(rawValue)] }

    private static let lines = allCases.map { Array("Cache-Control: \($0.value)\r\n".utf8) }
}

/// The few facts about a request on which its response depends, which can be kept without it.
public struct Exchange: Equatable, Sendable {
    /// Whether the method is `HEAD`.
    public var isHead: Bool
    /// The minor version of HTTP/1, 0 or 1.
    public var minorVersion: Int
    /// Whether the client wants to send another request on the connection.
    public var keepsAlive: Bool

    public init(isHead: Bool, minorVersion: Int, keepsAlive: Bool) {
        self.isHead = isHead
        self.minorVersion = minorVersion
        self.keepsAlive = keepsAlive
    }

    /// For the response to a malformed request.
    public static func refusal(isHead: Bool) -> Exchange {
        Exchange(isHead: isHead, minorVersion: 1, keepsAlive: false)
    }

    /// Whether the connection stays open after a response.
    public func persists(after response: Response) -> Bool { keepsAlive && !response.closes }
}
