/// A list of problems whose number and total length are bounded, so that a response is never much
/// larger than its request.
public struct BoundedList<Element: Sendable>: Sendable {
    /// The greatest number of items. The others are found once these are fixed.
    public static var countMax: Int { 100 }
    /// Each item repeats the names in its pointer, which may be long.
    private static var bytesMax: Int { 256 << 10 }

    /// The items, in the order in which they were found.
    public private(set) var all: [Element] = []
    private var bytes = 0

    /// An empty list.
    public init() {}

    /// Whether there are no items.
    public var isEmpty: Bool { all.isEmpty }
    /// Whether further items will be left out.
    public var isFull: Bool { all.count >= Self.countMax || bytes >= Self.bytesMax }

    /// Adds an item unless the list is full.
    ///
    /// - Parameter bytes: the length of its text.
    public mutating func append(_ element: Element, bytes: Int) {
        guard !isFull else { return }
        all.append(element)
        self.bytes += bytes
    }

    /// Changes the items from an index on.
    mutating func update(from first: Int, _ change: (inout Element) -> Void) {
        for index in all.indices.dropFirst(first) { change(&all[index]) }
    }
}
