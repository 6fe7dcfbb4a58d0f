public import Navigation

/// The sessions by the time at which they expire: a heap of seconds and handles, eight bytes each.
///
/// A session is queued for the time that its entry has as `queuedFor`, which is never later than
/// its expiry. A change does not move the session in the heap; its expiry is checked again when it
/// comes first.
public struct ExpiryQueue {
    /// Each item has the seconds above the handle.
    private var heap: [UInt64] = []

    /// A session, and the second in which to check whether it has expired.
    public struct Item: Equatable, Sendable {
        /// Since 1970.
        public var seconds: UInt32
        /// The session; it may have been removed since.
        public var handle: SessionHandle

        public init(seconds: UInt32, handle: SessionHandle) {
            self.seconds = seconds
            self.handle = handle
        }
    }

    /// An empty queue.
    public init() {}

    /// A time in seconds, rounded up.
    public static func seconds(_ time: Milliseconds) -> UInt32 {
        UInt32(clamping: (max(1, time) - 1) / 1000 + 1)
    }

    /// The item with the earliest second; among equal seconds, the one with the lowest handle.
    public var first: Item? { heap.first.map(Self.item) }

    /// Adds an item, even if the queue already has the same one.
    public mutating func push(_ item: Item) {
        heap.append(UInt64(item.seconds) << 32 | UInt64(item.handle.rawValue))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            if heap[parent] <= heap[child] { break }
            heap.swapAt(parent, child)
            child = parent
        }
    }

    /// Removes `first` and returns it.
    public mutating func popFirst() -> Item? {
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
