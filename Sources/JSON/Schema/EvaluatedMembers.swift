/// The members of an object that a schema has evaluated, by their indexes.
struct EvaluatedMembers {
    private var contains: [Bool]
    /// The indexes in the order in which they were inserted, so that the last ones can be removed.
    private var inserted: [Int] = []

    /// - Parameter count: the number of members of the object.
    init(count: Int) { contains = Array(repeating: false, count: count) }

    /// The number of members that were evaluated.
    var count: Int { inserted.count }

    subscript(index: Int) -> Bool { contains[index] }

    mutating func insert(_ index: Int) {
        guard !contains[index] else { return }
        contains[index] = true
        inserted.append(index)
    }

    mutating func insertAll() {
        for index in contains.indices { insert(index) }
    }

    /// Removes all but the first ones.
    mutating func removeAll(after count: Int) {
        while inserted.count > count, let index = inserted.popLast() { contains[index] = false }
    }
}
