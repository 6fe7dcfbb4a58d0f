internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

// The items that a request names, in the store and in the caches.

extension RequestContext {
    var store: SessionStore { service.store }
    var options: ServiceOptions { service.environment.options }
    var limits: Limits { service.environment.options.limits }
    var apps: AppTable { service.caches.apps }
    /// The work that the request may still cause.
    var work: WorkBudget { service.work }

    /// The random bits from which ids and tokens are made.
    var random: RandomBits { RandomBits(source: service.environment.random) }

    /// The entity tag for this version.
    func etag(_ version: StoredVersion) -> ResponseTag { service.etag(version.entity) }

    /// The session that the URL names.
    func find() throws(OperationError) -> SessionHandle {
        let range = variables[0]
        do throws(StoreError) {
            if let handle = try store.reading.find(request.bytes, range, now: now) { return handle }
        } catch {
            throw OperationError(error)
        }
        return try existing(try variable(0))
    }

    /// The session with this id, which must exist.
    func existing(_ name: String) throws(OperationError) -> SessionHandle {
        if let id = SessionID(name) {
            if let handle = try find(id) { return handle }
            try confirm(id)
        }
        throw .problem(.sessionNotFound(name))
    }

    /// The session with this id. Returns nil if it does not exist.
    func find(_ id: SessionID) throws(OperationError) -> SessionHandle? {
        try stored { () throws(StoreError) in try store.reading.find(id, now: now) }
    }

    /// Throws unless all sessions of the store can be read.
    func checkSessions() throws(OperationError) {
        try stored { () throws(StoreError) in try store.reading.checkSessions() }
    }

    /// The app that the URL names.
    func loadedApp() throws(OperationError) -> LoadedApp {
        let name = try variable(0)
        let id = AppID(name)
        if let id {
            if let loaded = apps[id] { return loaded }
            try confirmApps()
        }
        throw .problem(
            Problem(
                ProblemContent(
                    .appNotFound, "There is no app \(name.clipped).",
                    near: id.map { Spelling.near($0.rawValue, among: apps.names, work: work) }
                        ?? [],
                    otherwise: "GET /v1/apps lists the apps.")))
    }

    func newest(_ handle: SessionHandle) throws(OperationError) -> StoredRecord {
        try stored { () throws(StoreError) in try store.reading.newest(handle) }
    }

    /// An older revision of the session, or nil if it is no longer kept.
    func revision(
        _ revision: Int, of handle: SessionHandle
    ) throws(OperationError) -> StoredRecord? {
        let found = try stored { () throws(StoreError) in
            try store.reading.revision(revision, of: handle)
        }
        if found == nil { try confirm(handle, knownWith: revision) }
        return found
    }
}
