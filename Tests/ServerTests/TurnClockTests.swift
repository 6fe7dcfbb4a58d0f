import Testing

@testable import Server

@Suite struct TurnClockTests {
    @Test func `it begins at the store's time and approaches it without going back`() {
        let steady = TestClock()
        let start = steady.steadyMilliseconds
        var ahead: Int64 = 7_200_000
        let clock = TurnClock(steady, storeTime: start + ahead)
        #expect(clock.now == start + ahead)
        ahead -= 300
        var last = clock.now
        for turn in 1...10_000 {
            // Short turns, as under load.
            steady.advance(milliseconds: Int64(turn % 3))
            clock.tick(storeTime: steady.steadyMilliseconds + ahead)
            #expect((last...last + 3).contains(clock.now))
            last = clock.now
        }
        #expect(clock.now == steady.steadyMilliseconds + ahead)
        ahead += 300
        steady.advance(milliseconds: 1_000)
        clock.tick(storeTime: steady.steadyMilliseconds + ahead)
        #expect(clock.now == last + 1_100)
        steady.advance(milliseconds: 10_000)
        clock.tick(storeTime: steady.steadyMilliseconds + ahead)
        #expect(clock.now == steady.steadyMilliseconds + ahead)
    }

    @Test func `without a store's time it counts from the start`() {
        let steady = TestClock()
        let clock = TurnClock(steady)
        #expect(clock.now == steady.wallMilliseconds)
        steady.advance(milliseconds: 123_456)
        clock.tick()
        #expect(clock.now == steady.wallMilliseconds)
    }
}
