internal import Bytes
internal import HTTP
internal import Navigation
internal import Sessions

// Requests that may know more than this server. A session can have been changed on another server a
// moment ago, and the client that made the change can continue here. Before a request is refused
// because of what this server knows, or a change has no effect, the store is asked whether that is
// the newest. The request is then processed again from the beginning. For a store that always knows
// the newest states, none of these functions does anything.

extension RequestContext {
    /// Ensures that the newest state of the session is known.
    func confirm(_ handle: SessionHandle) throws(OperationError) {
        try confirm(store.reading.summary(handle).id)
    }

    /// Ensures that the session is known with its newest state, if it exists, and its tokens.
    func confirm(_ id: SessionID) throws(OperationError) {
        try stored { () throws(StoreError) in try store.reading.confirm(id) }
    }

    /// Ensures that the newest state of the session is known, and the newest definition of its app
    /// if it is bound to one. Both are asked for at the same time.
    func confirm(_ handle: SessionHandle, of app: App?) throws(OperationError) {
        var missing: [LoadRequest] = []
        do throws(OperationError) { try confirm(handle) } catch {
            guard case .load(let requests) = error else { throw error }
            missing += requests
        }
        if app != nil {
            do throws(OperationError) { try confirmApps() } catch {
                guard case .load(let requests) = error else { throw error }
                missing += requests
            }
        }
        guard missing.isEmpty else { throw .load(missing) }
    }

    /// Ensures that the newest state of the session is known if the request names a later revision
    /// than the one that is known.
    func confirm(
        _ handle: SessionHandle, knownWith revision: Int
    ) throws(OperationError) {
        if revision > store.reading.summary(handle).revision { try confirm(handle) }
    }

    /// The answers of the other servers that share the store.
    func answer(to question: PeerQuestion) throws(OperationError) -> PeerAnswer {
        try stored { () throws(StoreError) in try store.status.answer(to: question) }
    }

    /// The app that a session is bound to, or nil for a free-form session.
    func app(boundTo id: AppID?) throws(OperationError) -> App? {
        try loadedApp(boundTo: id)?.usable()
    }

    /// The same with its document, also if that is invalid.
    func loadedApp(boundTo id: AppID?) throws(OperationError) -> LoadedApp? {
        guard let id else { return nil }
        if let loaded = apps[id] { return loaded }
        try confirmApps()
        let detail = "The session is bound to the app \(id), which is not stored. "
        throw .problem(Problem(.appNotFound, detail + "Store it with PUT /v1/apps/\(id)."))
    }

    /// The app that a new session is to be bound to, or nil for a free-form session.
    func app(named id: AppID?) throws(OperationError) -> App? {
        if let id, apps[id] == nil { try confirmApps() }
        return try apps.app(named: id, work: work)
    }

    /// Ensures that all apps are known with their newest documents.
    func confirmApps() throws(OperationError) {
        try stored { () throws(StoreError) in try store.apps.confirmApps() }
    }

    /// Ensures that the newest state of the session is known if a precondition may name a newer
    /// state than the one with this version.
    func confirmIfNewer(
        _ handle: SessionHandle, _ known: StoredVersion
    ) throws(OperationError) {
        for field in [Field.ifMatch, .ifNoneMatch] where request[field] != nil {
            switch EntityTags(request, field) {
            case nil: break  // The precondition is refused as malformed.
            case .any: try confirm(handle)
            case .tags(let tags):
                if tags.contains(where: { service.isNewer($0, than: known.entity) }) {
                    try confirm(handle)
                }
            }
        }
    }
}
