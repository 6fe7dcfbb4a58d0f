internal import HTTP
internal import Navigation
internal import Sessions

/// Operations that read one session.
struct SessionReading {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    func read() throws(OperationError) -> Reply {
        if context.request.query != nil {
            let query = try Query(context, allowed: ["revision"])
            if let revision = try query.integer("revision", in: 1...Int.max) {
                return try read(revision)
            }
        }
        try context.checkAccept()
        let handle = try context.find()
        let service = context.service
        if !service.caches.longBodies.isEmpty {
            let newest = service.store.version(of: handle)
            if let body = service.caches.longBodies.body(handle, newest.entity) {
                return reply(body, newest)
            }
        }
        var body: [UInt8] = []
        let version = try stored { () throws(StoreError) in
            try service.store.appendState(handle, to: &body)
        }
        if body.count > LongBodies.bytesMin {
            service.caches.longBodies.keep(body, of: handle, version.entity)
        }
        return reply(consume body, version)
    }

    private func read(_ revision: Int) throws(OperationError) -> Reply {
        try context.checkAccept()
        guard let found = try context.revision(revision, of: try context.find()) else {
            throw .problem(.revisionGone)
        }
        return reply(found.record.state, found.version)
    }

    private func reply(_ state: consuming [UInt8], _ version: StoredVersion) -> Reply {
        let response = Response(
            .ok, contentType: .json, etag: context.etag(version), body: state)
        return Reply(response, visibleAfter: version.ticket)
    }

    // MARK: - Long polls

    /// The long poll that the request asks for, or nil if it is to be answered now.
    func longPoll() throws(OperationError) -> LongPoll? {
        guard context.request[.prefer] != nil, context.request[.ifNoneMatch] != nil,
            let seconds = Preferences(context.request).waitSeconds, seconds > 0,
            context.request.query == nil
        else { return nil }
        try context.checkAccept()
        let handle = try context.find()
        let current = context.etag(context.store.version(of: handle))
        guard try context.failedPrecondition(current) == .ifNoneMatch else { return nil }
        return LongPoll(
            id: context.store.summary(handle).id, seconds: min(seconds, LongPoll.secondsMax))
    }
}
