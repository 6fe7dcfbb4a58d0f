/// Changes of apps that another change was ahead of. They are told once the feed has brought the
/// other one: until then the request would be processed again in vain.
struct LateConflicts {
    private struct Waiting {
        let decided: ChangeWriter.Decided
        /// When to tell it even if the feed has not brought the other one.
        let deadline: Int64
    }

    private var waiting: [Waiting] = []

    private static let waitMilliseconds: Int64 = 2_000

    /// When to call `take`.
    var deadline: Int64 { waiting.reduce(.max) { min($0, $1.deadline) } }

    /// Adds a change.
    mutating func add(_ decided: ChangeWriter.Decided, at now: Int64) {
        waiting.append(Waiting(decided: decided, deadline: now + Self.waitMilliseconds))
    }

    /// The changes that can be told now.
    mutating func take(at now: Int64, _ replica: Replica) -> [ChangeWriter.Decided] {
        guard !waiting.isEmpty else { return [] }
        let told = waiting.filter { conflict in
            let change = conflict.decided.change
            return conflict.deadline <= now
                || replica.lastNumber(of: change.item) > change.write.expected
        }
        guard !told.isEmpty else { return [] }
        waiting.removeAll { conflict in
            told.contains { $0.decided.ticket == conflict.decided.ticket }
        }
        return told.map(\.decided)
    }
}
