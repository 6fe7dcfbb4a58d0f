internal import API
internal import Bytes
internal import HTTP
internal import POSIX

// How often one client may send requests.
//
// Each client has a bucket that holds `burst` requests and fills at `perSecond`. A bucket is one
// number, the time when it will be full again (the generic cell rate algorithm, ITU-T I.371), so a
// full bucket needs no memory.
//
// The memory is limited: a table of fixed size has four entries for a key. If all four are taken,
// the bucket that is closest to being full is replaced, which gives its client the least. Keys are
// hashed with a seed of this process, so that no client can aim at the entries of another.

/// The number of requests that a client may send.
public struct RateLimit: Equatable, Sendable {
    /// The sustained rate.
    public var perSecond: Int
    /// The number of requests that may come at once.
    public var burst: Int

    /// - Parameters: at least 1 each.
    public init(perSecond: Int, burst: Int) {
        self.perSecond = max(1, perSecond)
        self.burst = max(1, burst)
    }

    /// Reads `50` (with a burst of twice that) or `50:200`. Returns nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let rate = Self.number(parts[0]) else { return nil }
        guard parts.count == 2 else {
            self.init(perSecond: rate, burst: rate * 2)
            return
        }
        guard let burst = Self.number(parts[1]) else { return nil }
        self.init(perSecond: rate, burst: burst)
    }

    private static func number(_ text: Substring) -> Int? {
        Decimal.number(text.utf8, digitsMax: 7).flatMap { $0 > 0 ? $0 : nil }
    }
}

/// The buckets of many clients.
struct RateLimiter {
    private struct Bucket {
        var key: UInt64 = 0
        /// When it is full, in microseconds of the loop's clock.
        var fullAt: Int64 = 0
    }

    private var buckets: [Bucket]
    private let interval: Int64
    private let depth: Int64

    private static let ways = 4

    /// - Parameter size: the number of entries, rounded up to a power of two; 16 bytes each.
    init(_ limit: RateLimit, size: Int = 1 << 16) {
        var count = Self.ways
        while count < size { count *= 2 }
        buckets = [Bucket](repeating: Bucket(), count: count)
        interval = Int64(1_000_000 / limit.perSecond)
        depth = interval * Int64(limit.burst)
    }

    /// Takes one request out of the key's bucket.
    ///
    /// - Returns: nil if the bucket had one, otherwise the seconds until it will.
    mutating func take(_ key: UInt64, at milliseconds: Int64) -> Int? {
        let now = milliseconds * 1000
        let index = find(key)
        if buckets[index].key != key { buckets[index] = Bucket(key: key, fullAt: now) }
        let fullAt = max(now, buckets[index].fullAt) + interval
        let over = fullAt - now - depth
        guard over > 0 else {
            buckets[index].fullAt = fullAt
            return nil
        }
        return Int((over + 999_999) / 1_000_000)
    }

    /// The index of the key's bucket, or of the one to replace.
    private func find(_ key: UInt64) -> Int {
        let first = Int(truncatingIfNeeded: key) & (buckets.count - Self.ways)
        var best = first
        for index in first..<first + Self.ways {
            if buckets[index].key == key { return index }
            if buckets[index].fullAt < buckets[best].fullAt { best = index }
        }
        return best
    }
}

/// The rate limits of a server, by address and by token.
struct RateLimiters {
    private var addresses: RateLimiter?
    private var tokens: RateLimiter?

    init(_ options: ServerOptions) {
        addresses = options.addressRateLimit.map { RateLimiter($0) }
        tokens = options.tokenRateLimit.map { RateLimiter($0) }
    }

    var isEmpty: Bool { addresses == nil && tokens == nil }

    /// Counts a request.
    ///
    /// An unknown token is limited like any other; it takes no memory beyond the table's.
    ///
    /// - Returns: nil if the request may be answered, otherwise the seconds to wait.
    mutating func take(_ request: Request, from address: ClientAddress, at now: Int64) -> Int? {
        if let wait = addresses?.take(Self.key(address), at: now) { return wait }
        guard tokens != nil, let range = Bearer.range(in: request) else { return nil }
        return tokens?.take(Self.key(request.bytes[range]), at: now)
    }

    private static func key(_ value: some Hashable) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(value)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
