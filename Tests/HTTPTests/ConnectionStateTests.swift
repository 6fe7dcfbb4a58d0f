import HTTP
import Testing

@Suite struct ConnectionStateTests {
    private var state = ConnectionState(Deadlines(), at: 0)
    private let deadlines = Deadlines()

    @Test mutating func `a request on a living connection ends where it began`() {
        #expect(state.read(50, at: 5) == .wait)
        state.requested(keepsAlive: true)
        #expect(!state.wantsInput && state.deadline == nil)
        state.answered(closes: false, at: 6)
        #expect(state.wroteAll(at: 7) == .nextRequest)
        #expect(state.phase == .idle && state.wantsInput)
        #expect(state.deadline == 7 + deadlines.idleMilliseconds)
    }

    @Test(arguments: [(false, false), (true, true), (false, true)])
    func `a closing answer lingers until the peer ends`(keepsAlive: Bool, closes: Bool) {
        var state = ConnectionState(deadlines, at: 0)
        state.requested(keepsAlive: keepsAlive)
        state.answered(closes: closes, at: 1)
        #expect(state.wroteAll(at: 2) == .shutDownWriting)
        #expect(state.phase == .lingering && state.wantsInput)
        #expect(state.read(100, at: 3) == .wait)
        #expect(state.readEnd(at: 4) == .close)
        #expect(state.phase == .closed)
    }

    @Test mutating func `lingering is bounded in bytes`() {
        state.refused(at: 0)
        _ = state.wroteAll(at: 0)
        #expect(state.read(deadlines.lingerBytesMax, at: 1) == .wait)
        #expect(state.read(1, at: 1) == .close)
    }

    @Test mutating func `lingering is bounded in time`() {
        state.refused(at: 0)
        _ = state.wroteAll(at: 0)
        _ = state.read(1, at: 1_999)
        #expect(state.expired(at: 1_999) == .wait)
        #expect(state.expired(at: 2_000) == .close)
    }

    @Test mutating func `a drip does not move the head's deadline`() {
        _ = state.needs(.head, at: 100)
        for now in stride(from: Int64(200), to: 10_000, by: 500) {
            _ = state.read(1, at: now)
            _ = state.needs(.head, at: now)
        }
        #expect(state.deadline == 100 + deadlines.headMilliseconds)
        #expect(state.expired(at: 10_099) == .wait)
        #expect(state.expired(at: 10_100) == .timeOut)
        #expect(state.wroteAll(at: 10_101) == .shutDownWriting)
    }

    @Test mutating func `a body must come at a rate`() {
        _ = state.needs(.head, at: 0)
        #expect(state.needs(.body(sendsContinue: true), at: 50) == .sendContinue)
        #expect(state.deadline == 50 + deadlines.bodyMilliseconds)
        _ = state.read(10, at: 60)
        #expect(state.needs(.body(sendsContinue: false), at: 60) == .wait)
        #expect(state.deadline == 50 + deadlines.bodyMilliseconds + 9)
        _ = state.read(1_014, at: 70)
        #expect(state.deadline == 50 + deadlines.bodyMilliseconds + 1_000)
        #expect(state.expired(at: 11_050) == .timeOut)
    }

    @Test mutating func `saying 100 Continue gives a body no more time`() {
        _ = state.needs(.body(sendsContinue: true), at: 0)
        _ = state.wroteAll(at: 5_000)
        #expect(state.deadline == deadlines.bodyMilliseconds && state.phase == .body)
    }

    @Test mutating func `an idle connection is closed without a word`() {
        #expect(state.expired(at: 74_999) == .wait)
        #expect(state.expired(at: 75_000) == .close)
    }

    @Test mutating func `a peer that takes nothing is dropped, one that takes something is not`() {
        state.requested(keepsAlive: true)
        state.answered(closes: false, at: 0)
        state.wroteSome(at: 15_000)
        #expect(state.expired(at: 34_999) == .wait)
        #expect(state.expired(at: 35_000) == .abort)
        #expect(state.phase == .closed)
    }

    @Test mutating func `earlier answers are owed while the next request is being answered`() {
        state.requested(keepsAlive: true)
        state.answered(closes: false, at: 0)
        _ = state.wroteAll(at: 0)
        state.requested(keepsAlive: true)
        state.blocked(at: 1_000)
        #expect(state.phase == .answering && !state.wantsInput)
        #expect(state.deadline == 1_000 + deadlines.writeMilliseconds)
        state.blocked(at: 5_000)
        #expect(state.deadline == 1_000 + deadlines.writeMilliseconds)
        state.wroteSome(at: 6_000)
        #expect(state.deadline == 6_000 + deadlines.writeMilliseconds)
        #expect(state.wroteAll(at: 7_000) == .wait)
        #expect(state.phase == .answering && state.deadline == nil)
        state.answered(closes: false, at: 8_000)
        #expect(state.wroteAll(at: 8_000) == .nextRequest)
    }

    @Test mutating func `who takes nothing of an earlier answer is dropped while it waits`() {
        state.requested(keepsAlive: true)
        state.blocked(at: 0)
        #expect(state.expired(at: deadlines.writeMilliseconds - 1) == .wait)
        #expect(state.expired(at: deadlines.writeMilliseconds) == .abort)
        #expect(state.phase == .closed)
    }

    @Test mutating func `a peer that ended its side still gets its answers`() {
        state.requested(keepsAlive: true)
        #expect(state.readEnd(at: 1) == .wait)
        state.answered(closes: false, at: 2)
        #expect(state.wroteAll(at: 3) == .nextRequest)
        #expect(!state.wantsInput)
        state.requested(keepsAlive: true)
        state.answered(closes: false, at: 4)
        #expect(state.wroteAll(at: 5) == .nextRequest)
        #expect(state.needs(.message, at: 5) == .close)
    }

    @Test mutating func `the last answer to a half-closed peer closes without lingering`() {
        state.requested(keepsAlive: false)
        _ = state.readEnd(at: 1)
        state.answered(closes: false, at: 2)
        #expect(state.wroteAll(at: 3) == .close)
    }

    @Test(arguments: [ParseStatus.head, .body(sendsContinue: false), .body(sendsContinue: true)])
    func `half a message and then the end is closed`(need: ParseStatus) {
        var state = ConnectionState(deadlines, at: 0)
        _ = state.needs(need, at: 0)
        #expect(state.readEnd(at: 1) == .close)
    }

    @Test mutating func `half a pipelined message of a half-closed peer is closed`() {
        state.requested(keepsAlive: true)
        _ = state.readEnd(at: 1)
        state.answered(closes: false, at: 2)
        _ = state.wroteAll(at: 3)
        #expect(state.needs(.body(sendsContinue: true), at: 3) == .close)
    }

    @Test mutating func `a stream has a deadline only while the peer is behind`() {
        state.requested(keepsAlive: true)
        state.streamed(at: 0)
        #expect(state.deadline == deadlines.writeMilliseconds)
        #expect(state.wroteAll(at: 10) == .wait)
        #expect(state.deadline == nil && !state.wantsInput)
        state.streamed(at: 50_000)
        state.streamed(at: 60_000)
        #expect(state.deadline == 50_000 + deadlines.writeMilliseconds)
        state.answered(closes: false, at: 60_001)
        #expect(state.wroteAll(at: 60_002) == .nextRequest)
    }

    @Test mutating func `a peer that is gone ends everything`() {
        state.requested(keepsAlive: true)
        state.lost(at: 1)
        #expect(state.phase == .closed && state.deadline == nil)
        #expect(!state.wantsInput)
    }

    @Test mutating func `draining closes what is idle and lets the rest end`() {
        var working = state
        #expect(state.drain(at: 1) == .close)
        working.requested(keepsAlive: true)
        #expect(working.drain(at: 1) == .wait)
        #expect(working.closesAfterAnswer)
        working.answered(closes: false, at: 1)
        #expect(working.wroteAll(at: 2) == .shutDownWriting)
    }

    @Test mutating func `a message that is half there when draining begins is the last`() {
        _ = state.needs(.head, at: 0)
        #expect(state.drain(at: 1) == .wait)
        state.requested(keepsAlive: true)
        #expect(state.closesAfterAnswer)
    }
}
