internal import Storage

/// Why the program ends, for the one who started it.
package struct ExitError: Error, Sendable {
    package var code: ExitCode
    /// Says what is wrong and what to do.
    package var message: String

    package init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Why the store did not open.
    init(_ error: StartError) {
        code = ExitCode(rawValue: error.exitCode) ?? .internalError
        message = error.description
    }
}

/// The exit codes, as in sysexits.h where it has one.
package enum ExitCode: Int32, CaseIterable, Sendable {
    case success = 0
    case unhealthy = 1
    case usage = 64
    case unavailable = 69
    case internalError = 70
    case cannotCreate = 73
    case damaged = 74
    case locked = 75
    case configuration = 78

    /// When the program ends with it.
    package var meaning: String {
        switch self {
        case .success: "success; after serve: a graceful shutdown, with every change on disk"
        case .unhealthy: "healthcheck: the server does not respond or is not ready"
        case .usage: "an option, an environment variable or the command line is invalid"
        case .unavailable: "an address cannot be listened on"
        case .internalError:
            "the disk failed while serving, or an internal error occurred"
        case .cannotCreate:
            "the data directory cannot be created or written, has a newer format, or is not empty "
                + "for a restore"
        case .damaged: "the store or a backup is damaged; --recover starts without the damaged part"
        case .locked: "another server is using the data directory"
        case .configuration: "a token file or an app definition is invalid"
        }
    }
}

package enum Version {
    package static let text = "0.1.0"
}
