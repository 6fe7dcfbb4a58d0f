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
    /// - Parameter body: the body of the request, if it has been parsed.
    func key(of body: JSON? = nil) throws(OperationError) -> IdempotencyKey? {
        guard let range = request[.idempotencyKey] else { return nil }
        guard (1...limits.keyBytesMax).contains(range.count), let key = request.text(range) else {
            throw .problem(
                Problem(
                    range.isEmpty ? .invalidRequest : .limitExceeded,
                    "An Idempotency-Key must be 1 to \(limits.keyBytesMax) bytes long; use a UUID.")
            )
        }
        let parsed: JSON
        if let body { parsed = body } else { parsed = try json() }
        return IdempotencyKey(key: key, digest: digest(with: parsed), bytesDigest: bytesDigest)
    }

    private func digest(with body: JSON) -> UInt64 {
        var hash = FNV1a()
        hash.mix(request.method.rawValue)
        let path = PercentCoding.decodeSegment(request.bytes, request.path)
        hash.mix(path.map { Array($0.utf8) } ?? Array(request.bytes[request.path]))
        hash.mixSeparator()
        for item in QueryItems(request) {
            for part in [item.name, item.value] {
                let text = PercentCoding.decodeQuery(request.bytes, part)
                hash.mix(text.map { Array($0.utf8) } ?? Array(request.bytes[part]))
                hash.mixSeparator()
            }
        }
        hash.mixSeparator()
        hash.mix(body)
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

extension FNV1a {
    fileprivate mutating func mix(_ byte: UInt8) { mix(CollectionOfOne(byte)) }

    private mutating func mix(_ kind: Character, bits: UInt64) {
        mix(kind.utf8)
        mix((0..<8).lazy.map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) })
    }

    private mutating func mix(_ text: String) {
        mix(text.utf8)
        mixSeparator()
    }

    /// Mixes in a value. Equal values have equal hashes.
    fileprivate mutating func mix(_ json: JSON) {
        switch json {
        case .null: mix("n".utf8)
        case .bool(let flag): mix(flag ? "t".utf8 : "f".utf8)
        case .integer(let number): mix("i", bits: UInt64(bitPattern: number))
        case .double(let number):
            if let whole = json.wholeNumber {
                mix(.integer(Int64(whole)))
            } else {
                mix("d", bits: number.bitPattern)
            }
        case .string(let text):
            mix("s".utf8)
            mix(text)
        case .array(let items):
            mix("[".utf8)
            for item in items { mix(item) }
            mix("]".utf8)
        case .object(let object):
            mix("{".utf8)
            let members = object.members.sorted {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }
            for member in members {
                mix("m".utf8)
                mix(member.key)
                mix(member.value)
            }
            mix("}".utf8)
        }
    }
}
