internal import HTTP
internal import Navigation
internal import Sessions

// Operations that read one session. If they were in a struct of their own, it would hold a copy of
// the context, and a GET would take 4 % more instructions.

extension RequestContext {
    func readSession() throws(OperationError) -> Reply {
        if request.query != nil {
            let query = try Query(self, allowed: ["revision"])
            if let revision = try query.integer("revision", in: 1...Int.max) {
                return try readSession(at: revision)
            }
        }
        try checkAccept()
        let handle = try find()
        if isConditional { try confirmIfNewer(handle, store.reading.version(of: handle)) }
        if let long = service.caches.longBody, long.handle == handle {
            let newest = store.reading.version(of: handle)
            if newest.entity == long.version { return reply(long.body, newest) }
        }
        var body = service.texts.takeSpare()
        let version = try stored { () throws(StoreError) in
            try service.store.reading.appendState(handle, to: &body)
        }
        if body.count > LongBody.bytesMin {
            service.caches.longBody = LongBody(
                handle: handle, version: version.entity, body: body)
        }
        return reply(consume body, version)
    }

    private func readSession(at revision: Int) throws(OperationError) -> Reply {
        try checkAccept()
        guard let found = try self.revision(revision, of: try find()) else {
            throw .problem(.revisionGone)
        }
        return reply(found.record.state, found.version)
    }

    private func reply(_ state: consuming [UInt8], _ version: StoredVersion) -> Reply {
        let response = Response(
            .ok, contentType: .json, etag: etag(version), body: state)
        return Reply(response, visibleAfter: version.ticket)
    }

    // MARK: - Long polls

    /// The long poll that the request asks for. Returns nil if the request should be answered now.
    func sessionPoll() throws(OperationError) -> LongPoll? {
        guard let seconds = waitSeconds else { return nil }
        try checkAccept()
        let handle = try find()
        let newest = store.reading.version(of: handle)
        guard try failedPrecondition(etag(newest)) == .ifNoneMatch else { return nil }
        return LongPoll(
            id: store.reading.summary(handle).id, seconds: seconds)
    }

    /// How many seconds the request may wait, if it asks for that and is a read that can. Its
    /// response names this as a preference that was applied, also if it has not waited.
    var waitSeconds: Int? {
        guard request[.prefer] != nil, canWait,
            let seconds = Preferences(request).waitSeconds, seconds > 0
        else { return nil }
        return min(seconds, LongPoll.secondsMax)
    }

    private var canWait: Bool {
        if endpoint.operation == .readSession {
            return request[.ifNoneMatch] != nil && request.query == nil
        }
        if endpoint.operation == .sessionWatchers { return request.query != nil }
        return endpoint.operation == .sessionSheet
    }
}
