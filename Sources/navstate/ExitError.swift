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
}
