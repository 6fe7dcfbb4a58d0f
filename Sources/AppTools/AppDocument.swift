public import JSON

/// The document of an app with the text that it was read from.
public struct AppDocument: Sendable {
    /// The file as it was named, for messages.
    public let file: String
    /// The text.
    public let bytes: [UInt8]
    /// The value of the text.
    public let value: JSON

    /// The limits of a text, which are those of a server's default options.
    private static let limits = JSONLimits()

    /// Reads a text.
    ///
    /// - Throws: what is wrong with the text, as a finding with the code `syntax`.
    public init(_ bytes: [UInt8], file: String) throws(AppFinding) {
        do {
            value = try JSON(parsing: bytes, limits: Self.limits)
        } catch {
            throw AppFinding(
                file: file, place: TextPosition(of: error.offset, in: bytes), severity: .error,
                pointer: "", code: AppFinding.syntax, detail: error.reason.sentence)
        }
        (self.file, self.bytes) = (file, bytes)
    }

    /// The place of the value at a pointer, or of the innermost value around it.
    public func place(of pointer: String) -> TextPosition {
        TextPosition(of: JSONPointer(pointer) ?? JSONPointer(), in: bytes, limits: Self.limits)
    }

    /// A finding about the value at a pointer.
    public func finding(
        _ severity: AppFinding.Severity, at pointer: String, code: String, _ detail: String
    ) -> AppFinding {
        AppFinding(
            file: file, place: place(of: pointer), severity: severity, pointer: pointer,
            code: code, detail: detail)
    }
}
