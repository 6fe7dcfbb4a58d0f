internal import API

/// The clients that have not received all changes yet. A stream is in the queue once, with all the
/// changes that it has not received.
struct DeliveryQueue {
    /// A client in the queue.
    enum Client {
        case waiter(Subscribers.Waiter)
        case stream(Subscriber)
    }

    private var clients = Queue<Client>()
    /// The events of all changes that clients have not received yet.
    private(set) var eventsUndelivered = 0

    var isEmpty: Bool { clients.isEmpty }

    /// Adds a read that waits for a change.
    mutating func append(_ waiter: Subscribers.Waiter) {
        eventsUndelivered += 1
        clients.append(.waiter(waiter))
    }

    /// Adds a change that is to be sent to a stream.
    mutating func append(_ change: StreamEvent, for subscriber: Subscriber) {
        eventsUndelivered += 1
        if subscriber.undelivered.isEmpty { clients.append(.stream(subscriber)) }
        subscriber.undelivered.append(change)
    }

    /// Removes the next client and returns it. For a stream, `delivered` or `remove` has to follow.
    mutating func next() -> Client? {
        guard let client = clients.popFirst() else { return nil }
        if case .waiter = client { eventsUndelivered -= 1 }
        return client
    }

    /// Removes the first changes of a stream that `next` gave. If any are left, the stream goes to
    /// the end of the queue.
    mutating func delivered(_ subscriber: Subscriber, _ count: Int) {
        eventsUndelivered -= count
        if count == subscriber.undelivered.count {
            // One after another, which takes a fifth of what it takes to remove them together.
            while subscriber.undelivered.popLast() != nil {}
        } else {
            subscriber.undelivered.removeFirst(count)
            clients.append(.stream(subscriber))
        }
    }

    /// Forgets the changes for a stream that has ended.
    mutating func remove(_ subscriber: Subscriber) {
        eventsUndelivered -= subscriber.undelivered.count
        subscriber.undelivered = []
    }
}
