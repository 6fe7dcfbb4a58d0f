// The known facts of commands for many sessions.
//
// Their sessions are changed by nothing else and never deleted, so a revision shows the number of
// the command that made it.

/// The rows that were shown of commands for many sessions.
struct ManyFacts {
    /// A command on one of its sessions.
    private struct Part: Hashable {
        var id: String
        var number: Int
    }

    private var revisions: [Part: Int] = [:]
    private var refused: Set<Part> = []
    /// The highest revision that was acknowledged, and when.
    private var floors: [String: (revision: Int, stamp: Int)] = [:]

    /// The label of the sessions.
    static let label = #""k":"many""#
    static let ids = ["u0", "u1", "u2"]

    /// Takes the rows of an answer.
    ///
    /// - Returns: what is wrong with them.
    mutating func take(_ body: [UInt8], number: Int, stamp: Int, of ids: Set<String>) -> [String] {
        var (faults, found) = ([String](), Set<String>())
        let text = String(decoding: body, as: UTF8.self)
        for row in text.split(separator: #"{"session":""#).dropFirst() {
            let id = String(row.prefix { $0 != "\"" })
            found.insert(id)
            let bytes = Array(row.utf8)
            if row.contains(#","changed":true"#),
                let revision = bytes.number(after: #""revision":"#)
            {
                floors[id] = (max(revision, floors[id]?.revision ?? 0), stamp)
                faults += take(revision, Part(id: id, number: number))
            } else if row.contains(#""status":507"#) {
                refused.insert(Part(id: id, number: number))
            } else if !row.contains(#""status":503"#) {
                faults.append("the row of \(id) is \(row)")
            }
        }
        let missing = ids.subtracting(found)
        if !missing.isEmpty { faults.append("no rows of \(missing.sorted())") }
        return faults
    }

    /// The command has happened to nobody.
    mutating func refuse(_ number: Int) {
        for id in Self.ids { refused.insert(Part(id: id, number: number)) }
    }

    private mutating func take(_ revision: Int, _ part: Part) -> [String] {
        defer { revisions[part] = revision }
        var faults: [String] = []
        if let known = revisions[part], known != revision {
            faults.append("\(part) has happened twice, as \(known) and \(revision)")
        }
        if refused.contains(part) { faults.append("\(part) has happened, though it was refused") }
        return faults
    }

    /// A state was shown.
    ///
    /// - Parameter asked: when it was asked for; nil if older states may be shown.
    /// - Returns: what is wrong with it.
    mutating func see(_ state: SeenState, of id: String, asked: Int?) -> [String] {
        guard Self.ids.contains(id) else { return [] }
        var faults: [String] = []
        if let number = state.many {
            faults += take(state.revision, Part(id: id, number: number))
        }
        for (part, revision) in revisions
        where part.id == id && revision == state.revision && part.number != state.many {
            faults.append("revision \(revision) is not that of \(part): \(state.text)")
        }
        if let asked, let floor = floors[id], floor.stamp < asked, floor.revision > state.revision {
            faults.append(
                "\(id) is at revision \(state.revision), \(floor.revision) was acknowledged")
        }
        return faults
    }
}
