internal import Navigation
internal import Sessions

/// The JSON of long sessions that were read last. Who reads the same one again shares the bytes, so
/// that a long answer costs its reader's share of the network and no copy.
struct LongBodies {
    private struct Item {
        var handle: SessionHandle
        var sequence: SequenceNumber
        var body: [UInt8]
    }

    /// What is shorter is copied sooner than it is looked for.
    static let bytesMin = 64 << 10

    /// A few, for each may be as long as a session may be.
    private static let countMax = 4

    private var items: [Item] = []
    private var next = 0

    var isEmpty: Bool { items.isEmpty }

    func body(_ handle: SessionHandle, _ sequence: SequenceNumber) -> [UInt8]? {
        for item in items where item.handle == handle && item.sequence == sequence {
            return item.body
        }
        return nil
    }

    mutating func keep(_ body: [UInt8], _ handle: SessionHandle, _ sequence: SequenceNumber) {
        let item = Item(handle: handle, sequence: sequence, body: body)
        if items.count < Self.countMax {
            items.append(item)
        } else {
            items[next] = item
            next = (next + 1) % Self.countMax
        }
    }

    mutating func removeAll() { self = LongBodies() }
}
