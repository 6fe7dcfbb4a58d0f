internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// The effect of an app on its sessions: which of them will be reconciled, and
/// what they lose by it. Sessions are counted by pages, and nothing is stored.
struct ImpactOperations {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    /// The parameters that choose a page.
    static let parameters = ["limit", "cursor"]
    /// The sessions on a page.
    static let sessionsMax = 1000

    /// A page: its size, and the session after which it begins.
    struct Page {
        var limit = ImpactOperations.sessionsMax
        var after: SessionID?

        init(_ query: Query) throws(OperationError) {
            let sizes = 1...ImpactOperations.sessionsMax
            limit = try query.integer("limit", in: sizes) ?? ImpactOperations.sessionsMax
            guard let cursor = query.value("cursor") else { return }
            after = SessionID(cursor)
            guard after != nil else {
                throw .problem(
                    .invalidQuery("cursor", "must be the next value of the previous page"))
            }
        }
    }

    /// Counts the changes that the app as it is stored still has to make.
    func read() throws(OperationError) -> Reply {
        let page = try Page(Query(context, allowed: Self.parameters))
        try context.checkAccept()
        let loaded = try context.loadedApp()
        var (object, visibleAfter) = try impact(
            of: try loaded.usable(), storedAs: loaded.stored.sequence, on: page)
        visibleAfter.insert(loaded.stored.version.ticket)
        return Reply(object, visibleAfter: visibleAfter)
    }

    /// Counts the changes of the sessions of a page.
    ///
    /// - Parameter sequence: the number of its stored document, or nil if it is not stored.
    func impact(
        of app: App, storedAs sequence: SequenceNumber?, on page: Page
    ) throws(OperationError) -> (object: JSONObject, visibleAfter: Tickets) {
        let found = try stored { () throws(StoreError) in
            try context.store.reading.walk(
                after: page.after, filter: SessionFilter(app: app.id), limit: page.limit,
                now: context.now)
        }
        context.work.renew()
        let affordable = context.affordable(found)
        let records = try records(of: affordable)
        var impact = Impact()
        var visibleAfter = Tickets.none
        var next = affordable.next
        // Together, the sessions take the work of one request; each may take that of a request of
        // its own, as when it is reconciled.
        var unitsLeft = WorkBudget.unitsMax
        for (handle, record) in zip(affordable.handles, records) {
            guard unitsLeft > 0 else {
                next = impact.last
                break
            }
            let work = WorkBudget()
            let id = context.store.reading.summary(handle).id
            impact.count(id, outcome(of: record, app, storedAs: sequence, work: work))
            if let record {
                visibleAfter.insert(record.version.ticket)
                unitsLeft -= Work.parsing(bytes: record.record.state.count).units
            }
            unitsLeft -= work.unitsSpent
        }
        return (impact.object(next: next), visibleAfter)
    }

    /// The newest records of the sessions; nil for one that is damaged.
    private func records(of page: SessionPage) throws(OperationError) -> [StoredRecord?] {
        var (records, missing): ([StoredRecord?], [LoadRequest]) = ([], [])
        for handle in page.handles {
            do throws(StoreError) {
                records.append(try context.store.reading.newest(handle))
            } catch {
                switch error {
                case .notInMemory(let requests): missing += requests
                case .damaged: records.append(nil)
                case .full, .noFile, .starting, .busy, .unavailable, .misconfigured, .tooLarge:
                    throw OperationError(error)
                }
            }
        }
        guard missing.isEmpty else { throw .load(missing) }
        return records
    }

    /// The screens that a reconciliation removes and moves. Nil if the session is not
    /// reconciled, because it fits, or because that cannot be done.
    private func outcome(
        of stored: StoredRecord?, _ app: App, storedAs sequence: SequenceNumber?,
        work: WorkBudget
    ) -> Losses? {
        guard let stored else { return nil }
        let fitsBefore = EventText.isUpdate(stored.record.event) ? 0 : stored.appSequence
        if let sequence, sequence <= fitsBefore { return nil }
        guard let session = try? context.session(stored) else { return nil }
        var editor = SessionEditor(
            session, rules: Rules(app: app, limits: context.limits, work: work))
        return (try? editor.reconcile(at: context.now))?.losses
    }
}

/// Sums over the sessions of a page.
private struct Impact {
    private var sessions = 0
    private var affected = 0
    private var moved = 0
    private var losing = 0
    private var moves: [Row: Count] = [:]
    private var drops: [Row: Count] = [:]
    /// The last session that was counted.
    private(set) var last: SessionID?

    /// A route with the route that replaces it, or with the reason why its screens are dropped.
    private struct Row: Hashable, Comparable {
        let route: RouteName
        let outcome: ExactString

        static func < (a: Row, b: Row) -> Bool {
            a.route == b.route ? a.outcome.text < b.outcome.text : a.route < b.route
        }
    }

    private struct Count {
        var sessions = 0
        var screens = 0
    }

    /// - Parameter losses: nil if the session is not reconciled.
    mutating func count(_ id: SessionID, _ losses: Losses?) {
        sessions += 1
        last = id
        guard let losses else { return }
        affected += 1
        if !losses.moved.isEmpty { moved += 1 }
        if !losses.entries.isEmpty { losing += 1 }
        Self.add(
            losses.moved.map { Row(route: $0.from, outcome: ExactString($0.route.rawValue)) },
            to: &moves)
        Self.add(
            losses.entries.map { Row(route: $0.route, outcome: ExactString($0.why.rawValue)) },
            to: &drops)
    }

    private static func add(_ screens: [Row], to counts: inout [Row: Count]) {
        for row in screens { counts[row, default: Count()].screens += 1 }
        for row in Set(screens) { counts[row, default: Count()].sessions += 1 }
    }

    /// - Parameter next: the session after which the next page begins, or nil on the last page.
    func object(next: SessionID?) -> JSONObject {
        let routes = Self.rows(moves, outcome: "to") + Self.rows(drops, outcome: "why")
        return [
            "sessions": .integer(Int64(sessions)), "affected": .integer(Int64(affected)),
            "moved": .integer(Int64(moved)), "losing": .integer(Int64(losing)),
            "routes": .array(routes), "next": next?.json,
        ]
    }

    private static func rows(_ counts: [Row: Count], outcome name: String) -> [JSON] {
        counts.sorted { $0.key < $1.key }.map { row, count in
            .object(
                JSONObject([
                    ("route", row.route.json), (name, .string(row.outcome.text)),
                    ("sessions", .integer(Int64(count.sessions))),
                    ("screens", .integer(Int64(count.screens))),
                ]))
        }
    }
}
