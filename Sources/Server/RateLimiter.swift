internal import API
internal import Bytes
internal import HTTP
internal import POSIX

// How often one client may ask.
//
// Each client has a bucket that holds `burst` requests and fills by `perSecond`. Kept is one number
// a bucket: when it will be full again (the generic cell rate algorithm, ITU-T I.371), so a bucket
// that is full needs no memory at all.
//
// The memory is bounded: a table of fixed size, in which a key has four places. Where all four are
// taken, the bucket goes that is closest to being full, which is the smallest present to its
// client. Keys are hashed with a seed of this process, so nobody can aim at another's place.

/// A rate that a client may keep, and how far ahead of it he may be.
package struct RateLimit: Equatable, Sendable {
    package var perSecond: Int
    package var burst: Int

    /// - Parameters: at least 1 each.
    package init(perSecond: Int, burst: Int) {
        self.perSecond = max(1, perSecond)
        self.burst = max(1, burst)
    }

    /// Reads `50` (with a burst of twice that) or `50:200`; nil for anything else.
    package init?(_ text: String) {
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

/// Buckets for many clients.
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

    /// - Parameter places: rounded up to a power of two; 16 bytes each.
    init(_ limit: RateLimit, places: Int = 1 << 16) {
        var count = Self.ways
        while count < places { count *= 2 }
        buckets = [Bucket](repeating: Bucket(), count: count)
        interval = Int64(1_000_000 / limit.perSecond)
        depth = interval * Int64(limit.burst)
    }

    /// Takes one request out of the key's bucket; nil if it was there, else the seconds until it
    /// will be.
    mutating func take(_ key: UInt64, at milliseconds: Int64) -> Int? {
        let now = milliseconds * 1000
        let place = find(key)
        if buckets[place].key != key { buckets[place] = Bucket(key: key, fullAt: now) }
        let fullAt = max(now, buckets[place].fullAt) + interval
        let over = fullAt - now - depth
        guard over > 0 else {
            buckets[place].fullAt = fullAt
            return nil
        }
        return Int((over + 999_999) / 1_000_000)
    }

    /// The key's place, or the one that it should take.
    private func find(_ key: UInt64) -> Int {
        let first = Int(truncatingIfNeeded: key) & (buckets.count - Self.ways)
        var best = first
        for place in first..<first + Self.ways {
            if buckets[place].key == key { return place }
            if buckets[place].fullAt < buckets[best].fullAt { best = place }
        }
        return best
    }
}

/// The limits of a server: by address, and by token.
struct RateLimiters {
    private var addresses: RateLimiter?
    private var tokens: RateLimiter?

    init(_ options: ServerOptions) {
        addresses = options.addressRateLimit.map { RateLimiter($0) }
        tokens = options.tokenRateLimit.map { RateLimiter($0) }
    }

    var isEmpty: Bool { addresses == nil && tokens == nil }

    /// Nil if the request may be answered, else the seconds to wait. A token that is not known
    /// counts like any other, and fills no more than the table.
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

extension EventLoop {
    /// The answer to a client that asks too often; nil if it does not.
    func limited(_ connection: Connection, _ request: Request) -> Reply? {
        guard let seconds = limiters.take(request, from: connection.address, at: now)
        else { return nil }
        let problem = Problem(
            .tooManyRequests, "Wait \(seconds) s, and then send requests less often.",
            fields: [ResponseField(.retryAfter, "\(seconds)")])
        return service.refusal(problem, of: request)
    }
}
