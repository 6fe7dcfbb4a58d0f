internal import Navigation
internal import Sessions

/// The most recent changes of all sessions, from which a stream of all sessions is resumed. They
/// come from the store's feed, so all of them are kept.
///
/// Only their names and numbers are kept; the records are in the store.
struct RecentChanges {
    struct Item {
        var id: SessionID
        var revision: Int
        var sequence: SequenceNumber
    }

    /// Some seconds of a busy server; a client that was away longer is told of the gap.
    private static let countMax = 16_384

    /// The position after all changes so far.
    private(set) var position: FeedPosition
    private var items: [Item] = []
    private var next = 0
    /// Every change after this position is in `items`.
    private var completeAfter: FeedPosition

    init(completeAfter: FeedPosition) {
        self.completeAfter = completeAfter
        position = completeAfter
    }

    /// - Parameter followsGap: whether changes before this one are missing.
    mutating func append(_ item: Item, followsGap: Bool = false) {
        position.advance(to: item.sequence)
        if followsGap { completeAfter.advance(to: item.sequence) }
        if items.count < Self.countMax {
            items.append(item)
        } else {
            completeAfter.advance(to: items[next].sequence)
            items[next] = item
            next = (next + 1) % Self.countMax
        }
    }

    /// The changes after the position, oldest first, or nil if some of them are not kept.
    func since(_ position: FeedPosition) -> [Item]? {
        guard position.covers(completeAfter) else { return nil }
        return (items[next...] + items[..<next]).filter { !position.covers($0.sequence) }
    }
}
