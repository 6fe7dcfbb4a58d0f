package import JSON

/// The document of an app with the text that it was read from.
package struct AppDocument: Sendable {
    /// The file as it was named, for messages.
    package let file: String
    /// The text.
    package let bytes: [UInt8]
    /// The value of the text.
    package let value: JSON

    /// The limits of a text, which are those of a server's default options.
    private static let limits = JSONLimits()

    /// Reads a text.
    ///
    /// - Throws: what is wrong with the text, as a finding with the code `syntax`.
    package init(_ bytes: [UInt8], file: String) throws(AppFinding) {
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
    package func place(of pointer: String) -> TextPosition {
        TextPosition(of: JSONPointer(pointer) ?? JSONPointer(), in: bytes, limits: Self.limits)
    }

    /// A finding about the value at a pointer.
    package func finding(
        _ severity: AppFinding.Severity, at pointer: String, code: String, _ detail: String
    ) -> AppFinding {
        AppFinding(
            file: file, place: place(of: pointer), severity: severity, pointer: pointer,
            code: code, detail: detail)
    }
}
