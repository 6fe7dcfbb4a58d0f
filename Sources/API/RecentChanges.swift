internal import Navigation
internal import Sessions

/// Which changes came last, over all sessions: what a stream of all goes on from.
///
/// Only their names are kept; the records are in the store.
struct RecentChanges {
    struct Item {
        var id: SessionID
        var revision: Int
        var sequence: SequenceNumber
    }

    /// Some seconds of a busy server; a client that was away longer is told of the gap.
    private static let countMax = 16_384

    private var items: [Item] = []
    private var next = 0
    /// Everything behind this number is here.
    private var completeAfter: SequenceNumber

    init(completeAfter: SequenceNumber) { self.completeAfter = completeAfter }

    mutating func append(_ item: Item) {
        if items.count < Self.countMax {
            items.append(item)
        } else {
            completeAfter = items[next].sequence
            items[next] = item
            next = (next + 1) % Self.countMax
        }
    }

    /// Forgets the changes after the number, which the store has taken back; others will get their
    /// numbers.
    mutating func removeAll(after sequence: SequenceNumber) {
        items = (items[next...] + items[..<next]).filter { $0.sequence <= sequence }
        next = 0
        // What had left the list by then and is after the number was taken back as well.
        completeAfter = min(completeAfter, sequence)
    }

    /// Behind the number, oldest first; nil if some of them are not kept.
    func since(_ sequence: SequenceNumber) -> [Item]? {
        guard sequence >= completeAfter, sequence != .max else { return nil }
        return (items[next...] + items[..<next]).filter { $0.sequence > sequence }
    }
}
