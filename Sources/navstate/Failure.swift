internal import Storage

/// Why the program ends, for the one who started it.
package struct Failure: Error, Sendable {
    package var code: ExitCode
    /// Says what is wrong and what to do.
    package var message: String

    init(_ code: ExitCode, _ message: String) {
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
        case .success: "all is well: it was stopped in good order, and everything is on the disk"
        case .unhealthy: "healthcheck: the server is not there or not ready"
        case .usage: "an option, a variable or the command line is wrong"
        case .unavailable: "an address cannot be listened on"
        case .internalError:
            "the disk failed while serving, or the program did; nothing in doubt was acknowledged"
        case .cannotCreate:
            "the data directory cannot be made or written, is of a newer version, or is not empty "
                + "for a restore"
        case .damaged: "what is stored, or a backup, is damaged; --recover goes on without it"
        case .locked: "another server has the data directory"
        case .configuration: "an app's or a token's file is wrong"
        }
    }
}

package enum Version {
    package static let text = "0.1.0"
}
