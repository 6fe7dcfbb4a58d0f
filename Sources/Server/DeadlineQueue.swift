/// Connections by the time at which to look at them.
///
/// The queue is a ring of ticks, which are hundredths of a second. Each tick has a list that links
/// the connections' indices, so a connection is in the queue once at most, and adding, moving and
/// removing it take constant time. A time that is further away than the length of the ring comes up
/// once a round and goes back into its tick.
struct DeadlineQueue {
    private struct Link {
        var tick: Int64 = .max
        var next = none
        var previous = none
    }

    private static let none: Int32 = -1
    private static let tickMilliseconds: Int64 = 10
    /// More than two minutes. Most deadlines are nearer.
    private static let slots = 1 << 14
    /// The list of connections that have come up and have not been taken out.
    private static let dueList = slots

    /// By the connections' indices.
    private var links: [Link] = []
    /// The first index of each tick's list, and of the list of connections that have come up.
    private var heads = [Int32](repeating: none, count: slots + 1)
    /// The lists of all ticks up to this one are empty.
    private var passed: Int64
    /// The tick for which connections were last taken out. None is added before the next tick, so
    /// that each comes up once.
    private var current: Int64
    /// The lists of all ticks before this one are empty.
    private var earliest: Int64 = .max

    /// - Parameter now: in milliseconds, as all times here.
    init(at now: Int64) {
        current = now / Self.tickMilliseconds
        passed = current
    }

    /// Adds the connection with that index, or moves it. It comes up at `time`, or up to a tick
    /// later.
    mutating func add(_ index: Int, at time: Int64) {
        if index >= links.count {
            links += repeatElement(Link(), count: index + 1 - links.count)
        }
        remove(index)
        let tick = (time + Self.tickMilliseconds - 1) / Self.tickMilliseconds
        link(Int32(index), max(tick, current + 1))
    }

    /// Removes the connection with that index, if it is in the queue.
    mutating func remove(_ index: Int) {
        guard index < links.count, links[index].tick != .max else { return }
        let link = links[index]
        if link.next != Self.none { links[Int(link.next)].previous = link.previous }
        if link.previous != Self.none {
            links[Int(link.previous)].next = link.next
        } else if heads[Self.dueList] == Int32(index) {
            heads[Self.dueList] = link.next
        } else {
            heads[Self.slot(link.tick)] = link.next
        }
        links[index] = Link()
    }

    /// When the next connection comes up, or nil if the queue is empty. It may be too early.
    var next: Int64? {
        if heads[Self.dueList] != Self.none { return passed * Self.tickMilliseconds }
        return earliest == .max ? nil : earliest * Self.tickMilliseconds
    }

    /// Removes one connection whose tick has come.
    ///
    /// - Returns: its index, if there is one.
    mutating func takeDue(at now: Int64) -> Int? {
        let tick = max(now / Self.tickMilliseconds, current)
        current = tick
        while true {
            while heads[Self.dueList] != Self.none {
                let index = heads[Self.dueList]
                let wanted = links[Int(index)].tick
                remove(Int(index))
                if wanted <= tick { return Int(index) }
                link(index, wanted)
            }
            guard earliest <= tick else {
                passed = max(passed, tick)
                return nil
            }
            passed = earliest
            let slot = Self.slot(passed)
            (heads[Self.dueList], heads[slot]) = (heads[slot], Self.none)
            findEarliest()
        }
    }

    private mutating func link(_ index: Int32, _ tick: Int64) {
        let slot = Self.slot(tick)
        let next = heads[slot]
        if next != Self.none { links[Int(next)].previous = index }
        links[Int(index)] = Link(tick: tick, next: next, previous: Self.none)
        heads[slot] = index
        earliest = min(earliest, Self.turn(of: tick, after: passed))
    }

    private mutating func findEarliest() {
        earliest = .max
        for tick in passed + 1...passed + Int64(Self.slots)
        where heads[Self.slot(tick)] != Self.none {
            earliest = tick
            return
        }
    }

    /// When the list of a tick comes up next.
    private static func turn(of tick: Int64, after passed: Int64) -> Int64 {
        tick - passed <= Int64(slots)
            ? tick : passed + 1 + (tick - passed - 1) % Int64(slots)
    }

    private static func slot(_ tick: Int64) -> Int { Int(tick % Int64(slots)) }
}
