/// Elements that are taken out in the order in which they were added.
struct Queue<Element> {
    private var elements: [Element?] = []
    /// The index of the first element that has not been taken out.
    private var start = 0

    var count: Int { elements.count - start }
    var isEmpty: Bool { start == elements.count }
    var first: Element? { isEmpty ? nil : elements[start] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        let element = elements[start].take()
        start += 1
        if start == elements.count {
            elements.removeAll(keepingCapacity: start <= Self.capacityKept)
            start = 0
        } else if start > Self.capacityKept, start > elements.count / 2 {
            elements.removeFirst(start)
            start = 0
        }
        return element
    }

    /// An empty queue keeps memory for this many elements.
    private static var capacityKept: Int { 1024 }
}
