/// Connections by the second in which to look at them.
///
/// The queue is a ring of seconds. Each second has a list that links the connections' indices, so a
/// connection is in the queue once at most, and adding, moving and removing it take constant time.
/// A time that is further away than the length of the ring comes up once a round and goes back into
/// its second.
struct DeadlineQueue {
    private struct Link {
        var second: Int64 = .max
        var next = none
        var previous = none
    }

    private static let none: Int32 = -1
    private static let slots = 128
    /// The list of connections that have come up and have not been taken out.
    private static let dueList = slots

    /// By the connections' indices.
    private var links: [Link] = []
    /// The first index of each second's list, and of the list of connections that have come up.
    private var heads = [Int32](repeating: none, count: slots + 1)
    /// The lists of all seconds up to this one are empty.
    private var passed: Int64
    /// The second for which connections were last taken out. None is added before the next second,
    /// so that each comes up once.
    private var current: Int64
    /// The lists of all seconds before this one are empty.
    private var earliest: Int64 = .max

    /// - Parameter now: in milliseconds, as all times here.
    init(at now: Int64) {
        current = now / 1000
        passed = current
    }

    /// Adds the connection with that index in the second after `time`, or moves it there.
    ///
    /// - Returns: the second.
    mutating func add(_ index: Int, at time: Int64) -> Int64 {
        if index >= links.count {
            links += repeatElement(Link(), count: index + 1 - links.count)
        }
        remove(index)
        let second = max(time / 1000, current) + 1
        link(Int32(index), second)
        return second
    }

    /// Removes the connection with that index, if it is in the queue.
    mutating func remove(_ index: Int) {
        guard index < links.count, links[index].second != .max else { return }
        let link = links[index]
        if link.next != Self.none { links[Int(link.next)].previous = link.previous }
        if link.previous != Self.none {
            links[Int(link.previous)].next = link.next
        } else if heads[Self.dueList] == Int32(index) {
            heads[Self.dueList] = link.next
        } else {
            heads[Self.slot(link.second)] = link.next
        }
        links[index] = Link()
    }

    /// When the next connection comes up, or nil if the queue is empty. It may be too early.
    var next: Int64? {
        if heads[Self.dueList] != Self.none { return passed * 1000 }
        return earliest == .max ? nil : earliest * 1000
    }

    /// Removes one connection whose second has come.
    ///
    /// - Returns: its index, if there is one.
    mutating func takeDue(at now: Int64) -> Int? {
        let second = max(now / 1000, current)
        current = second
        while true {
            while heads[Self.dueList] != Self.none {
                let index = heads[Self.dueList]
                let wanted = links[Int(index)].second
                remove(Int(index))
                if wanted <= second { return Int(index) }
                link(index, wanted)
            }
            guard earliest <= second else {
                passed = max(passed, second)
                return nil
            }
            passed = earliest
            let slot = Self.slot(passed)
            (heads[Self.dueList], heads[slot]) = (heads[slot], Self.none)
            findEarliest()
        }
    }

    private mutating func link(_ index: Int32, _ second: Int64) {
        let slot = Self.slot(second)
        let next = heads[slot]
        if next != Self.none { links[Int(next)].previous = index }
        links[Int(index)] = Link(second: second, next: next, previous: Self.none)
        heads[slot] = index
        earliest = min(earliest, Self.turn(of: second, after: passed))
    }

    private mutating func findEarliest() {
        earliest = .max
        for second in passed + 1...passed + Int64(Self.slots)
        where heads[Self.slot(second)] != Self.none {
            earliest = second
            return
        }
    }

    /// When the list of a second comes up next.
    private static func turn(of second: Int64, after passed: Int64) -> Int64 {
        second - passed <= Int64(slots)
            ? second : passed + 1 + (second - passed - 1) % Int64(slots)
    }

    private static func slot(_ second: Int64) -> Int { Int(second % Int64(slots)) }
}
