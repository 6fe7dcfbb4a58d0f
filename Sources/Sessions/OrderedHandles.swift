/// Handles in the order of their sessions' names: a list of sorted blocks.
///
/// A block has at most 512 handles, so that an insertion moves at most 2 KiB, and the list of
/// blocks is short enough for binary search as well.
public struct OrderedHandles {
    private var blocks: [[SessionHandle]] = []

    private static let blockMax = 512

    /// No handles.
    public init() {}

    /// Takes handles that are already in order. Blocks are filled to three quarters.
    public init(sorted handles: [SessionHandle]) {
        var start = 0
        while start < handles.count {
            let end = min(handles.count, start + Self.blockMax * 3 / 4)
            blocks.append(Array(handles[start..<end]))
            start = end
        }
    }

    /// Inserts a handle in order.
    ///
    /// - Parameter order: how a handle's name compares with the name of the new handle.
    public mutating func insert(_ handle: SessionHandle, _ order: (SessionHandle) -> Int) {
        guard !blocks.isEmpty else { return blocks.append([handle]) }
        let block = max(0, firstBlock { order($0) < 0 } - 1)
        let place = Self.lowerBound(blocks[block]) { order($0) < 0 }
        blocks[block].insert(handle, at: place)
        if blocks[block].count > Self.blockMax { split(block) }
    }

    /// Removes a handle, which must be present.
    ///
    /// - Parameter order: how a handle's name compares with the name of that handle.
    public mutating func remove(_ handle: SessionHandle, _ order: (SessionHandle) -> Int) {
        guard !blocks.isEmpty else { return }
        let block = max(0, firstBlock { order($0) <= 0 } - 1)
        let place = Self.lowerBound(blocks[block]) { order($0) < 0 }
        precondition(
            place < blocks[block].count && blocks[block][place] == handle, "the order has a hole")
        blocks[block].remove(at: place)
        if blocks[block].isEmpty { blocks.remove(at: block) }
    }

    private mutating func split(_ block: Int) {
        let half = Self.blockMax / 2
        let upper = Array(blocks[block][half...])
        blocks[block].removeSubrange(half...)
        blocks.insert(upper, at: block + 1)
    }

    /// Calls the closure with the handles, beginning with the first that is not before the start,
    /// until it returns false.
    public func walk(isBefore: (SessionHandle) -> Bool, _ body: (SessionHandle) -> Bool) {
        guard !blocks.isEmpty else { return }
        var block = max(0, firstBlock(isBefore) - 1)
        var place = Self.lowerBound(blocks[block], isBefore)
        while block < blocks.count {
            while place < blocks[block].count {
                guard body(blocks[block][place]) else { return }
                place += 1
            }
            block += 1
            place = 0
        }
    }

    /// The first block whose first handle is not before the start.
    private func firstBlock(_ isBefore: (SessionHandle) -> Bool) -> Int {
        var (low, high) = (0, blocks.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(blocks[middle][0]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func lowerBound(
        _ block: [SessionHandle], _ isBefore: (SessionHandle) -> Bool
    ) -> Int {
        var (low, high) = (0, block.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(block[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
