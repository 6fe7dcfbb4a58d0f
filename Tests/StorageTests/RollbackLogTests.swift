import Navigation
import Sessions
import Storage
import TestSupport
import Testing

@Suite struct UndoLogTests {
    private func item(_ sequence: UInt64, _ more: RollbackLog.More? = nil) -> RollbackLog.Item {
        RollbackLog.Item(
            sequence: sequence, handle: SessionHandle(rawValue: UInt32(sequence % 7)),
            kind: .changed, prior: SessionEntry(), more: more)
    }

    @Test(.seeded) func `what is durable goes from the front, what is taken back from the end`() {
        var random = SplitMix64()
        var (log, model, last) = (RollbackLog(), [UInt64](), UInt64(0))
        for _ in 0..<20_000 {
            switch random.below(8) {
            case 0..<4:
                last += 1
                log.append(item(last))
                model.append(last)
            case 4..<7:
                let durable = UInt64(random.below(Int(last) + 2))
                while let popped = log.popFirst(upTo: durable) {
                    #expect(popped.sequence == model.removeFirst())
                    #expect(popped.sequence <= durable)
                }
                #expect(model.first ?? .max > durable)
            default:
                #expect(log.popLast()?.sequence == model.popLast())
            }
        }
        while let popped = log.popLast() { #expect(popped.sequence == model.popLast()) }
        #expect(model.isEmpty && log.popFirst(upTo: .max) == nil)
    }

    @Test func `a store that is never idle does not keep what is durable`() {
        final class Weak {
            weak var more: RollbackLog.More?
            init(_ more: RollbackLog.More) { self.more = more }
        }
        var (log, all, slotsMost) = (RollbackLog(), [Weak](), 0)
        for number in UInt64(1)...20_000 {
            let more = RollbackLog.More()
            all.append(Weak(more))
            log.append(item(number, more))
            // Ten changes always wait for their sync.
            if number > 10 { while log.popFirst(upTo: number - 10) != nil {} }
            slotsMost = max(slotsMost, log.slotCount)
        }
        #expect(slotsMost <= RollbackLog.slack + 20)
        #expect(all.count { $0.more != nil } == 10)
    }
}
