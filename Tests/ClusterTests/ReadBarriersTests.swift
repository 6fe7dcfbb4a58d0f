@testable import Cluster
import TestSupport
import Testing

/// When barriers are sent, and which requests a barrier is good for.
@Suite struct ReadBarriersTests {
    private let first = StreamBarrier(feed: 1, round: 1)
    private let second = StreamBarrier(feed: 1, round: 2)

    /// Barriers of which the first of feed 1 is on its way.
    private func sent() -> ReadBarriers {
        var barriers = ReadBarriers(feedCount: 3)
        #expect(barriers.join(1) == first)
        #expect(barriers.due(at: 0) { _ in true } == [1])
        return barriers
    }

    @Test func `requests of one turn share a barrier, and nothing is sent without one`() {
        var barriers = ReadBarriers(feedCount: 3)
        #expect(barriers.due(at: 0) { _ in true }.isEmpty)
        #expect(barriers.join(1) == first && barriers.join(1) == first)
        #expect(barriers.join(2) == StreamBarrier(feed: 2, round: 1))
        #expect(barriers.due(at: 0) { _ in true } == [1, 2])
        #expect(barriers.due(at: 9_999) { _ in true }.isEmpty, "an answer is awaited")
        #expect(barriers.deadline == .max)
    }

    @Test func `a barrier is reached once it is stored and delivered, in either order`() {
        var barriers = sent()
        #expect(barriers.delivered(1, upTo: 6) == nil)
        #expect(barriers.acknowledged(1, number: 7) == nil)
        #expect(barriers.delivered(2, upTo: 8) == nil)
        #expect(barriers.delivered(1, upTo: 7) == first)
        #expect(barriers.delivered(1, upTo: 8) == nil)
        barriers = sent()
        #expect(barriers.delivered(1, upTo: 9) == nil)
        #expect(barriers.acknowledged(1, number: 9) == first)
    }

    @Test func `a request that arrives after the barrier was sent needs the next one`() {
        var barriers = sent()
        #expect(barriers.join(1) == second)
        #expect(barriers.due(at: 1) { _ in true }.isEmpty, "one at a time")
        #expect(barriers.acknowledged(1, number: 5) == nil)
        #expect(barriers.due(at: 2) { _ in true }.isEmpty)
        #expect(barriers.delivered(1, upTo: 5) == first)
        #expect(barriers.due(at: 3) { _ in true } == [1])
        #expect(barriers.join(1) == StreamBarrier(feed: 1, round: 3))
        #expect(barriers.delivered(1, upTo: 6) == nil, "the second one is not stored yet")
        #expect(barriers.acknowledged(1, number: 6) == second)
    }

    @Test func `a barrier without an answer is sent again while a request waits for it`() {
        var barriers = sent()
        barriers.failed(1, at: 100)
        #expect(barriers.deadline == 150)
        #expect(barriers.due(at: 149) { _ in true }.isEmpty)
        #expect(barriers.due(at: 150) { $0 == first } == [1])
        barriers.failed(1, at: 200)
        #expect(barriers.due(at: 999) { _ in false }.isEmpty)
        #expect(barriers.deadline == .max)
        #expect(barriers.join(1) == second)
        #expect(barriers.due(at: 999) { _ in true } == [1])
    }

    @Test func `a late answer to a barrier that nobody needs is not one to the next`() {
        var barriers = sent()
        #expect(barriers.join(1) == second)
        #expect(barriers.due(at: 10) { $0 == second }.isEmpty, "the answer may still come")
        #expect(barriers.acknowledged(1, number: 4) == nil)
        #expect(barriers.due(at: 20) { $0 == second } == [1])
        #expect(barriers.delivered(1, upTo: 5) == nil)
        #expect(barriers.acknowledged(1, number: 6) == nil)
        #expect(barriers.delivered(1, upTo: 6) == second)
    }

    @Test func `a link that ends right after the answer does not have the barrier sent again`() {
        var barriers = sent()
        #expect(barriers.acknowledged(1, number: 4) == nil)
        barriers.failed(1, at: 100)
        #expect(barriers.delivered(1, upTo: 4) == first)
        #expect(barriers.deadline == .max)
    }
}
