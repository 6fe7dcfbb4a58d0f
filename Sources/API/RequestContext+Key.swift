internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

// Which requests with an `Idempotency-Key` are the same.
//
// Two requests are the same if their digests are. The digest covers the method, the decoded path
// and query, and the body as a JSON value: the order of members, white space, escapes and the
// spelling of numbers do not count. It only tells a client's own requests apart, also after a
// restart, so it need not be secure.

extension RequestContext {
    /// The request's `Idempotency-Key` with the digest of the request, if it has one.
    ///
    /// - Parameter mixBody: mixes in the body of the request.
    func key(_ mixBody: (inout FNV1a) -> Void) throws(OperationError) -> IdempotencyKey? {
        guard let range = request[.idempotencyKey] else { return nil }
        guard (1...limits.keyBytesMax).contains(range.count), let key = request.text(range) else {
            throw .problem(
                Problem(
                    range.count > limits.keyBytesMax ? .limitExceeded : .invalidRequest,
                    "An Idempotency-Key must be 1 to \(limits.keyBytesMax) bytes of UTF-8; "
                        + "use a UUID.")
            )
        }
        return IdempotencyKey(key: key, digest: digest(mixBody), bytesDigest: bytesDigest)
    }

    private func digest(_ mixBody: (inout FNV1a) -> Void) -> UInt64 {
        var hash = FNV1a()
        hash.mix(request.method.rawValue)
        let path = request.bytes[request.path]
        if path.contains(UInt8(ascii: "%")),
            let decoded = PercentCoding.decodeSegment(request.bytes, request.path)
        {
            hash.mix(decoded.utf8)
        } else {
            hash.mix(path)
        }
        hash.mixSeparator()
        for item in QueryItems(request) {
            for part in [item.name, item.value] {
                let text = PercentCoding.decodeQuery(request.bytes, part)
                hash.mix(text.map { Array($0.utf8) } ?? Array(request.bytes[part]))
                hash.mixSeparator()
            }
        }
        hash.mixSeparator()
        mixBody(&hash)
        return hash.hash
    }

    /// The digest as versions up to 0.2 made it: over the bytes of method, target and body.
    private var bytesDigest: UInt64 {
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
