internal import Cluster
internal import Storage

/// Ends the program with an exit code and a message for the user.
package struct ExitError: Error, Sendable {
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

/// The exit codes of the program; those of sysexits.h where it has a fitting one.
package enum ExitCode: Int32, CaseIterable, Sendable {
    case success = 0
    case unhealthy = 1
    case clientUsage = 2
    case usage = 64
    case unavailable = 69
    case internalError = 70
    case cannotCreate = 73
    case damaged = 74
    case locked = 75
    case configuration = 78

    /// A client command whose request the server has refused.
    static let refused = unhealthy

    /// The condition under which the program exits with this code, for help and the manual page.
    package var meaning: String {
        switch self {
        case .success: "success; after serve: a graceful shutdown, with every change on disk"
        case .unhealthy:
            "healthcheck: the server does not respond or is not ready; store status: a server cannot "
                + "be used, or a stream lacks a leader or a current replica or is configured "
                + "differently; client commands: the server refused the request; app explore and "
                + "app generate --check: there is a finding or a difference"
        case .clientUsage: "client commands: the command line is invalid"
        case .usage: "an option, an environment variable or the command line is invalid"
        case .unavailable:
            "an address cannot be listened on, or the servers of the shared store do not answer; "
                + "client commands: the server does not respond"
        case .internalError:
            "the disk failed while serving, or an internal error occurred"
        case .cannotCreate:
            "the data directory cannot be created or written, has a newer format, or is not empty "
                + "for a restore; the streams of a restore exist already; the process may open too "
                + "few files"
        case .damaged:
            "the store or a backup is damaged, or store check found a fault; --recover starts without "
                + "the damaged part"
        case .locked: "another server is using the data directory"
        case .configuration:
            "a token file or the document of an app is invalid, or the shared store is not as it "
                + "must be"
        }
    }
}
