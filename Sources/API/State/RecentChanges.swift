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

    /// The highest sequence number of a change so far.
    private(set) var lastSequence: SequenceNumber
    private var items: [Item] = []
    private var next = 0
    /// Every change after this number is in `items`.
    private var completeAfter: SequenceNumber

    init(completeAfter: SequenceNumber) {
        self.completeAfter = completeAfter
        lastSequence = completeAfter
    }

    mutating func append(_ item: Item) {
        lastSequence = max(lastSequence, item.sequence)
        if items.count < Self.countMax {
            items.append(item)
        } else {
            completeAfter = items[next].sequence
            items[next] = item
            next = (next + 1) % Self.countMax
        }
    }

    /// The changes after the number, oldest first, or nil if some of them are not kept.
    func since(_ sequence: SequenceNumber) -> [Item]? {
        guard sequence >= completeAfter, sequence != .max else { return nil }
        return (items[next...] + items[..<next]).filter { $0.sequence > sequence }
    }
}
