internal import Bytes

// What is on its way: requests and writes for which an answer is expected.
//
// All answers of a link come to one subscription, `_INBOX.<client>.<link>.*`; the last token is the
// number of the request. Numbers are never used again, and each link has its own inbox, so that a
// late answer, or one to a request of an earlier link, is dropped and never taken for another one.
//
// A request ends in one of three ways: with its answer; *unknown*, because the time is up; or
// unknown, because the link broke. Unknown means that it may have had its effect, or may have it
// later.

/// Why a request cannot be sent now.
package enum RequestTableError: Error, Equatable, Sendable {
    /// As many requests are waiting as there may be.
    case full(max: Int)
    /// There is no link.
    case unlinked
}

/// The requests of one link that wait for an answer, each with what its owner needs to go on.
package struct RequestTable<Context: Sendable>: Sendable {
    private struct Entry {
        var context: Context
        var deadline: Int64
    }

    private struct Due {
        var deadline: Int64
        var number: Int
    }

    private var entries: [Int: Entry] = [:]
    /// In the order of the deadlines, with requests that have ended.
    private var timeline: [Due] = []
    /// The first of `timeline` that was not looked at.
    private var next = 0
    private var lastNumber = 0
    private var inbox: Subject?
    private let countMax: Int

    /// - Parameter countMax: how many requests may wait at the same time.
    package init(countMax: Int) { self.countMax = countMax }

    /// The number of requests that wait.
    package var count: Int { entries.count }

    /// When to call `expired`, or nil if nothing waits. It may be too early.
    package var deadline: Int64? {
        entries.isEmpty || next == timeline.count ? nil : timeline[next].deadline
    }

    /// A link is ready.
    ///
    /// - Parameter inbox: the subject below which the answers of this link come.
    /// - Returns: the filter to subscribe to.
    package mutating func linked(inbox: Subject) -> SubjectFilter {
        self.inbox = inbox
        return SubjectFilter(trusted: inbox.text + ".*")
    }

    /// The link is gone.
    ///
    /// - Returns: what waited, in the order in which it was sent. All of it is unknown.
    package mutating func unlinked() -> [Context] {
        let contexts = entries.sorted { $0.key < $1.key }.map(\.value.context)
        inbox = nil
        entries = [:]
        timeline = []
        next = 0
        return contexts
    }

    /// Enters a request that is being sent.
    ///
    /// - Returns: the subject for its answers.
    package mutating func begin(
        _ context: Context, deadline: Int64
    ) throws(RequestTableError) -> Subject {
        guard let inbox else { throw .unlinked }
        guard entries.count < countMax else { throw .full(max: countMax) }
        lastNumber += 1
        entries[lastNumber] = Entry(context: context, deadline: deadline)
        enter(Due(deadline: deadline, number: lastNumber))
        return Subject(trusted: "\(inbox.text).\(lastNumber)")
    }

    /// The context of the request to which an answer belongs, or nil for a late answer. The request
    /// goes on waiting; call `end` with the last of its answers.
    package func context(for message: Message) -> Context? {
        number(of: message).flatMap { entries[$0]?.context }
    }

    /// Ends the request to which an answer belongs.
    ///
    /// - Returns: its context, or nil for a late answer.
    @discardableResult
    package mutating func end(with message: Message) -> Context? {
        number(of: message).flatMap { entries.removeValue(forKey: $0)?.context }
    }

    /// Forgets a request that was entered and then not sent.
    ///
    /// - Parameter reply: the subject that `begin` returned.
    package mutating func cancel(_ reply: Subject) {
        if let number = number(of: Array(reply.text.utf8)[...]) { entries[number] = nil }
    }

    /// Changes the context of the request to which an answer of several belongs.
    package mutating func update(
        with message: Message, _ change: (inout Context) -> Void
    ) {
        guard let number = number(of: message), var entry = entries[number] else { return }
        change(&entry.context)
        entries[number] = entry
    }

    /// Ends the requests whose time is up.
    ///
    /// - Returns: their contexts, in the order of the deadlines. All are unknown.
    package mutating func expired(at now: Int64) -> [Context] {
        var contexts: [Context] = []
        while next < timeline.count {
            let due = timeline[next]
            if let entry = entries[due.number] {
                guard due.deadline <= now else { break }
                contexts.append(entry.context)
                entries[due.number] = nil
            }
            next += 1
        }
        compact()
        return contexts
    }

    /// Most requests have the same time, so they are entered at the end or near it.
    private mutating func enter(_ due: Due) {
        if timeline.count - next > 64 + 4 * entries.count { compact(all: true) }
        var index = timeline.count
        while index > next, timeline[index - 1].deadline > due.deadline { index -= 1 }
        timeline.insert(due, at: index)
    }

    /// Drops the requests that have ended: those before `next` when they are many, or all.
    private mutating func compact(all: Bool = false) {
        if all {
            timeline = timeline[next...].filter { entries[$0.number] != nil }
        } else if next > 64, next * 2 > timeline.count {
            timeline.removeFirst(next)
        } else {
            return
        }
        next = 0
    }

    private func number(of message: Message) -> Int? { number(of: message.subjectBytes) }

    private func number(of subject: ArraySlice<UInt8>) -> Int? {
        guard let prefix = inbox?.text.utf8 else { return nil }
        guard subject.starts(with: prefix),
            subject.dropFirst(prefix.count).first == ASCII.dot
        else { return nil }
        return Decimal.number(subject.dropFirst(prefix.count + 1), digitsMax: 18)
    }
}
