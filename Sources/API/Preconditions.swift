internal import HTTP
internal import Navigation

// Preconditions (RFC 9110 §13), for every method and every URL.
//
// `If-Match` is judged before `If-None-Match` (§13.2.2), and both only where the request would
// succeed without them (§13.2.1). What has no entity tag is matched by `*` alone. Nothing here has
// a date of modification, so the two that compare dates are ignored, as §13.1.3 and §13.1.4 ask.
//
//     what is false        GET, HEAD    all others
//     If-Match             412          412, nothing is done
//     If-None-Match        304          412, nothing is done

extension RequestContext {
    /// Whether the request says any of them.
    var isConditional: Bool { request[.ifMatch] != nil || request[.ifNoneMatch] != nil }

    /// The tags of a conditional field; nil when it is absent.
    private func tags(_ field: Field) throws(OperationError) -> EntityTags? {
        guard request[field] != nil else { return nil }
        if let tags = EntityTags(request, field) { return tags }
        throw .problem(
            Problem(
                .malformedRequest,
                "The header field \(field.name) must be * or a list of entity tags in double quotes."
            ))
    }

    /// The first precondition that is false; nil if none is.
    ///
    /// - Parameters:
    ///   - current: the entity tag of what is there, nil if it has none.
    ///   - exists: whether there is anything.
    func failedPrecondition(
        _ current: ResponseTag?, exists: Bool = true
    ) throws(OperationError) -> Field? {
        if let tags = try tags(.ifMatch) {
            let matches = tags == .any ? exists : tags.matchStrongly(current?.opaque)
            guard matches else { return .ifMatch }
        }
        if let tags = try tags(.ifNoneMatch) {
            let matches = tags == .any ? exists : tags.matchWeakly(current?.opaque)
            guard !matches else { return .ifNoneMatch }
        }
        return nil
    }

    /// Refuses a change of what has no entity tag, if a tag is asked for.
    func checkUntagged() throws(OperationError) {
        guard try failedPrecondition(nil) == nil else {
            throw .problem(
                Problem(
                    .revisionMismatch,
                    "This URL has no entity tag. Send the request without If-Match and If-None-Match."
                ))
        }
    }
}

extension Service {
    /// Makes of a read's answer what it is under its preconditions, and says what caches may do:
    /// what is read changes at any moment, and without a word a cache may guess how long it stays
    /// (RFC 9111 §4.2.2).
    func condition(_ reply: inout Reply, _ context: RequestContext) throws(OperationError) {
        if reply.response.caching == nil { reply.response.caching = .askAgain }
        guard context.isConditional, reply.response.status == .ok,
            let failed = try context.failedPrecondition(reply.response.etag)
        else { return }
        guard failed == .ifNoneMatch else {
            var problem = Problem(
                .revisionMismatch,
                "It has changed. Read it without If-Match to see its current state.",
                etag: reply.response.etag)
            problem.shownSequence = reply.visibleAfter
            throw .problem(problem)
        }
        reply.response.status = .notModified
        reply.response.contentType = nil
        reply.response.body = []
    }
}
