internal import HTTP
internal import Navigation
internal import Sessions

// Operations that read one session. A struct of their own would hold a copy of the context: a GET
// would take 4 % more instructions.

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
        if !service.caches.longBodies.isEmpty {
            let newest = service.store.sequence(of: handle)
            if let body = service.caches.longBodies.body(handle, newest) {
                return reply(body, newest)
            }
        }
        var body: [UInt8] = []
        let sequence = try stored { () throws(StoreError) in
            try service.store.appendState(handle, to: &body)
        }
        if body.count > LongBodies.bytesMin {
            service.caches.longBodies.keep(body, of: handle, sequence)
        }
        return reply(consume body, sequence)
    }

    private func readSession(at revision: Int) throws(OperationError) -> Reply {
        try checkAccept()
        guard let found = try self.revision(revision, of: try find()) else {
            throw .problem(.revisionGone)
        }
        return reply(found.record.state, found.sequence)
    }

    private func reply(_ state: consuming [UInt8], _ sequence: SequenceNumber) -> Reply {
        let response = Response(
            .ok, contentType: .json, etag: etag(sequence), body: state)
        return Reply(response, visibleAfter: sequence)
    }

    // MARK: - Long polls

    /// The long poll that the request asks for, or nil if it is to be answered now.
    func sessionPoll() throws(OperationError) -> LongPoll? {
        guard request[.prefer] != nil, request[.ifNoneMatch] != nil,
            let seconds = Preferences(request).waitSeconds, seconds > 0,
            request.query == nil
        else { return nil }
        try checkAccept()
        let handle = try find()
        let current = etag(store.sequence(of: handle))
        guard try failedPrecondition(current) == .ifNoneMatch else { return nil }
        return LongPoll(
            id: store.summary(handle).id, seconds: min(seconds, LongPoll.secondsMax))
    }
}
