internal import Navigation

/// The damaged messages of the store that this node has met, and the sessions whose messages are
/// gone although nobody has ended them. What was replaced since does not count.
struct DamageRegister {
    /// The stream sequence of the damaged last message of an item; 0 if it has no message.
    private var items: [StoreLayout.Item: Int] = [:]
    /// The number of messages whose subjects name nothing of this store.
    private var strays = 0

    /// How many there are.
    var count: Int { items.count + strays }

    /// The stream sequence of the damaged last message of an item; 0 if it has no message. Nil if
    /// it is not damaged.
    subscript(item: StoreLayout.Item) -> Int? { items[item] }

    /// A message is not what it should be. One of a newer version is not damaged.
    mutating func note(_ error: DamageError) {
        if case .newerFormat = error.reason { return }
        if let item = error.item { items[item] = error.number } else { strays += 1 }
    }

    /// A session has no messages.
    ///
    /// - Returns: whether that was not known.
    mutating func noteLost(_ id: SessionID) -> Bool {
        items.updateValue(0, forKey: .session(id)) == nil
    }

    /// An item has a sound message with this stream sequence.
    mutating func clear(_ item: StoreLayout.Item, before number: Int) {
        if let damaged = items[item], damaged < number { items[item] = nil }
    }
}
