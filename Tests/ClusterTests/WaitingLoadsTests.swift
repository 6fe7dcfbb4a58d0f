@testable import Cluster
import Navigation
import Sessions
import Testing

/// Requests that wait for something of the store.
@Suite struct WaitingLoadsTests {
    private let id = SessionID(trusted: "kiosk-1")
    private let barrier = StreamBarrier(feed: 1, round: 3)

    private func result(_ token: UInt64) -> LoadedItems { LoadedItems(token: token, earlier: nil) }

    private func finished(_ loads: inout WaitingLoads) -> [UInt64] {
        loads.takeFinished().map(\.token).sorted()
    }

    @Test func `a request waits for everything that it needs`() {
        var loads = WaitingLoads()
        let question = Question.newest(id)
        loads.add(result(1), needs: [.answer(question), .turn(id)], deadline: 10)
        loads.add(result(2), needs: [.answer(question)], deadline: 10)
        loads.add(result(3), needs: [], deadline: 10)
        #expect(finished(&loads) == [3])
        loads.meet(.answer(question)) { $0.take(.newest(nil), to: question) }
        #expect(loads.hasFinished && finished(&loads) == [2])
        #expect(!loads.isWanted(.answer(question)) && loads.isWanted(.turn(id)))
        loads.meet(.answer(question))
        loads.meet(.turn(id))
        let last = loads.takeFinished()
        #expect(last.map(\.token) == [1] && last[0].items[question] != nil)
        #expect(loads.deadline == .max && loads.expired(at: .max) == [])
    }

    @Test func `what waits too long is given up, and so is what nobody else waits for`() {
        var loads = WaitingLoads()
        let (one, other) = (Question.newest(id), Question.tokens(id))
        loads.add(result(1), needs: [.answer(one), .barrier(barrier)], deadline: 10)
        loads.add(result(2), needs: [.answer(other), .feed(7)], deadline: 12)
        loads.add(result(3), needs: [.answer(one)], deadline: 15)
        #expect(loads.deadline == 10 && loads.expired(at: 9) == [] && loads.feeds == [7])
        #expect(loads.expired(at: 10) == [.barrier(barrier)])
        let first = loads.takeFinished()
        #expect(first.map(\.token) == [1] && first[0].barriers == [1: false])
        if case .unanswered? = first[0].items[one] {} else { Issue.record("it has an answer") }
        #expect(loads.deadline == 12)
        #expect(Set(loads.expired(at: 14)) == [.answer(other), .feed(7)])
        let second = loads.takeFinished()
        #expect(loads.feeds.isEmpty && second.map(\.awaited) == [[7: false]])
        #expect(loads.deadline == 15 && loads.isWanted(.answer(one)))
    }

    @Test func `what waits for the same thing ends in the order in which it came`() {
        var loads = WaitingLoads()
        for number in UInt64(0)..<100 {
            loads.add(result(number), needs: [.turn(id)], deadline: 10)
        }
        loads.meet(.turn(id))
        #expect(loads.takeFinished().map(\.token) == Array(0..<100))
    }

    @Test func `many requests come and go`() {
        var loads = WaitingLoads()
        for number in 0..<1_000 {
            loads.add(
                result(UInt64(number)), needs: [.feed(SequenceNumber(UInt64(number)))],
                deadline: Int64(number))
        }
        for number in 0..<1_000 where number % 3 != 0 {
            loads.meet(.feed(SequenceNumber(UInt64(number)))) { $0.awaited[0] = true }
        }
        #expect(finished(&loads).count == 666)
        for number in stride(from: Int64(0), to: 1_000, by: 3) {
            #expect(loads.deadline == number)
            #expect(loads.expired(at: number) == [.feed(SequenceNumber(UInt64(number)))])
        }
        #expect(finished(&loads).count == 334 && loads.deadline == .max)
    }
}
