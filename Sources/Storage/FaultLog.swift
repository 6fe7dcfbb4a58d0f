internal import Bytes
internal import POSIX
internal import Sessions

/// The faults that the store's threads report and that answer no request, for the loop to log.
///
/// Damage is logged once per file, any other fault once per text; all of them are counted.
final class FaultLog: Sendable {
    /// The kind of a fault; a label of the metrics.
    enum Kind: String, CaseIterable, Sendable {
        /// A file of the log is not what was written, or cannot be read.
        case damage
        /// Files could not be compacted.
        case compaction
        /// The next file or the manifest could not be made.
        case files

        /// The fault as a sentence for the log.
        var message: String {
            switch self {
            case .damage:
                "a file of the log is damaged; sessions in it may be unreadable, and no backup "
                    + "can be made"
            case .compaction: "compaction failed; the log takes more space than it needs"
            case .files: "a file of the log could not be made or removed"
            }
        }
    }

    private struct State: Sendable {
        var reported: Set<ExactString> = []
        var damaged: Set<ExactString> = []
        var waiting: [StoreReport] = []
        var counts = [Int](repeating: 0, count: Kind.allCases.count)
    }

    private let state = Lock(State())

    /// Beyond this many different faults, they are only counted.
    private static let reportedMax = 10_000

    func report(_ kind: Kind, _ error: SystemError) {
        report(kind, error.description, in: error.path)
    }

    /// - Parameter path: the file, if the fault concerns one.
    func report(_ kind: Kind, _ text: String, in path: String?) {
        state.withLock { state in
            if let index = Kind.allCases.firstIndex(of: kind) { state.counts[index] += 1 }
            var key = kind.rawValue + " " + text
            if kind == .damage, let path {
                state.damaged.insert(ExactString(path))
                key = path
            }
            guard state.reported.count < Self.reportedMax,
                state.reported.insert(ExactString(key)).inserted
            else { return }
            state.waiting.append(StoreReport(kind.message, error: text, file: path))
        }
    }

    /// The faults since the last call.
    func takeReports() -> [StoreReport] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// How often each kind has occurred.
    var counts: [(kind: Kind, count: Int)] {
        state.withLock { state in
            zip(Kind.allCases, state.counts).map { (kind: $0, count: $1) }
        }
    }

    /// The number of files in which damage was found.
    var damagedFiles: Int { state.withLock { $0.damaged.count } }
}

extension SystemError {
    /// A line's checksum or place is wrong.
    static func damage(_ path: String) -> SystemError {
        SystemError("checksum", number: ioError, path: path)
    }

    /// The file contains something other than what was written, or its disk cannot read it.
    var isDamage: Bool { call == "checksum" || call == "pread" }
}
