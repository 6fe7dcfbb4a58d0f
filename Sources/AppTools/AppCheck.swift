internal import Bytes
internal import JSON
public import Navigation

/// The check that a server makes of a document, as findings with their places.
public struct AppCheck: Sendable {
    /// Errors first, then warnings, each in the order of the text.
    public let findings: [AppFinding]

    /// The code of an error that a server refuses the document for.
    private static let invalidValue = "invalid-value"

    /// - Parameter report: what the server says of the document.
    public init(_ document: AppDocument, _ report: AppReport) {
        let errors = report.errors.map {
            document.finding(.error, at: $0.pointer, code: Self.invalidValue, $0.detail)
        }
        let warnings = report.warnings.map { fault in
            // A server stores such an app, because sessions with such apps exist.
            document.finding(
                fault.code == .undeclaredRoot ? .error : .warning, at: fault.pointer,
                code: fault.code?.rawValue ?? Self.invalidValue, fault.detail)
        }
        self.init(errors + warnings)
    }

    /// The findings about a text that cannot be read.
    public init(_ finding: AppFinding) { findings = [finding] }

    private init(_ findings: [AppFinding]) {
        self.findings = findings.sorted { left, right in
            guard left.severity == right.severity else { return left.severity == .error }
            return (left.place.line, left.place.column) < (right.place.line, right.place.column)
        }
    }

    /// The check with more findings.
    public func adding(_ more: [AppFinding]) -> AppCheck { AppCheck(findings + more) }

    /// Whether the document may not be used.
    ///
    /// - Parameter isStrict: whether warnings count. Those about icons never do, since every SF
    ///   Symbol has a name that is right on Apple's platforms.
    public func fails(isStrict: Bool) -> Bool {
        findings.contains { finding in
            finding.severity == .error
                || isStrict && finding.code != AppWarning.unknownIcon.rawValue
        }
    }
}
