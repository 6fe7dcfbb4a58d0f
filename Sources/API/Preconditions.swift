internal import HTTP
internal import JSON
internal import Navigation

// Preconditions (RFC 9110 §13), for every method and every URL.
//
// `If-Match` is evaluated before `If-None-Match` (§13.2.2), and both only if the request would
// succeed without them (§13.2.1). A resource without an entity tag matches only `*`. No resource
// has a date of modification, so the conditions that compare dates are ignored (§13.1.3, §13.1.4).
//
//     false condition      GET, HEAD    all others
//     If-Match             412          412, nothing is done
//     If-None-Match        304          412, nothing is done

extension RequestContext {
    /// Whether the request has preconditions.
    var isConditional: Bool { request[.ifMatch] != nil || request[.ifNoneMatch] != nil }

    /// The tags of a conditional field, or nil when it is absent.
    private func tags(_ field: Field) throws(OperationError) -> EntityTags? {
        guard request[field] != nil else { return nil }
        if let tags = EntityTags(request, field) { return tags }
        throw .problem(
            Problem(
                .malformedRequest,
                "The header field \(field.name) must be * or a list of entity tags in double quotes."
            ))
    }

    /// The first precondition that is false, or nil if all of them are true.
    ///
    /// - Parameters:
    ///   - current: the entity tag of the resource, or nil if it has none. It is made only if the
    ///     request has preconditions.
    ///   - exists: whether the resource exists.
    func failedPrecondition(
        _ current: @autoclosure () -> ResponseTag?, exists: Bool = true
    ) throws(OperationError) -> Field? {
        if let tags = try tags(.ifMatch) {
            let matches = tags == .any ? exists : tags.matchStrongly(current()?.opaque)
            guard matches else { return .ifMatch }
        }
        if let tags = try tags(.ifNoneMatch) {
            let matches = tags == .any ? exists : tags.matchWeakly(current()?.opaque)
            guard !matches else { return .ifNoneMatch }
        }
        return nil
    }

    /// The problem of a change whose precondition is false.
    ///
    /// - Parameters:
    ///   - failed: the precondition.
    ///   - detail: what to do, unless the tags cannot hold for any change.
    ///   - etag: the current entity tag of the resource.
    func mismatch(_ failed: Field, _ detail: String, etag: ResponseTag? = nil) -> Problem {
        var problem = Problem(.revisionMismatch, detail, etag: etag)
        guard failed == .ifMatch, case .tags(let tags)? = EntityTags(request, .ifMatch) else {
            return problem
        }
        let weak = tags.filter(\.isWeak).map(\.text)
        guard let first = weak.first else { return problem }
        problem.members.append("weak", .array(weak.map(JSON.string)))
        problem.detail =
            "\(first) is a weak ETag, which never holds for a change. A proxy that compresses may have "
            + "made it weak: send it without W/, or let the proxy leave /v1 alone."
        return problem
    }

    /// Refuses a change of a resource without an entity tag if the request requires a tag.
    func checkUntagged() throws(OperationError) {
        if let failed = try failedPrecondition(nil) {
            throw .problem(
                mismatch(
                    failed,
                    "This URL has no entity tag. Send the request without If-Match and If-None-Match."
                ))
        }
    }
}

extension RequestContext {
    /// Applies the preconditions to the response to a read, and says what caches may do: what is
    /// read can change at any moment, and without a directive a cache may guess how long it stays
    /// valid (RFC 9111 §4.2.2).
    func applyPreconditions(to reply: inout Reply) throws(OperationError) {
        if reply.response.caching == nil { reply.response.caching = .askAgain }
        guard isConditional, reply.response.status == .ok,
            let failed = try failedPrecondition(reply.response.etag)
        else { return }
        guard failed == .ifNoneMatch else {
            var problem = Problem(
                .revisionMismatch,
                "It has changed. Read it without If-Match to see its current state.",
                etag: reply.response.etag)
            problem.visibleAfter = reply.visibleAfter
            throw .problem(problem)
        }
        reply.response.status = .notModified
        reply.response.contentType = nil
        reply.response.body = []
    }
}
