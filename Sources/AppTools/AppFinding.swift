internal import Bytes
public import JSON

/// Something that is wrong with the document of an app, or probably a mistake, and where.
public struct AppFinding: Error, Equatable, Sendable {
    /// How much it matters.
    public enum Severity: String, Sendable {
        case error, warning
    }

    /// The code of a text that is no JSON.
    public static let syntax = "syntax"

    /// The file as it was named.
    public var file: String
    public var place: TextPosition
    public var severity: Severity
    /// A JSON pointer into the document.
    public var pointer: String
    /// A name for findings of this kind, which does not change.
    public var code: String
    /// The rest of a sentence that begins with the pointer.
    public var detail: String

    public init(
        file: String, place: TextPosition, severity: Severity, pointer: String, code: String,
        detail: String
    ) {
        self.file = file
        self.place = place
        self.severity = severity
        self.pointer = pointer
        self.code = code
        self.detail = detail
    }

    /// The finding as compilers write theirs, so that editors find the place.
    public var line: String {
        // Most details go on with a verb.
        let colon = detail.hasPrefix("\"") ? ":" : ""
        let subject =
            !pointer.isEmpty ? "\(pointer)\(colon) " : code == Self.syntax ? "" : "the app "
        return "\(file):\(place.line):\(place.column): \(severity.rawValue): \(subject)\(detail)"
    }

    /// The finding with all its members.
    public var json: JSON {
        .object([
            "file": .string(file), "line": .integer(Int64(place.line)),
            "column": .integer(Int64(place.column)), "severity": .string(severity.rawValue),
            "pointer": .string(pointer), "code": .string(code), "detail": .string(detail),
        ])
    }
}
