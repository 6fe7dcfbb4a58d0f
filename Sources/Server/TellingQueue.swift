internal import API
internal import HTTP

/// A change that clients are told of, and its bytes in each form that they want.
final class ToldChange {
    let announcement: Announcement
    private var frames: StreamFrames

    init(_ announcement: Announcement) {
        self.announcement = announcement
        frames = StreamFrames(announcement.event)
    }

    /// The bytes of the change as a stream gets them.
    func frame(for subscriber: Subscriber) -> [UInt8] {
        frames.frame(for: subscriber.subscription, subscriber.framing)
    }
}

/// The clients that have not been told of all changes yet. A stream is in the queue once, with all
/// the changes that it has not been told.
struct TellingQueue {
    /// A client in the queue.
    enum Client {
        case waiter(Subscribers.Waiter)
        case stream(Subscriber)
    }

    private var clients = Queue<Client>()
    /// The events of all changes that clients have not been told yet.
    private(set) var eventsOwed = 0

    var isEmpty: Bool { clients.isEmpty }

    /// Adds a read that waits for a change.
    mutating func append(_ waiter: Subscribers.Waiter) {
        eventsOwed += 1
        clients.append(.waiter(waiter))
    }

    /// Adds a change that a stream is to be told of.
    mutating func append(_ change: ToldChange, for subscriber: Subscriber) {
        eventsOwed += 1
        if subscriber.untold.isEmpty { clients.append(.stream(subscriber)) }
        subscriber.untold.append(change)
    }

    /// Removes the next client and returns it. For a stream, `told` or `remove` has to follow.
    mutating func next() -> Client? {
        guard let client = clients.popFirst() else { return nil }
        if case .waiter = client { eventsOwed -= 1 }
        return client
    }

    /// Removes the first changes of a stream that `next` gave. If any are left, the stream goes to
    /// the end of the queue.
    mutating func told(_ subscriber: Subscriber, _ count: Int) {
        eventsOwed -= count
        subscriber.untold.removeFirst(count)
        if !subscriber.untold.isEmpty { clients.append(.stream(subscriber)) }
    }

    /// Forgets the changes for a stream that has ended.
    mutating func remove(_ subscriber: Subscriber) {
        eventsOwed -= subscriber.untold.count
        subscriber.untold = []
    }
}
