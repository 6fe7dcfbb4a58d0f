import NATS
import TestSupport
import Testing

/// Outstanding requests and their replies.
@Suite struct RequestTableTests {
    private func answer(_ subject: Subject) throws -> Message {
        try message("MSG \(subject.text) 1 0\r\n\r\n")
    }

    private func table(countMax: Int = 10) throws -> RequestTable<String> {
        var table = RequestTable<String>(countMax: countMax)
        #expect(table.linked(inbox: try Subject("_INBOX.n.1")).text == "_INBOX.n.1.*")
        return table
    }

    private func begin<Context>(
        _ table: inout RequestTable<Context>, _ context: Context, deadline: Int64
    ) throws -> Subject {
        let reply = table.begin(context, deadline: deadline)
        return try #require(reply)
    }

    @Test func `a reply ends its request once`() throws {
        var table = try table()
        let first = try begin(&table, "a", deadline: 100)
        let second = try begin(&table, "b", deadline: 100)
        #expect(first.text == "_INBOX.n.1.1" && second.text == "_INBOX.n.1.2")
        #expect(table.context(for: try answer(second)) == "b")
        #expect(table.end(with: try answer(second)) == "b")
        #expect(table.end(with: try answer(second)) == nil)
        #expect(table.context(for: try answer(first)) == "a")
        #expect(table.count == 1)
    }

    @Test(arguments: [
        "_INBOX.n.1", "_INBOX.n.1.", "_INBOX.n.2.1", "_INBOX.n.11", "_INBOX.n.1.x",
        "_INBOX.n.1.1.1",
        "_INBOX.n.1.-1", "a", "_INBOX.n.1.99999999999999999999", "_INBOX.n.1x1",
    ])
    func `a reply to any other subject is dropped`(text: String) throws {
        var table = try table()
        _ = table.begin("a", deadline: 100)
        let odd = try message("MSG \(text) 1 0\r\n\r\n")
        #expect(table.end(with: odd) == nil && table.count == 1)
    }

    @Test func `a request past its deadline is unknown, and its late reply is dropped`() throws {
        var table = try table()
        let slow = try begin(&table, "slow", deadline: 300)
        let fast = try begin(&table, "fast", deadline: 100)
        #expect(table.deadline == 100 && table.expired(at: 99).isEmpty)
        #expect(table.expired(at: 100) == ["fast"] && table.deadline == 300)
        #expect(table.end(with: try answer(fast)) == nil)
        #expect(table.end(with: try answer(slow)) == "slow")
        #expect(table.deadline == nil && table.expired(at: 1_000).isEmpty)
    }

    @Test func `a lost link leaves all requests unknown, in the order they were sent`() throws {
        var table = try table()
        let first = try begin(&table, "a", deadline: 300)
        _ = table.begin("b", deadline: 100)
        #expect(table.unlinked() == ["a", "b"] && table.deadline == nil)
        let refused = table.begin("c", deadline: 1)
        #expect(refused == nil, "there is no link")
        _ = table.linked(inbox: try Subject("_INBOX.n.2"))
        let third = try begin(&table, "c", deadline: 400)
        // Numbers continue, so that even the same inbox would not accept an old reply.
        #expect(third.text == "_INBOX.n.2.3")
        #expect(table.end(with: try answer(first)) == nil)
        #expect(table.expired(at: 400) == ["c"])
    }

    @Test func `the number of outstanding requests is bounded`() throws {
        var table = try table(countMax: 2)
        let first = try begin(&table, "a", deadline: 1)
        _ = table.begin("b", deadline: 1)
        let refused = table.begin("c", deadline: 1)
        #expect(refused == nil, "it is full")
        table.end(with: try answer(first))
        _ = table.begin("c", deadline: 1)
    }

    /// Every request ends exactly once: with its reply, at its deadline, or with its link.
    @Test(.seeded) func `random requests end exactly once`() throws {
        var dice = SplitMix64()
        var table = RequestTable<Int>(countMax: 200)
        var waiting: [Int: (subject: Subject, deadline: Int64)] = [:]
        var (number, now): (Int, Int64) = (0, 0)
        _ = table.linked(inbox: try Subject("_INBOX.n.0"))
        for step in 0..<20_000 {
            now += Int64(dice.below(3))
            switch dice.below(5) {
            case 0, 1:
                guard waiting.count < 200 else { break }
                number += 1
                let deadline = now + Int64(dice.one(of: [50, 50, 50, 5, 400]))
                waiting[number] = (try begin(&table, number, deadline: deadline), deadline)
            case 2, 3:
                guard let chosen = waiting.keys.randomElement(using: &dice),
                    let entry = waiting.removeValue(forKey: chosen)
                else { break }
                #expect(table.end(with: try answer(entry.subject)) == chosen)
            default:
                if dice.oneIn(400) {
                    #expect(table.unlinked() == waiting.keys.sorted())
                    waiting = [:]
                    _ = table.linked(inbox: try Subject("_INBOX.n.\(step)"))
                }
            }
            let due = waiting.filter { $0.value.deadline <= now }.keys
            #expect(Set(table.expired(at: now)) == Set(due))
            for key in due { waiting[key] = nil }
            let least = waiting.values.map(\.deadline).min()
            if let least { #expect((table.deadline ?? .max) <= least) }
            guard table.count == waiting.count else {
                Issue.record("\(table.count) wait, not \(waiting.count)")
                return
            }
        }
    }
}
