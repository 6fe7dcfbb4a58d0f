/// Connections by the second in which to look at them.
///
/// The queue is a ring of seconds. Each second has a list that links the connections' indices, so a
/// connection is in the queue once at most, and adding, moving and removing it take constant time. A
/// time that is further away than the length of the ring comes up once a round and goes back into
/// its second.
struct DeadlineQueue {
    private struct Link {
        var second: Int64 = .max
        var next = none
        var previous = none
    }

    private static let none: Int32 = -1
    private static let slots = 128
    /// The list of those that have come up and are not taken out yet.
    private static let dueList = slots

    /// By place.
    private var links: [Link] = []
    /// The first place of each second's list, and of the list of those that have come up.
    private var heads = [Int32](repeating: none, count: slots + 1)
    /// The lists of all seconds up to this one are empty.
    private var passed: Int64
    /// The second in which the queue was last asked for what is due. Nothing is added before the
    /// next one, so that what is due is taken out once each time.
    private var current: Int64
    /// No list of a second before this one holds anything.
    private var earliest: Int64 = .max

    /// - Parameter now: in milliseconds, as all times here.
    init(at now: Int64) {
        current = now / 1000
        passed = current
    }

    /// Puts the connection at that place into the second after `time`, or moves it there.
    ///
    /// - Returns: the second.
    mutating func add(_ place: Int, at time: Int64) -> Int64 {
        if place >= links.count {
            links += repeatElement(Link(), count: place + 1 - links.count)
        }
        remove(place)
        let second = max(time / 1000, current) + 1
        link(Int32(place), second)
        return second
    }

    /// Takes the connection at that place out, if it is in the queue.
    mutating func remove(_ place: Int) {
        guard place < links.count, links[place].second != .max else { return }
        let link = links[place]
        if link.next != Self.none { links[Int(link.next)].previous = link.previous }
        if link.previous != Self.none {
            links[Int(link.previous)].next = link.next
        } else if heads[Self.dueList] == Int32(place) {
            heads[Self.dueList] = link.next
        } else {
            heads[Self.slot(link.second)] = link.next
        }
        links[place] = Link()
    }

    /// When to look for those that have come up; nil when the queue is empty. It may be too early.
    var next: Int64? {
        if heads[Self.dueList] != Self.none { return passed * 1000 }
        return earliest == .max ? nil : earliest * 1000
    }

    /// Takes one connection out whose second has come, and gives its place; nil if there is none.
    mutating func takeDue(at now: Int64) -> Int? {
        let second = max(now / 1000, current)
        current = second
        while true {
            while heads[Self.dueList] != Self.none {
                let place = heads[Self.dueList]
                let wanted = links[Int(place)].second
                remove(Int(place))
                if wanted <= second { return Int(place) }
                link(place, wanted)
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

    private mutating func link(_ place: Int32, _ second: Int64) {
        let slot = Self.slot(second)
        let next = heads[slot]
        if next != Self.none { links[Int(next)].previous = place }
        links[Int(place)] = Link(second: second, next: next, previous: Self.none)
        heads[slot] = place
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
