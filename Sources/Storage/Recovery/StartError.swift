internal import Bytes
package import POSIX
internal import Sessions

/// Why a store could not be opened. Nothing was changed.
package enum StartError: Error, Equatable, Sendable, CustomStringConvertible {
    case locked(path: String, by: String)
    case notOurs(path: String, owner: UInt32)
    case newerFormat(path: String, format: Int)
    case missing(path: String)
    case damaged([Damage])
    case damagedManifest(path: String)
    case noManifest(path: String)
    /// There is no store to examine.
    case noStore(path: String)
    /// A restore into the directory was interrupted.
    case unfinishedRestore(path: String)
    /// A restore needs a directory without a store.
    case notEmpty(path: String)
    case badBackup(line: Int, reason: String)
    /// The data directory cannot be made or used.
    case unusable(SystemError, path: String)
    /// The disk is full; with the maximum number of bytes that a start needs.
    case noRoom(SystemError, bytes: Int)
    case system(SystemError)

    /// Acknowledged data that differs from what was written.
    package struct Damage: Equatable, Sendable, CustomStringConvertible {
        /// The file.
        package var path: String
        /// The number of bytes before the damage, or nil if the file as a whole is wrong.
        package var offset: Int?
        /// Numbers of the records that are lost, as far as that is known.
        package var sequences: ClosedRange<UInt64>?
        /// What is wrong with the file, if it is wrong as a whole.
        package var reason: String?

        package var description: String {
            if let reason { return "\(path): \(reason)" }
            let place = offset.map { " at byte \($0)" } ?? ""
            let lost = sequences.map { ", records \($0.lowerBound) to \($0.upperBound)" } ?? ""
            return "\(path)\(place)\(lost)"
        }
    }

    /// 74 (EX_IOERR) for damage, 73 for what cannot be created, 75 if another server is running.
    package var exitCode: Int32 {
        switch self {
        case .damaged, .damagedManifest, .noManifest, .missing, .badBackup, .unfinishedRestore: 74
        case .locked: 75
        case .notOurs, .newerFormat, .noStore, .notEmpty, .noRoom, .unusable, .system: 73
        }
    }

    package var description: String {
        switch self {
        case .locked(let path, let pid):
            "\(path): in use by another navstate" + (pid.isEmpty ? "" : " (process \(pid))")
        case .notOurs(let path, let owner):
            "\(path): owned by user \(owner), but this is user \(Process.userIdentifier)"
        case .newerFormat(let path, let format):
            "\(path): format \(format) is newer than \(Manifest.format); use a newer navstate"
        case .missing(let path):
            "\(path): listed in MANIFEST.json but missing; --recover starts without it"
        case .damaged(let places):
            "acknowledged data is damaged: " + places.map(\.description).joined(separator: "; ")
                + "; --recover sets the damaged files aside and starts with what is intact"
        case .damagedManifest(let path):
            "\(path): damaged; --recover rebuilds it from the files in log/"
        case .noManifest(let path):
            "\(path): missing although log/ has files; --recover rebuilds it from them"
        case .noStore(let path): "\(path): there is no store"
        case .unfinishedRestore(let path):
            "\(path): an interrupted restore; delete the directory and restore again"
        case .notEmpty(let path): "\(path): not empty; restore into a new directory"
        case .badBackup(let line, let reason): "line \(line) of the backup: \(reason)"
        case .noRoom(let error, let bytes):
            "cannot open the store: \(error); make room, up to \(bytes >> 20) MiB are needed"
        case .unusable(let error, let path):
            "cannot use the data directory \(path): \(error.text); choose another one with --data"
        case .system(let error): "cannot open the store: \(error.description)"
        }
    }
}

extension StartError.Damage {
    init(_ gap: StartWalk.Gap) {
        let (first, last) = (gap.records.lowerBound, gap.records.upperBound)
        self.init(
            path: gap.path, sequences: gap.records,
            reason: "records \(first) to \(last), which belong before this file, are missing")
    }

    /// What is wrong with a file that a verdict refuses.
    static func all(in path: String, _ verdict: Verdict, _ scan: Scan?) -> [Self] {
        switch verdict {
        case .refuseEmptied: return [Self(path: path, reason: "empty, but it had records")]
        case .refuseUnlisted:
            return [Self(path: path, reason: FileFacts.Origin.unlisted.text)]
        case .refuseOther: return [Self(path: path, reason: FileFacts.Origin.other.text)]
        case .use, .seal, .cut, .drop, .setAside, .salvage, .refuseNewer, .refuseMissing,
            .refuseDamaged:
            break
        }
        guard let scan, !scan.holes.isEmpty else {
            return [Self(path: path, reason: scan?.damageText ?? "unreadable")]
        }
        return scan.holes.map { hole in
            let end = hole.nextValid.map { $0 - 1 } ?? hole.firstMissing
            return Self(
                path: path, offset: hole.offset,
                sequences: hole.firstMissing...max(hole.firstMissing, end))
        }
    }
}

extension StartError {
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

    /// Adds how much room a start needs, if it fails because the disk is full.
    ///
    /// - Parameter room: the maximum number of bytes that a start needs.
    static func naming<Value>(
        room: Int, _ body: () throws(StartError) -> Value
    ) throws(StartError) -> Value {
        do {
            return try body()
        } catch .system(let error) where error.isFull {
            throw .noRoom(error, bytes: room)
        }
    }
}

/// What a start found and did.
package struct StartReport: Equatable, Sendable {
    /// The number of files of the log.
    package var files = 0
    /// The number of their bytes.
    package var bytes = 0
    /// The number of their lines, including headers and seals.
    package var records = 0
    /// The number of live sessions.
    package var sessions = 0
    /// The number of apps.
    package var apps = 0
    /// The duration of the start.
    package var milliseconds = 0
    /// What was cut, set aside or left out, as text.
    package var notes: [String] = []
}
