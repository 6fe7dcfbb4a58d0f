/// Keys by the time at which to look at them: a heap.
///
/// A key that is added again stays in the queue with its earlier time as well. Who takes a key out
/// compares its own time with the present.
struct WakeQueue<Key> {
    private var heap: [(time: Int64, key: Key)] = []

    /// The earliest time; `.max` if the queue is empty.
    var first: Int64 { heap.first?.time ?? .max }

    /// Adds a key.
    mutating func add(_ key: Key, at time: Int64) {
        heap.append((time, key))
        var child = heap.count - 1
        while child > 0, heap[child].time < heap[(child - 1) / 2].time {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes the keys whose time has come, the earliest first.
    mutating func takeDue(at now: Int64) -> [Key] {
        var due: [Key] = []
        while let first = heap.first, first.time <= now {
            due.append(first.key)
            removeFirst()
        }
        return due
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2
            where child < heap.count && heap[child].time < heap[least].time { least = child }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
