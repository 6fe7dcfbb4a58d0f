internal import JSON
internal import Navigation
internal import Sessions

/// A stored app: its document, and what the document declares.
struct LoadedApp {
    let stored: StoredApp
    /// The declarations of the document, or nil if it is invalid.
    let app: App?
    /// Why it is invalid.
    let faults: [InputFault]

    /// An app that has been checked already.
    init(_ stored: StoredApp, app: App) {
        self.stored = stored
        self.app = app
        faults = []
    }

    /// Reads a stored document. The limits were checked when it was stored, perhaps with other
    /// options, so they are not checked again, and neither are rules that the app works without.
    /// The document can be invalid if someone has written to the log.
    init(_ stored: StoredApp) {
        self.stored = stored
        do {
            let document = try JSON(parsing: stored.document, limits: .stored)
            let report = try AppReader.read(
                document, id: stored.id, limits: .ofStoredApps, work: .unlimited, checks: .needed)
            (app, faults) = (report.app, report.errors)
        } catch {
            app = nil
            faults = [InputFault(pointer: "", detail: "is not valid JSON: \(error)")]
        }
    }

    /// The app, for operations that an invalid one does not support.
    func usable() throws(OperationError) -> App {
        if let app { return app }
        throw .problem(
            Problem(
                .internalError,
                "The stored app \(stored.id) is invalid. \(ProblemContent.summary(faults)) "
                    + "Store it again with PUT /v1/apps/\(stored.id)."))
    }
}

/// Every stored app, decoded.
struct AppTable {
    private var apps: [AppID: LoadedApp] = [:]
    /// The store's `appsGeneration` that the table reflects.
    private(set) var generation: UInt64 = 0

    init(_ store: SessionStore) { refresh(from: store) }

    /// Reads the apps from the store again, if they have changed.
    ///
    /// - Parameter checked: apps that have already been checked.
    mutating func refresh(from store: SessionStore, knowing checked: [CheckedApp] = []) {
        generation = store.apps.appsGeneration
        var refreshed: [AppID: LoadedApp] = [:]
        for stored in store.apps.storedApps {
            let item = checked.first { $0.app.id == stored.id && $0.text == stored.document }
            if let known = apps[stored.id], known.stored == stored {
                refreshed[stored.id] = known
            } else if let item {
                refreshed[stored.id] = LoadedApp(stored, app: item.app)
            } else {
                refreshed[stored.id] = LoadedApp(stored)
            }
        }
        apps = refreshed
    }

    /// The stored app with this id, if there is one.
    subscript(id: AppID) -> LoadedApp? { apps[id] }

    /// All apps, by id.
    var all: [LoadedApp] { apps.values.sorted { $0.stored.id < $1.stored.id } }

    /// The ids of all apps as text, in no order.
    var names: some Sequence<String> { apps.keys.lazy.map(\.rawValue) }

    /// The idle times of all apps that have an idle command, in seconds.
    var idleSeconds: [AppID: Int] { apps.compactMapValues { $0.app?.idle?.seconds } }

    /// Invalid apps, by id, each with the reasons.
    var invalid: [(id: AppID, faults: [InputFault])] {
        all.filter { $0.app == nil }.map { ($0.stored.id, $0.faults) }
    }

    /// The app that a new session is to be bound to, or nil for a free-form session.
    func app(named id: AppID?, work: WorkBudget) throws(OperationError) -> App? {
        guard let id else { return nil }
        if let loaded = apps[id] { return try loaded.usable() }
        throw .problem(Problem(.appNotFound(id, among: names, work: work)))
    }

    /// Stores apps, all of them or none. Apps that are stored already with the same document are
    /// left as they are.
    ///
    /// - Returns: the versions of the apps, in the same order.
    mutating func put(
        _ checked: [CheckedApp], in store: SessionStore, at now: Milliseconds
    ) throws(StoreError) -> [StoredVersion] {
        let changed = checked.filter { version(of: $0) == nil }
        var versions: [AppID: StoredVersion] = [:]
        let put = try store.writing.putApps(changed.map { ($0.app.id, $0.text) }, at: now)
        for (item, version) in zip(changed, put) { versions[item.app.id] = version }
        defer { refresh(from: store, knowing: changed) }
        return checked.compactMap { versions[$0.app.id] ?? version(of: $0) }
    }

    /// The version of the app, if it is valid and stored with the same document.
    private func version(of item: CheckedApp) -> StoredVersion? {
        guard let known = apps[item.app.id], known.app != nil, known.stored.document == item.text
        else { return nil }
        return known.stored.version
    }

    /// Deletes an app.
    mutating func delete(
        _ id: AppID, from store: SessionStore, at now: Milliseconds
    ) throws(StoreError) -> Ticket {
        defer { refresh(from: store) }
        return try store.writing.deleteApp(id, at: now)
    }
}
