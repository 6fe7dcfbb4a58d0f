import Testing

@testable import Storage

/// How often `check` and `dump` examine a store in which a server may be writing.
@Suite("The examination of a store in use")
struct SurveyTests {
    private typealias Sight = Survey.Sight

    /// The number of the sight that counts.
    private func settled(_ sights: [Sight]) -> Int {
        var tries = 0
        return Survey.settled {
            tries += 1
            return (sights[min(tries, sights.count) - 1], tries)
        }
    }

    private func sight(_ faults: String..., before: UInt8 = 1, after: UInt8 = 1) -> Sight {
        Sight(manifests: [[before], [after]], faults: faults)
    }

    @Test func `a store without a fault is examined once`() {
        #expect(settled([sight()]) == 1)
        #expect(settled([sight(before: 1, after: 2)]) == 1)
    }

    @Test func `damage is what looks the same twice`() {
        #expect(settled([sight("a hole")]) == 2)
        #expect(settled([sight("a hole"), sight("another hole"), sight("another hole")]) == 3)
    }

    @Test func `a batch that is being written is no damage`() {
        #expect(settled([sight("a hole"), sight()]) == 2)
    }

    @Test func `while files are replaced nothing is certain`() {
        let replaced = sight("a hole", before: 1, after: 2)
        #expect(settled([replaced, replaced, sight("a hole"), sight("a hole")]) == 4)
        #expect(settled([replaced]) == 10)
        #expect(settled([replaced, sight()]) == 2)
    }
}
