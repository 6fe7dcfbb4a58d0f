internal import Bytes

/// The media types of responses.
package enum ContentType: UInt8, CaseIterable, Sendable {
    case json, problemJSON, ndjson, eventStream, yaml, html, javaScript, css, text, prometheus
    case octetStream, svg

    /// The value of `Content-Type`.
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
        case .octetStream: "application/octet-stream"
        case .svg: "image/svg+xml"
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
