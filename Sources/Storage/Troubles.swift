internal import Bytes
internal import POSIX

/// A problem of the store that is not the answer to any request.
package struct StoreTrouble: Equatable, Sendable {
    /// What kind of problem it is; a label of the metrics.
    package enum Kind: String, CaseIterable, Sendable {
        /// A file of the log is not what was written, or cannot be read.
        case damage
        /// Files could not be compacted.
        case compaction
        /// The next file or the manifest could not be made.
        case files
    }

    /// The kind of problem.
    package var kind: Kind
    /// The file, if it concerns one.
    package var path: String?
    /// What went wrong, for the log.
    package var text: String
}

/// The problems that the store's threads report, for the loop to log.
///
/// Damage is logged once per file, any other problem once per text; all of them are counted.
final class Troubles: Sendable {
    private struct State: Sendable {
        var told: Set<ExactString> = []
        var damaged: Set<ExactString> = []
        var waiting: [StoreTrouble] = []
        var counts = [Int](repeating: 0, count: StoreTrouble.Kind.allCases.count)
    }

    private let state = Lock(State())

    /// Beyond this many different problems, they are only counted.
    private static let toldMax = 10_000

    func report(_ kind: StoreTrouble.Kind, _ error: SystemError) {
        report(StoreTrouble(kind: kind, path: error.path, text: error.description))
    }

    func report(_ trouble: StoreTrouble) {
        state.withLock { state in
            if let index = StoreTrouble.Kind.allCases.firstIndex(of: trouble.kind) {
                state.counts[index] += 1
            }
            var key = trouble.kind.rawValue + " " + trouble.text
            if trouble.kind == .damage, let path = trouble.path {
                state.damaged.insert(ExactString(path))
                key = path
            }
            guard state.told.count < Self.toldMax,
                state.told.insert(ExactString(key)).inserted
            else { return }
            state.waiting.append(trouble)
        }
    }

    func take() -> [StoreTrouble] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    var counts: [(kind: StoreTrouble.Kind, count: Int)] {
        state.withLock { state in
            zip(StoreTrouble.Kind.allCases, state.counts).map { (kind: $0, count: $1) }
        }
    }

    /// Files in which damage was found.
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
