import Testing

@testable import Server

@Suite struct RateLimiterTests {
    @Test func `a bucket gives its burst at once and fills at its rate`() {
        var limiter = RateLimiter(RateLimit(perSecond: 10, burst: 5))
        for _ in 0..<5 { #expect(limiter.take(1, at: 0) == nil) }
        #expect(limiter.take(1, at: 0) == 1)
        #expect(limiter.take(1, at: 99) == 1)
        #expect(limiter.take(1, at: 100) == nil)
        #expect(limiter.take(1, at: 100) == 1)
        for _ in 0..<5 { #expect(limiter.take(1, at: 10_000) == nil) }
        #expect(limiter.take(1, at: 10_000) == 1)
    }

    @Test func `a refused client does not wait longer because it asks again`() {
        var limiter = RateLimiter(RateLimit(perSecond: 1, burst: 1))
        #expect(limiter.take(1, at: 0) == nil)
        for _ in 0..<1000 { #expect(limiter.take(1, at: 0) != nil) }
        #expect(limiter.take(1, at: 1000) == nil)
    }

    @Test func `each client has a bucket of its own`() {
        var limiter = RateLimiter(RateLimit(perSecond: 1, burst: 2))
        for _ in 0..<100 { _ = limiter.take(7, at: 0) }
        for key in UInt64(8)..<2000 { #expect(limiter.take(key << 20, at: 0) == nil) }
    }

    @Test func `more clients than buckets take no more memory, and the busiest are kept`() {
        var limiter = RateLimiter(RateLimit(perSecond: 1, burst: 50), size: 64)
        for _ in 0..<50 { _ = limiter.take(4, at: 0) }
        for key in UInt64(100)..<10_000 { #expect(limiter.take(key, at: 0) == nil) }
        #expect(limiter.take(4, at: 0) != nil)
    }

    @Test(arguments: [
        ("50", RateLimit(perSecond: 50, burst: 100)), ("1:1", RateLimit(perSecond: 1, burst: 1)),
        ("100:250", RateLimit(perSecond: 100, burst: 250)),
    ])
    func `limits are read`(text: String, limit: RateLimit) { #expect(RateLimit(text) == limit) }

    @Test(arguments: ["", "0", "5:", ":5", "-1", "1.5", "1:0", "99999999", "5:5:5", "5/s"])
    func `other text is no limit`(text: String) { #expect(RateLimit(text) == nil) }
}
