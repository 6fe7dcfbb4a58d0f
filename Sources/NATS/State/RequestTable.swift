internal import Bytes

// Outstanding requests: publishes and API requests that expect a reply.
//
// All replies to the requests of a link arrive on one subscription, `_INBOX.<client>.<link>.*`, and
// the last token of the subject is the number of the request. Numbers are never reused and each
// link has its own inbox, so a late reply, or one to a request of an earlier link, is dropped and
// never matched to another request.
//
// A request ends in one of three ways: with its reply, as *unknown* because its deadline has
// passed, or as unknown because the link was lost. Unknown means that the request may have taken
// effect, or may still do so.

/// The outstanding requests of a link, each with the context that its owner needs to continue.
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
    /// The requests by deadline, including some that have already ended.
    private var timeline: [Due] = []
    /// The index of the first request in `timeline` that has not been examined.
    private var next = 0
    private var lastNumber = 0
    private var inbox: Subject?
    private let countMax: Int

    /// - Parameter countMax: the maximum number of outstanding requests.
    package init(countMax: Int) { self.countMax = countMax }

    package var count: Int { entries.count }

    /// When to call `expired`, in milliseconds. It may be earlier than the first deadline, and is
    /// nil if no request is outstanding.
    package var deadline: Int64? {
        entries.isEmpty || next == timeline.count ? nil : timeline[next].deadline
    }

    /// Reports that a link is ready.
    ///
    /// - Parameter inbox: the prefix of the reply subjects of this link.
    /// - Returns: the filter to subscribe to.
    package mutating func linked(inbox: Subject) -> SubjectFilter {
        self.inbox = inbox
        return SubjectFilter(trusted: inbox.text + ".*")
    }

    /// Reports that the link is lost.
    ///
    /// - Returns: the contexts of all outstanding requests, in the order in which they were sent.
    ///   Their outcome is unknown.
    package mutating func unlinked() -> [Context] {
        let contexts = entries.sorted { $0.key < $1.key }.map(\.value.context)
        inbox = nil
        entries = [:]
        timeline = []
        next = 0
        return contexts
    }

    /// Adds a request that is about to be sent.
    ///
    /// - Returns: the reply subject of the request. Nil if there is no link, or if the maximum
    ///   number of requests is outstanding.
    package mutating func begin(_ context: Context, deadline: Int64) -> Subject? {
        guard let inbox, entries.count < countMax else { return nil }
        lastNumber += 1
        entries[lastNumber] = Entry(context: context, deadline: deadline)
        enter(Due(deadline: deadline, number: lastNumber))
        return Subject(trusted: inbox.text + "." + String(lastNumber))
    }

    /// The context of the request to which a reply belongs. Returns nil for a late reply. The
    /// request stays outstanding; call `end` with its last reply.
    package func context(for message: Message) -> Context? {
        number(of: message).flatMap { entries[$0]?.context }
    }

    /// Ends the request to which a reply belongs.
    ///
    /// - Returns: its context; nil for a late reply.
    @discardableResult
    package mutating func end(with message: Message) -> Context? {
        number(of: message).flatMap { entries.removeValue(forKey: $0)?.context }
    }

    /// Ends the requests whose deadline has passed.
    ///
    /// - Returns: their contexts, by deadline. Their outcome is unknown.
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

    /// Adds a deadline. Most requests have the same timeout, so it goes at or near the end.
    private mutating func enter(_ due: Due) {
        if timeline.count - next > 64 + 4 * entries.count { compact(all: true) }
        var index = timeline.count
        while index > next, timeline[index - 1].deadline > due.deadline { index -= 1 }
        if index == timeline.count { timeline.append(due) } else { timeline.insert(due, at: index) }
    }

    /// Removes requests that have ended: those before `next` once there are many, or all of them.
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

    private func number(of message: Message) -> Int? {
        guard let prefix = inbox?.text else { return nil }
        let subject = message.subjectBytes.span
        let start = prefix.utf8.count + 1
        let isOfInbox = prefix.withBytes { prefix in
            guard subject.count > start, subject[start - 1] == ASCII.dot else { return false }
            return prefix.indices.allSatisfy { prefix[$0] == subject[$0] }
        }
        guard isOfInbox else { return nil }
        return Decimal.number(message.subjectBytes.dropFirst(start), digitsMax: 18)
    }
}
