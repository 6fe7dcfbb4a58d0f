internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
public import Sessions

/// How far a command for many sessions has been carried out.
///
/// Every request has room for it and few need it, so it is an object. It does not change.
public final class CommandProgress: Sendable {
    let done: CommandRows

    init(_ done: CommandRows) { self.done = done }

    /// The memory in bytes, besides what all requests have.
    public var heldBytes: Int { done.heldBytes }

    /// The same progress after the decision on which changes of the last portion are kept.
    public func settling(_ decision: TicketDecision) -> CommandProgress {
        var done = done
        done.settle(decision)
        return CommandProgress(done)
    }
}

/// A command for many sessions, and its results so far.
struct CommandRows: Sendable {
    let request: ChangeRequest
    let wanted: CommandForMany
    /// The id of the request, which the problems in the rows show.
    let requestID: RequestID?
    /// The matching sessions, in the order of their ids; more are added while they are being
    /// searched.
    private(set) var ids: [SessionID]
    /// The id after which to search for more sessions, or nil if all have been found.
    private(set) var cursor: SessionID?
    private(set) var isChosen: Bool
    /// The number of sessions that the command has been carried out on.
    private(set) var doneCount = 0
    private(set) var rows: [CommandRow] = []
    /// The indices of rows whose change has to be retried, in ascending order.
    private var retried: [Int] = []
    /// How many changes of each session have failed because somebody else changed it first.
    private var conflicts: [SessionID: Int] = [:]
    private(set) var heldBytes = 0

    init(_ request: ChangeRequest, _ wanted: CommandForMany, requestID: RequestID?) {
        self.request = request
        self.wanted = wanted
        self.requestID = requestID
        ids = wanted.sessions ?? []
        isChosen = wanted.sessions != nil
    }

    /// The next session, or nil if all are done.
    var next: SessionID? {
        if let index = retried.last { return rows[index].id }
        return doneCount < ids.count ? ids[doneCount] : nil
    }

    /// Adds matching sessions.
    ///
    /// - Parameter cursor: the id after which others may follow, or nil if none do.
    mutating func add(_ found: [SessionID], cursor: SessionID?) {
        ids += found
        self.cursor = cursor
        isChosen = cursor == nil
        heldBytes += found.reduce(0) { $0 + Self.rowBytes + $1.rawValue.utf8.count }
    }

    /// Notes that the command was refused on the next session.
    mutating func refuse(_ id: SessionID, _ problem: Problem) { finish(row(id, problem)) }

    private func row(_ id: SessionID, _ problem: Problem) -> CommandRow {
        CommandRow(id, problem, of: wanted.action.name, requestID: requestID)
    }

    /// Notes that the next session is done.
    ///
    /// - Parameter row: its result, or nil if the session does not match.
    mutating func finish(_ row: CommandRow?) {
        if let index = retried.popLast() { return replace(index, by: row) }
        doneCount += 1
        guard let row else { return }
        rows.append(row)
        heldBytes += Self.rowBytes + row.text.count
    }

    private mutating func replace(_ index: Int, by row: CommandRow?) {
        heldBytes -= rows[index].text.count
        if let row {
            rows[index] = row
            heldBytes += row.text.count
        } else {
            rows.remove(at: index)
            heldBytes -= Self.rowBytes
        }
    }

    /// The sessions whose streams are to receive a signal.
    var sessionsToSignal: [SessionID] { rows.filter(\.isDelivery).map(\.id) }

    /// Notes the number of streams of each of these sessions that received it.
    mutating func note(delivered counts: [Int]) {
        var counts = counts[...]
        for index in rows.indices where rows[index].isDelivery {
            guard let count = counts.popFirst() else { return }
            rows[index] = CommandRow(rows[index].id, delivered: count)
        }
    }

    /// The memory of a row or an id besides its text.
    private static let rowBytes = 64

    /// A session is given up after more conflicts than this.
    private static let conflictsMax = 8

    /// Handles the changes that are not kept: their rows say why, or they are retried.
    mutating func settle(_ decision: TicketDecision) {
        guard !decision.isKept else { return }
        for index in rows.indices {
            let id = rows[index].id
            switch decision[rows[index].ticket] {
            case .kept: break
            case .conflict:
                conflicts[id, default: 0] += 1
                if conflicts[id, default: 0] > Self.conflictsMax {
                    replace(index, by: row(id, .tooManyConflicts))
                } else {
                    retried.append(index)
                }
            case .refused(let error):
                if let problem = Problem(error) { replace(index, by: row(id, problem)) }
            case .unknown: replace(index, by: row(id, .unknownOutcome))
            }
        }
    }
}

/// The result of a command for many sessions on one of them, as JSON.
struct CommandRow: Sendable {
    let id: SessionID
    let text: [UInt8]
    /// The change that must be kept before the row is shown.
    let ticket: Ticket
    /// Whether the row has the number of streams that received a signal.
    private(set) var isDelivery = false

    /// The command was carried out.
    ///
    /// - Parameters:
    ///   - reason: why it changed nothing, or nil if it did.
    ///   - held: the guard that holds it back, if one does.
    init(
        _ id: SessionID, revision: Int, reason: NoChange? = nil, held: GuardName?,
        _ ticket: Ticket
    ) {
        (self.id, self.ticket) = (id, ticket)
        var row = Self.beginning(id)
        row.member("changed", reason == nil)
        if let reason { row.member("reason", plain: reason.rawValue) }
        if let held { row.member("held", plain: held.rawValue) }
        row.member("revision", revision)
        row.append(UInt8(ascii: "}"))
        text = row.finish()
    }

    /// A signal was sent to that many streams.
    init(_ id: SessionID, delivered: Int) {
        (self.id, ticket, isDelivery) = (id, .none, true)
        var row = Self.beginning(id)
        row.member("delivered", delivered)
        row.append(UInt8(ascii: "}"))
        text = row.finish()
    }

    /// The command was refused.
    fileprivate init(
        _ id: SessionID, _ problem: Problem, of command: String, requestID: RequestID?
    ) {
        // A problem in a row does not include a session.
        (self.id, ticket) = (id, .none)
        var row = Self.beginning(id)
        let instance = "/v1/sessions/\(id)/\(command)"
        let object = problem.pointing(below: "/command").object(
            instance: instance, id: requestID)
        row.member("problem", .object(object))
        row.append(UInt8(ascii: "}"))
        text = row.finish()
    }

    private static func beginning(_ id: SessionID) -> ByteWriter {
        var row = ByteWriter(capacity: ByteWriter.smallAllocationCapacity)
        row.object("session")
        row.append(string: id.rawValue)
        return row
    }
}

extension Problem {
    /// The same problem with pointers from the root of a body that has the command as a member.
    fileprivate func pointing(below pointer: String) -> Problem {
        guard case .array(let errors)? = members["errors"] else { return self }
        var problem = self
        problem.members["errors"] = .array(
            errors.map { error in
                guard case .object(var object) = error, case .string(let own)? = object["pointer"]
                else { return error }
                object["pointer"] = .string(pointer + own)
                return .object(object)
            })
        return problem
    }
}
