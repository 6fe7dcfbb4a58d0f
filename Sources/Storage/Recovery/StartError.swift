internal import Bytes
public import POSIX
internal import Sessions

/// Why a store could not be opened, as a sentence for the operator that says what to do. Nothing
/// was changed.
public struct StartError: Error, Equatable, Sendable, CustomStringConvertible {
    /// `ioError` (EX_IOERR) for damage, `cannotCreate` for what cannot be made or used, `tryLater`
    /// if another server is running.
    public let exitCode: Int32
    public let description: String
    /// The system call that failed, if that is the reason.
    private var cause: SystemError?

    private init(_ exitCode: Int32, _ description: String, cause: SystemError? = nil) {
        (self.exitCode, self.description, self.cause) = (exitCode, description, cause)
    }

    private static let (cannotCreate, ioError, tryLater): (Int32, Int32, Int32) = (73, 74, 75)
}

// MARK: - The errors

extension StartError {
    /// Another server uses the directory; `pid` may be empty.
    static func locked(path: String, by pid: String) -> StartError {
        let process = pid.isEmpty ? "" : " (process \(pid))"
        return StartError(tryLater, "\(path): in use by another navstate\(process)")
    }

    static func notOurs(path: String, owner: UInt32) -> StartError {
        let own = Process.userIdentifier
        return StartError(
            cannotCreate, "\(path): owned by user \(owner), but this is user \(own)")
    }

    static func newerFormat(path: String, format: Int) -> StartError {
        StartError(
            cannotCreate,
            "\(path): format \(format) is newer than \(Manifest.format); use a newer navstate")
    }

    static func olderFormat(path: String) -> StartError {
        StartError(
            cannotCreate,
            "\(path): a store of version 0.1.0; start it once with version 0.2.0, which takes it "
                + "over")
    }

    static func missing(path: String) -> StartError {
        StartError(
            ioError, "\(path): listed in MANIFEST.json but missing; --recover starts without it")
    }

    static func damaged(_ faults: [String]) -> StartError {
        StartError(
            ioError,
            "acknowledged data is damaged: \(faults.joined(separator: "; ")); --recover sets the "
                + "damaged files aside and starts with what is intact")
    }

    static func damagedManifest(path: String) -> StartError {
        StartError(ioError, "\(path): damaged; --recover rebuilds it from the files in log/")
    }

    static func noManifest(path: String) -> StartError {
        StartError(
            ioError, "\(path): missing although log/ has files; --recover rebuilds it from them")
    }

    /// There is no store to examine.
    static func noStore(path: String) -> StartError {
        StartError(cannotCreate, "\(path): there is no store")
    }

    static func unfinishedRestore(path: String) -> StartError {
        StartError(
            ioError, "\(path): an interrupted restore; delete the directory and restore again")
    }

    /// A restore needs a directory without a store.
    static func notEmpty(path: String) -> StartError {
        StartError(cannotCreate, "\(path): not empty; restore into a new directory")
    }

    static func badBackup(line: Int, reason: String) -> StartError {
        // An empty backup lacks its first line.
        StartError(ioError, "line \(max(line, 1)) of the backup: \(reason)")
    }

    /// A backup cannot be read to its end.
    public static func unreadableBackup(_ error: SystemError) -> StartError {
        StartError(ioError, "the backup cannot be read: \(error.text)")
    }

    /// The data directory cannot be made or used.
    static func unusable(_ error: SystemError, path: String) -> StartError {
        let advice =
            error.number == SystemError.notFound ? "create the one above it first, or " : ""
        return StartError(
            cannotCreate,
            "cannot use the data directory \(path): \(error.text); \(advice)choose another one with "
                + "--data", cause: error)
    }

    /// A system call failed.
    public static func system(_ error: SystemError) -> StartError {
        StartError(cannotCreate, "cannot open the store: \(error.description)", cause: error)
    }

    /// Adds how much room a start needs, if it fails because the disk is full.
    ///
    /// - Parameter room: the maximum number of bytes that a start needs.
    static func naming<Value>(
        room: Int, _ body: () throws(StartError) -> Value
    ) throws(StartError) -> Value {
        do {
            return try body()
        } catch {
            guard let cause = error.cause, cause.isFull else { throw error }
            throw StartError(
                cannotCreate,
                "cannot open the store: \(cause); make room, up to \(room >> 20) MiB are needed")
        }
    }

    /// Turns a system error into an error of the start.
    @discardableResult
    static func catching<Value>(
        _ body: @autoclosure () throws(SystemError) -> Value
    ) throws(StartError) -> Value {
        do {
            return try body()
        } catch {
            throw .system(error)
        }
    }

    /// Turns an error in a backup into one of the restore.
    @discardableResult
    static func reading<Value>(
        _ body: @autoclosure () throws(BackupError) -> Value
    ) throws(StartError) -> Value {
        do {
            return try body()
        } catch {
            throw .badBackup(line: error.line, reason: error.reason)
        }
    }
}

extension Verdict {
    /// The faults of a file that this verdict refuses.
    func faults(of path: String, _ scan: Scan?) -> [String] {
        switch self {
        case .refuseEmptied: return ["\(path): empty, but it had records"]
        case .refuseUnlisted: return ["\(path): \(FileFacts.Origin.unlisted.text)"]
        case .refuseOther: return ["\(path): \(FileFacts.Origin.other.text)"]
        case .use, .seal, .cut, .drop, .setAside, .refuseNewer, .refuseMissing: return []
        case .salvage, .refuseDamaged: break
        }
        guard let scan, !scan.holes.isEmpty else {
            return ["\(path): \(scan?.damageText ?? "unreadable")"]
        }
        return scan.holes.map { hole in
            let end = max(hole.firstMissing, hole.nextValid.map { $0 - 1 } ?? hole.firstMissing)
            return "\(path) at byte \(hole.offset), records \(hole.firstMissing) to \(end)"
        }
    }
}

extension StartWalk.Gap {
    /// The missing records, as a fault of the file after them.
    var fault: String {
        let (first, last) = (records.lowerBound, records.upperBound)
        return "\(path): records \(first) to \(last), which belong before this file, are missing"
    }
}

/// The findings and actions of a start.
public struct StartReport: Equatable, Sendable {
    /// The number of files of the log.
    public var files = 0
    /// The number of their bytes.
    public var bytes = 0
    /// The number of their lines, including headers and seals.
    public var records = 0
    /// The number of live sessions.
    public var sessions = 0
    /// The number of apps.
    public var apps = 0
    /// The duration of the start.
    public var milliseconds = 0
    /// The parts that were cut, set aside or left out, as text.
    public var notes: [String] = []
}
