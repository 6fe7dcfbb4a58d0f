internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// A request on its way through an operation: what it names, says and carries.
struct RequestContext {
    let request: Request
    /// The path's variable segments, percent-encoded.
    let variables: PathTemplate.Variables
    let now: Milliseconds
    /// What the request may still cost.
    let work: WorkBudget

    /// A variable segment; nil if its escapes are bad.
    func variable(_ index: Int) throws(OperationError) -> String {
        guard let text = PercentCoding.decodeSegment(request.bytes, variables[index]) else {
            throw .problem(
                Problem(.malformedRequest, "The path contains invalid percent-encoding."))
        }
        return text
    }

    /// The body as a JSON object; an empty one is `{}`.
    func body(limits: Limits) throws(OperationError) -> JSONObject {
        try json(limits: limits).requireObject()
    }

    /// The body as JSON, whatever its shape; an empty one is `{}`.
    func json(limits: Limits) throws(OperationError) -> JSON {
        guard !request.bodyRange.isEmpty else { return .object(JSONObject()) }
        do {
            return try JSON(
                parsing: request.bodyBytes, in: request.bodyRange,
                limits: JSONLimits(nestingMax: limits.nestingMax))
        } catch {
            throw .problem(Problem(error))
        }
    }

    /// Every body says that it is JSON: that is what a page of another origin cannot do unasked.
    func checkMediaType() throws(OperationError) {
        guard request.hasContent else { return }
        try checkCoding()
        guard !request.has(.contentType, "application/json") else { return }
        let type = MediaType(request)
        if type?.isJSON == true { return }
        if request.method == .patch, type?.isMergePatch == true { return }
        throw .problem(
            Problem(
                .unsupportedMediaType,
                "Send Content-Type: application/json. With curl, use --json.",
                fields: [request.method == .patch ? .acceptPatch : .acceptJSON]))
    }

    /// Nothing is unpacked here (RFC 9110 §8.4).
    private func checkCoding() throws(OperationError) {
        guard request[.contentEncoding] != nil else { return }
        for line in request.lines(of: .contentEncoding) where !line.isEmpty {
            guard request.bytes.matches(line, ignoringCase: "identity") else {
                throw .problem(
                    Problem(
                        .unsupportedMediaType, "Send the body without Content-Encoding.",
                        fields: [ResponseField("Accept-Encoding", "identity")]))
            }
        }
    }

    /// A part of a document must not be taken for the whole (RFC 9110 §14.5).
    func refusePart() throws(OperationError) {
        guard request[.contentRange] != nil else { return }
        throw .problem(
            Problem(.malformedRequest, "Send the whole document, without Content-Range."))
    }

    /// JSON is all there is to have here.
    func checkAccept(_ type: ContentType = .json) throws(OperationError) {
        guard request[.accept] != nil, !AcceptedTypes(request).accepts(type) else { return }
        throw .problem(Problem(.notAcceptable, "This URL returns \(type.value). Accept that type."))
    }
}

extension JSON {
    /// The members of a body, which must be an object.
    func requireObject() throws(OperationError) -> JSONObject {
        guard case .object(let object) = self else {
            throw .problem(
                .invalid([InputFault(pointer: "", detail: "must be a JSON object")]))
        }
        return object
    }
}

extension ResponseField {
    fileprivate static let acceptJSON = ResponseField("Accept", "application/json")
    /// What a `PATCH` may be (RFC 5789 §3.1).
    static let acceptPatch = ResponseField(
        "Accept-Patch", "application/merge-patch+json, application/json")
}

// MARK: - Query

/// The query's parameters, each of which must be asked for.
struct Query {
    private var items: [(name: String, value: String)] = []

    init(_ context: RequestContext, allowed: [String]) throws(OperationError) {
        guard context.request.query != nil else { return }
        do {
            items = try QueryItems(context.request).decoded { name in
                JSONText.isSame(name, "label") || JSONText.isSame(name, "session")
            }
        } catch {
            switch error {
            case .badEncoding:
                throw .problem(
                    Problem(.malformedRequest, "The query contains invalid percent-encoding."))
            case .repeated(let name):
                throw .problem(.invalidQuery(name, "must not be repeated"))
            }
        }
        let unknown = items.first { item in
            !allowed.contains { JSONText.isSame($0, item.name) }
        }
        if let unknown {
            let hint = Spelling.proposal(for: unknown.name, among: allowed, work: context.work)
            throw .problem(.invalidQuery(unknown.name, "is unknown\(hint)"))
        }
    }

    /// The values of a parameter that may be repeated, each once.
    func values(_ name: String) -> [String] {
        var seen: Set<[UInt8]> = []
        return items.filter { $0.name == name && seen.insert(Array($0.value.utf8)).inserted }
            .map(\.value)
    }

    func value(_ name: String) -> String? { items.first { $0.name == name }?.value }

    func flag(_ name: String) throws(OperationError) -> Bool {
        guard let text = value(name), !JSONText.isSame(text, "false") else { return false }
        guard JSONText.isSame(text, "true") else {
            throw .problem(.invalidQuery(name, "must be true or false"))
        }
        return true
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(OperationError) -> Int? {
        guard let text = value(name) else { return nil }
        if let number = Decimal.number(text.utf8, digitsMax: 15), range.contains(number) {
            return number
        }
        throw .problem(.invalidQuery(name, integerRule(range)))
    }
}

// MARK: - Keys

extension RequestContext {
    /// The request's `Idempotency-Key` with the digest of the request; nil without one.
    func key(limits: Limits) throws(OperationError) -> IdempotencyKey? {
        guard let range = request[.idempotencyKey] else { return nil }
        guard (1...limits.keyBytesMax).contains(range.count), let key = request.text(range) else {
            throw .problem(
                Problem(
                    .invalidRequest,
                    "An Idempotency-Key must be 1 to \(limits.keyBytesMax) bytes long; use a UUID.")
            )
        }
        return IdempotencyKey(key: key, digest: digest)
    }

    /// FNV-1a over method, target and body. It has to tell a client's own requests apart, also
    /// after a restart, and guards nothing.
    private var digest: UInt64 {
        var hash = FNV1a()
        func mix(_ bytes: ArraySlice<UInt8>) {
            hash.mix(bytes)
            hash.mixSeparator()
        }
        mix([request.method.rawValue])
        mix(request.bytes[request.path])
        if let query = request.query { mix(request.bytes[query]) }
        mix(request.body)
        return hash.hash
    }
}
