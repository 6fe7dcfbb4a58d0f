internal import Bytes
public import Navigation
internal import POSIX

/// Examines a store without changing it, for `navstate check` and `navstate dump`.
///
/// It shows the plan that a start would carry out. It takes no lock, so it can be used while a
/// server is running; what the server writes in the meantime then looks like a torn tail.
public struct Survey {
    private let segments: SegmentList
    private let tables: StateTables
    /// Damage that a start would refuse.
    public let damages: [String]
    /// The other actions of a start.
    public let notes: [String]
    /// Counts of what has been read.
    public private(set) var report: StartReport
    /// The lineage that the manifest has.
    public let lineage: String

    /// Reads everything and checks every line.
    public init(of path: String) throws(StartError) {
        let layout = Layout(root: path)
        self = try Self.settled {
            let before = try? FileDescriptor.contents(of: layout.manifest)
            let result = Result { () throws(StartError) in try Survey(layout) }
            let after = try? FileDescriptor.contents(of: layout.manifest)
            let faults =
                switch result {
                case .success(let survey): survey.damages
                case .failure(let error): ["\(error)"]
                }
            return (Sight(manifests: [before, after], faults: faults), result)
        }.get()
    }

    /// The manifest before and after an examination, and what looked wrong.
    struct Sight: Equatable {
        let manifests: [[UInt8]?]
        let faults: [ExactString]

        init(manifests: [[UInt8]?], faults: [String]) {
            self.manifests = manifests
            self.faults = faults.map { ExactString($0) }
        }
    }

    /// Examines again while a running server may be the reason for what looks wrong: it replaces
    /// files while they are read, and of a batch that it is writing, a later part can be seen
    /// before an earlier one. Damage looks the same a second time.
    static func settled<Value>(_ examine: () -> (sight: Sight, value: Value)) -> Value {
        var last: Sight?
        var tries = 0
        while true {
            tries += 1
            let (sight, value) = examine()
            let isSteady = sight == last && sight.manifests[0] == sight.manifests[1]
            if sight.faults.isEmpty || isSteady || tries == triesMax { return value }
            last = sight
        }
    }

    private static let triesMax = 10

    private init(_ layout: Layout) throws(StartError) {
        let hasLog = try StartError.catching(try Directory.status(layout.log)) != nil
        let files = hasLog ? try StartError.catching(try layout.files()) : [:]
        let read = try StoredManifest.read(layout, files, rebuilding: nil, now: 0)
        guard read.origin != .new else { throw .noStore(path: layout.root) }
        lineage = read.manifest.lineage
        var plan = try StartPlan(read.manifest, files, in: layout, recovers: false, keysMax: 0)
        damages = plan.faults
        notes = plan.steps.compactMap(\.note)
        report = plan.report
        segments = plan.builder.segments
        tables = plan.finish()
        report.sessions = tables.index.count
        report.apps = tables.documents.count
    }

    /// Calls `print` with the newest state of each live session, a line of JSON without its
    /// newline, in the order of the names. Where a state cannot be read, `complain` is called
    /// with the reason instead.
    public func dump(
        now: Milliseconds, _ print: ([UInt8]) -> Void, complain: (String) -> Void
    ) {
        tables.index.walk(from: [], exclusive: false) { handle in
            let entry = tables.index[handle]
            guard entry.expiresAt > now else { return true }
            let name = "session \(tables.index.id(handle)), record \(entry.sequence)"
            do throws(SystemError) {
                if let state = try state(entry.sequence) {
                    print(state)
                } else {
                    complain("\(name): missing")
                }
            } catch {
                complain("\(name): \(error)")
            }
            return true
        }
    }

    private func state(_ sequence: UInt64) throws(SystemError) -> [UInt8]? {
        guard let line = try segments.line(with: sequence),
            let header = RecordHeader(line, 0..<line.count)
        else { return nil }
        return Array(line[header.body.state.range])
    }
}

extension StartPlan.Step {
    /// The effect of a start on the file, unless that is the rule or a fault.
    fileprivate var note: String? {
        switch verdict {
        case .seal: return "\(path): open; a server is running or was killed"
        case .cut:
            let place = scan?.holes.first.map { " at byte \($0.offset)" } ?? ""
            return "\(path): incomplete tail\(place); there is no proof that it was acknowledged"
        case .setAside: return "\(path): not listed in the manifest"
        case .use, .drop, .salvage, .refuseNewer, .refuseMissing, .refuseEmptied,
            .refuseUnlisted, .refuseOther, .refuseDamaged:
            return nil
        }
    }
}
