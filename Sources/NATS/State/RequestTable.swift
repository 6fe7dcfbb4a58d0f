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
///
/// `begin`, `context` and `end` are compiled for the context's type where they are called, which
/// saves a change some 2,500 instructions.
public struct RequestTable<Context> {
    @usableFromInline var contexts: [Int: Context] = [:]
    @usableFromInline var timeline = RequestTimeline()
    @usableFromInline var lastNumber = 0
    @usableFromInline var inbox: Subject?
    @usableFromInline let countMax: Int

    /// - Parameter countMax: the maximum number of outstanding requests.
    public init(countMax: Int) { self.countMax = countMax }

    public var count: Int { contexts.count }

    /// When to call `expired`, in milliseconds. It may be earlier than the first deadline, and is
    /// nil if no request is outstanding.
    public var deadline: Int64? { contexts.isEmpty ? nil : timeline.first }

    /// Reports that a link is ready.
    ///
    /// - Parameter inbox: the prefix of the reply subjects of this link.
    /// - Returns: the filter to subscribe to.
    public mutating func linked(inbox: Subject) -> SubjectFilter {
        self.inbox = inbox
        return SubjectFilter(trusted: inbox.text + ".*")
    }

    /// Reports that the link is lost.
    ///
    /// - Returns: the contexts of all outstanding requests, in the order in which they were sent.
    ///   Their outcome is unknown.
    public mutating func unlinked() -> [Context] {
        let lost = contexts.sorted { $0.key < $1.key }.map(\.value)
        inbox = nil
        contexts = [:]
        timeline = RequestTimeline()
        return lost
    }

    /// Adds a request that is about to be sent.
    ///
    /// - Returns: the reply subject of the request. Nil if there is no link, or if the maximum
    ///   number of requests is outstanding.
    @inlinable
    public mutating func begin(_ context: Context, deadline: Int64) -> Subject? {
        guard let inbox, contexts.count < countMax else { return nil }
        lastNumber += 1
        if timeline.isSparse(with: contexts.count) {
            timeline.keep { [contexts] in contexts[$0] != nil }
        }
        contexts[lastNumber] = context
        timeline.add(lastNumber, at: deadline)
        return Self.reply(lastNumber, in: inbox)
    }

    @usableFromInline
    static func reply(_ number: Int, in inbox: Subject) -> Subject {
        var text = ByteWriter(capacity: 64)
        text.append(inbox.text)
        text.append(ASCII.dot)
        text.append(number)
        return Subject(trusted: text.string)
    }

    /// The context of the request to which a reply belongs. Returns nil for a late reply. The
    /// request stays outstanding; call `end` with its last reply.
    @inlinable
    public func context(for message: Message) -> Context? {
        guard let number = message.number(below: inbox) else { return nil }
        return contexts[number]
    }

    /// Ends the request to which a reply belongs.
    ///
    /// - Returns: its context; nil for a late reply.
    @inlinable @discardableResult
    public mutating func end(with message: Message) -> Context? {
        guard let number = message.number(below: inbox) else { return nil }
        return contexts.removeValue(forKey: number)
    }

    /// Ends the requests whose deadline has passed.
    ///
    /// - Returns: their contexts, by deadline. Their outcome is unknown.
    public mutating func expired(at now: Int64) -> [Context] {
        let due = timeline.takeDue(at: now) { [contexts] in contexts[$0] != nil }
        return due.compactMap { contexts.removeValue(forKey: $0) }
    }
}

/// The numbers of requests by deadline, including some that have already ended.
@usableFromInline
struct RequestTimeline: Sendable {
    private struct Due {
        var deadline: Int64
        var number: Int
    }

    private var dues: [Due] = []
    /// The index of the first request in `dues` that has not been examined.
    private var next = 0

    /// The deadline of the first one.
    var first: Int64? { next == dues.count ? nil : dues[next].deadline }

    /// Whether most of them have ended, if so many have not.
    @usableFromInline
    func isSparse(with count: Int) -> Bool { dues.count - next > 64 + 4 * count }

    /// Removes those that have ended.
    @usableFromInline
    mutating func keep(_ isOutstanding: (Int) -> Bool) {
        dues = dues[next...].filter { isOutstanding($0.number) }
        next = 0
    }

    /// Adds a deadline. Most requests have the same timeout, so it goes at or near the end.
    @usableFromInline
    mutating func add(_ number: Int, at deadline: Int64) {
        let due = Due(deadline: deadline, number: number)
        var index = dues.count
        while index > next, dues[index - 1].deadline > deadline { index -= 1 }
        if index == dues.count { dues.append(due) } else { dues.insert(due, at: index) }
    }

    /// Removes those whose deadline has passed, and those at the beginning that have ended.
    ///
    /// - Returns: the numbers of those that have not ended.
    mutating func takeDue(at now: Int64, _ isOutstanding: (Int) -> Bool) -> [Int] {
        var numbers: [Int] = []
        while next < dues.count {
            let due = dues[next]
            if isOutstanding(due.number) {
                guard due.deadline <= now else { break }
                numbers.append(due.number)
            }
            next += 1
        }
        if next > 64, next * 2 > dues.count {
            dues.removeFirst(next)
            next = 0
        }
        return numbers
    }
}

extension Message {
    /// The number in the last token of the subject, if the other tokens are this inbox.
    @usableFromInline
    func number(below inbox: Subject?) -> Int? {
        guard let prefix = inbox?.text else { return nil }
        let subject = subjectBytes.span
        let start = prefix.utf8.count + 1
        let isOfInbox = prefix.withBytes { prefix in
            subject.count > start && subject[start - 1] == ASCII.dot
                && subject.extracting(..<(start - 1)).isSame(as: prefix)
        }
        guard isOfInbox else { return nil }
        return Decimal.number(subjectBytes.dropFirst(start), digitsMax: 18)
    }
}
