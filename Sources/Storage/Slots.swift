/// The log's files by small numbers, with how much of each is out of date.
struct Slots {
    struct Slot {
        var segment: Segment
        /// Bytes of records that are no longer a live session's newest.
        var superseded = 0
        /// The same when compaction last looked, and the last number then; 0 if it never did.
        var lookedAtSuperseded = 0
        var lookedAt: UInt64 = 0
    }

    private var slots: [Slot?] = []
    private var free: [UInt32] = []

    mutating func add(_ segment: Segment) -> UInt32 {
        if let number = free.popLast() {
            slots[Int(number)] = Slot(segment: segment)
            return number
        }
        slots.append(Slot(segment: segment))
        return UInt32(slots.count - 1)
    }

    mutating func remove(_ number: UInt32) {
        slots[Int(number)] = nil
        free.append(number)
    }

    subscript(number: UInt32) -> Slot? {
        get { slots[Int(number)] }
        set { slots[Int(number)] = newValue }
    }

    func number(of segment: Segment) -> UInt32? {
        slots.firstIndex { $0?.segment === segment }.map { UInt32($0) }
    }

    /// The entry's record is no longer its session's newest.
    mutating func supersede(_ entry: SessionEntry) {
        slots[Int(entry.slot)]?.superseded += Int(entry.length)
    }

    /// Takes that back.
    mutating func restore(_ entry: SessionEntry) {
        slots[Int(entry.slot)]?.superseded -= Int(entry.length)
    }
}
