internal import NATS

/// Whether the store is still the one that a node opened, by its facts and by the messages that the
/// node knows.
struct StoreIdentity {
    /// The facts of the store when it was opened. Nil if they are not compared.
    let facts: StoreFacts?
    /// Why the store is not the one that was opened, as a sentence. Nil while it is. After that,
    /// nothing is taken from it.
    private(set) var fault: String?
    /// The messages of each stream that its feed has not delivered. The last one is that of apps.
    private var unread: [UnreadMessages]

    init(_ facts: StoreFacts?, in layout: StoreLayout) {
        self.facts = facts
        unread = Array(repeating: UnreadMessages(), count: layout.shardCount + 1)
    }

    /// The stream sequence of the last known message that a feed has yet to deliver, or 0.
    func lastUnread(of feed: Int) -> Int { unread[feed].last }

    /// Notes a message that its feed may not have delivered.
    mutating func note(_ message: StoreMessage, _ number: Int, in layout: StoreLayout) {
        switch message {
        case .session(let record):
            unread[layout.shard(of: record.id)].add(number, by: record.writer)
        case .tokens(let tokens):
            unread[layout.shard(of: tokens.id)].add(number, by: tokens.link.writer)
        case .app(let app): unread[layout.shardCount].add(number, by: app.link.writer)
        case .facts, .plan, .mark, .barrier: break
        }
    }

    /// Compares a message that a feed delivers with what is known.
    mutating func compare(
        _ content: StoreMessage, _ message: FedMessage, in layout: StoreLayout
    ) {
        if case .facts(let found) = content, facts.map({ $0 != found }) ?? false { noteReplaced() }
        guard unread[message.feed].deliver(message.number, by: content.writer) else { return }
        let stream = message.feed < layout.shardCount ? layout.stream(message.feed) : nil
        fault =
            "\((stream ?? layout.controlStream).text): another message has the number "
            + "\(message.number) of one that was stored before"
    }

    /// Notes that another store has taken the place of this one.
    mutating func noteReplaced() { fault = "the store was replaced by another one" }
}
