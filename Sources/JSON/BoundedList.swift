/// What is wrong with a text, up to a number of items and a length, so that the answer to a request
/// is never much larger than the request.
package struct BoundedList<Element: Sendable>: Sendable {
    /// The rest is found when these are mended.
    package static var countMax: Int { 100 }
    /// A place may have long names in it, which each of its items repeats.
    private static var bytesMax: Int { 256 << 10 }

    package private(set) var all: [Element] = []
    private var bytes = 0

    package init() {}

    package var isEmpty: Bool { all.isEmpty }
    /// Whether further items are left out.
    package var isFull: Bool { all.count >= Self.countMax || bytes >= Self.bytesMax }

    /// - Parameter bytes: the length of the item's text.
    package mutating func append(_ element: Element, bytes: Int) {
        guard !isFull else { return }
        all.append(element)
        self.bytes += bytes
    }

    /// Changes the items from that index on.
    mutating func update(from first: Int, _ change: (inout Element) -> Void) {
        for index in all.indices.dropFirst(first) { change(&all[index]) }
    }
}
