internal import Bytes
internal import POSIX
internal import Sessions

/// A 256th of the index: a hash table, the entries, and the bytes of the names.
///
/// The table is open addressing with linear probing. A slot holds eight bits of the hash above
/// 24 bits of an entry's number plus one; 0 is empty. At most four of five slots are used. Growing
/// copies a 256th of the whole, so that no single insert takes long.
///
/// Look-ups for requests and for recovery are `mutating`, so that the arrays are accessed in place,
/// without retaining and releasing them.
struct Shard {
    private let hasher: SeededHash
    private var table = [UInt32](repeating: 0, count: 16)
    private(set) var entries: [SessionEntry] = []
    private var names: [UInt8] = []
    private var nameGarbage = 0
    /// Free entries, the last freed on top.
    private var free: [UInt32] = []
    private(set) var count = 0

    /// The maximum number of entries of a shard.
    static let entriesMax = 1 << 24 - 2

    init(hasher: SeededHash) { self.hasher = hasher }

    subscript(entry number: Int) -> SessionEntry {
        get { entries[number] }
        set { entries[number] = newValue }
    }

    /// The entry of a name with this hash.
    mutating func find(_ bytes: [UInt8], _ range: Range<Int>, hash: UInt64) -> Int? {
        lookUp(bytes, range, hash: hash).number
    }

    /// The entry of a name, or the slot that a new entry of that name takes.
    @inline(__always)
    private func lookUp(
        _ bytes: [UInt8], _ range: Range<Int>, hash: UInt64
    ) -> (number: Int?, slot: Int) {
        let mask = table.count - 1
        let tag = Self.tag(hash)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while table[slot] != 0 {
            let found = table[slot]
            if found & 0xFF00_0000 == tag {
                let number = Int(found & 0x00FF_FFFF) - 1
                if isName(of: number, bytes, range) { return (number, slot) }
            }
            slot = (slot + 1) & mask
        }
        return (nil, slot)
    }

    /// Makes the processor load what one step of `find` will read.
    @inline(__always)
    mutating func prepare(_ step: LookupStep, hash: UInt64) {
        let slot = Int(truncatingIfNeeded: hash) & (table.count - 1)
        let found = table[slot]
        let number = Int(found & 0x00FF_FFFF) - 1
        switch step {
        case .slot: Prefetch.element(slot, of: table)
        case .entry: Prefetch.element(found == 0 ? entries.count : number, of: entries)
        case .name:
            guard found != 0, found & 0xFF00_0000 == Self.tag(hash) else { return }
            Prefetch.element(Int(entries[number].idStart), of: names)
        }
    }

    /// Inserts or replaces the entry of a session. If there was one, it is exchanged for the
    /// previous one.
    mutating func recover(
        _ bytes: [UInt8], _ range: Range<Int>, hash: UInt64, entry: inout SessionEntry
    ) -> (number: Int, isNew: Bool) {
        let (known, slot) = lookUp(bytes, range, hash: hash)
        if let known {
            entry = replace(known, with: entry)
            return (known, false)
        }
        return (insert(bytes, range, hash: hash, entry: &entry, slot: slot), true)
    }

    /// Replaces an entry, except for its name and its places, and returns the previous one.
    mutating func replace(_ number: Int, with new: SessionEntry) -> SessionEntry {
        let old = entries[number]
        var entry = new
        (entry.idStart, entry.idCount) = (old.idStart, old.idCount)
        (entry.cached, entry.queuedFor) = (old.cached, old.queuedFor)
        entries[number] = entry
        return old
    }

    private func isName(of number: Int, _ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        let own = nameRange(number)
        return own.count == range.count
            && ByteSearch.order(names, in: own, against: bytes, in: range) == 0
    }

    /// Adds a name, which must not be present.
    mutating func insert(_ bytes: [UInt8], _ range: Range<Int>, hash: UInt64) -> Int {
        var entry = SessionEntry()
        let slot = Self.freeSlot(hash, in: table.span)
        return insert(bytes, range, hash: hash, entry: &entry, slot: slot)
    }

    /// Adds a name with an entry, whose place of the name is set.
    ///
    /// - Parameter slot: the free slot for the hash.
    @inline(__always)
    private mutating func insert(
        _ bytes: [UInt8], _ range: Range<Int>, hash: UInt64, entry: inout SessionEntry, slot: Int
    ) -> Int {
        entry.idStart = UInt32(names.count)
        entry.idCount = UInt8(range.count)
        Self.reserve(&names, range.count)
        names.append(bytes, range)
        let number: Int
        if !free.isEmpty, let reused = free.popLast() {
            number = Int(reused)
            entries[number] = entry
        } else {
            number = entries.count
            precondition(number < Self.entriesMax, "a shard is full")
            Self.reserve(&entries, 1)
            entries.append(entry)
        }
        count += 1
        let value = Self.tag(hash) | UInt32(number + 1)
        if count * 5 > table.count * 4 {
            resizeTable(to: table.count * 2)
            table[Self.freeSlot(hash, in: table.span)] = value
        } else {
            table[slot] = value
        }
        return number
    }

    /// The first free slot for a hash.
    @inline(__always)
    private static func freeSlot(_ hash: UInt64, in table: Span<UInt32>) -> Int {
        let mask = table.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while table[slot] != 0 { slot = (slot + 1) & mask }
        return slot
    }

    /// Removes a name. Its entry can be reused.
    mutating func remove(_ number: Int) {
        let (mask, hash) = (table.count - 1, hash(number))
        var hole = Int(truncatingIfNeeded: hash) & mask
        let wanted = Self.tag(hash) | UInt32(number + 1)
        while table[hole] != wanted { hole = (hole + 1) & mask }
        table[hole] = 0
        closeGap(behind: hole)
        nameGarbage += Int(entries[number].idCount)
        entries[number].idCount = 0
        free.append(UInt32(number))
        count -= 1
        if nameGarbage > 4096, nameGarbage * 2 > names.count { packNames() }
    }

    /// Moves back the slots that had been displaced by the emptied one (Knuth, 6.4, algorithm R).
    private mutating func closeGap(behind start: Int) {
        let mask = table.count - 1
        var (hole, next) = (start, (start + 1) & mask)
        while table[next] != 0 {
            let number = Int(table[next] & 0x00FF_FFFF) - 1
            let home = Int(truncatingIfNeeded: hash(number)) & mask
            if (next &- home) & mask >= (next &- hole) & mask {
                table[hole] = table[next]
                table[next] = 0
                hole = next
            }
            next = (next + 1) & mask
        }
    }

    /// - Parameter size: a power of two.
    private mutating func resizeTable(to size: Int) {
        var resized = [UInt32](repeating: 0, count: size)
        var slots = resized.mutableSpan
        for value in table where value != 0 {
            let hash = hash(Int(value & 0x00FF_FFFF) - 1)
            slots[Self.freeSlot(hash, in: slots.span)] = value
        }
        table = resized
    }

    /// The size of the smallest table for a number of entries.
    private static func tableSize(_ count: Int) -> Int {
        var size = 16
        while count * 5 > size * 4 { size *= 2 }
        return size
    }

    /// Makes room for about as many entries and bytes of names in all.
    mutating func reserve(_ expected: Int, nameBytes: Int) {
        let size = Self.tableSize(expected)
        if size > table.count { resizeTable(to: size) }
        entries.reserveCapacity(expected + expected / 8 + 16)
        names.reserveCapacity(nameBytes + nameBytes / 8 + 128)
    }

    var nameBytes: Int { names.count }

    private mutating func packNames() {
        var packed: [UInt8] = []
        packed.reserveCapacity(names.count - nameGarbage + 256)
        for number in entries.indices where entries[number].isLive {
            let start = packed.count
            packed.append(contentsOf: name(number))
            entries[number].idStart = UInt32(start)
        }
        names = packed
        nameGarbage = 0
    }

    func name(_ number: Int) -> ArraySlice<UInt8> { names[nameRange(number)] }

    private func nameRange(_ number: Int) -> Range<Int> {
        let start = Int(entries[number].idStart)
        return start..<start + Int(entries[number].idCount)
    }

    private func hash(_ number: Int) -> UInt64 { hasher.hash(names, nameRange(number)) }

    /// How the name compares with another: negative if it comes first.
    func order(of number: Int, against bytes: [UInt8], _ range: Range<Int>) -> Int {
        ByteSearch.order(names, in: nameRange(number), against: bytes, in: range)
    }

    /// Adds the keys of all names that `KeyedHandles` sorts by.
    ///
    /// - Parameter handle: makes the handle of an entry.
    func addKeys(to keyed: inout KeyedHandles, _ handle: (Int) -> SessionHandle) {
        let (entries, names) = (entries.span, names.span)
        for number in entries.indices where entries[number].isLive {
            let count = Int(entries[number].idCount)
            let start = Int(entries[number].idStart)
            keyed.add(names, start..<start + count, of: handle(number))
        }
    }

    private static func tag(_ hash: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: hash >> 24) & 0xFF00_0000
    }

    /// Frees the room for further sessions that recovery has left.
    mutating func pack() {
        let size = Self.tableSize(count)
        if size < table.count { resizeTable(to: size) }
        entries = Self.packed(entries)
        names = Self.packed(names)
    }

    private static func packed<Element>(_ array: [Element]) -> [Element] {
        var copy: [Element] = []
        copy.reserveCapacity(array.count)
        copy.append(contentsOf: array)
        return copy
    }

    /// Makes room, a quarter at a time: doubling would waste half of the memory.
    @inline(__always)
    private static func reserve<Element>(_ array: inout [Element], _ more: Int) {
        if array.count + more > array.capacity {
            array.reserveCapacity(array.count + more + max(64, array.count / 4))
        }
    }
}

/// The reads of a look-up. Each step is found by the previous one: a slot of the table, the entry
/// that it leads to, and the entry's name.
enum LookupStep {
    case slot, entry, name
}
