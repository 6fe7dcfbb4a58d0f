internal import Cluster
internal import Storage

/// Ends the program with an exit code and a message for the user.
package struct ExitError: Error, Sendable {
    /// The exit code.
    package var code: ExitCode
    /// States the problem and, where possible, its solution.
    package var message: String

    package init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error of a store that could not be opened.
    init(_ error: StartError) {
        code = ExitCode(rawValue: error.exitCode) ?? .internalError
        message = error.description
    }

    /// The error of a shared store that could not be opened.
    init(_ error: StoreOpenError) {
        code = Self.code(error.kind)
        message = error.message
    }

    /// The error of a backup that could not be restored into a shared store.
    init(_ error: SharedRestoreError) {
        code = error.isOfBackup ? .damaged : error.kind.map(Self.code) ?? .cannotCreate
        message = error.description
    }

    private static func code(_ kind: StoreOpenError.Kind) -> ExitCode {
        switch kind {
        case .unavailable: .unavailable
        case .configuration: .configuration
        case .damaged: .damaged
        case .system: .internalError
        }
    }
}
