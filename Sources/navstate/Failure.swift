internal import Storage

/// Why the program ends, for the one who started it.
struct Failure: Error {
    var code: ExitCode
    /// Says what is wrong and what to do.
    var message: String

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

/// The exit codes, as in sysexits.h.
enum ExitCode: Int32 {
    /// The command line is wrong.
    case usage = 64
    /// An address cannot be listened on.
    case unavailable = 69
    /// The disk failed while serving, or the program made a mistake.
    case diskFailed = 70
    static let internalError = ExitCode.diskFailed
    /// The data directory cannot be made or written.
    case cannotCreate = 73
    /// What is stored is damaged.
    case damaged = 74
    /// Another server has the data directory.
    case locked = 75
    /// An app file is wrong.
    case configuration = 78
}

enum Version {
    static let text = "0.1.0"
}
