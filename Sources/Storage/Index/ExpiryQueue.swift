internal import Navigation
internal import Sessions

/// Who expires next: a heap of seconds and handles, eight bytes each.
///
/// A session stands in it under the time that its entry remembers (`queuedFor`), never later
/// than it expires; a change does not move it, the pop looks again.
struct ExpiryQueue {
    /// Seconds above the handle.
    private var heap: [UInt64] = []

    struct Item: Equatable {
        var seconds: UInt32
        var handle: SessionHandle
    }

    /// The second in which a time lies, rounded up.
    static func seconds(_ time: Milliseconds) -> UInt32 {
        UInt32(clamping: (max(1, time) - 1) / 1000 + 1)
    }

    var first: Item? { heap.first.map(Self.item) }

    mutating func push(_ item: Item) {
        heap.append(UInt64(item.seconds) << 32 | UInt64(item.handle.rawValue))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            if heap[parent] <= heap[child] { break }
            heap.swapAt(parent, child)
            child = parent
        }
    }

    mutating func popFirst() -> Item? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            sink(0)
        }
        return Self.item(first)
    }

    private mutating func sink(_ start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2
            where child < heap.count && heap[child] < heap[least] { least = child }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private static func item(_ word: UInt64) -> Item {
        Item(
            seconds: UInt32(word >> 32),
            handle: SessionHandle(rawValue: UInt32(truncatingIfNeeded: word)))
    }
}
