internal import Bytes
internal import Sessions

/// Sessions with eight bytes of their names, by which they are sorted without comparing names.
struct KeyedHandles {
    /// A session and the key of its name.
    struct Item {
        /// The eight bytes as a number with the same order; a shorter name is followed by zeros.
        var key: UInt64
        var handle: SessionHandle
    }

    private(set) var items: [Item] = []
    /// The number of bytes before the key, which all names have in common.
    private let skipped: Int
    private var first: UInt64 = 0
    /// The bits in which keys differ.
    private var different: UInt64 = 0
    /// The length of the longest name.
    private var longest = 0

    /// Keys of some handles after a number of bytes that all names have in common.
    private init(_ count: Int, skipped: Int) {
        self.skipped = skipped
        items.reserveCapacity(count)
    }

    /// Makes keys without the bytes with which all names begin, so that few keys are equal.
    ///
    /// - Parameter addNames: adds all names.
    init(_ count: Int, _ addNames: (inout KeyedHandles) -> Void) {
        self.init(count, skipped: 0)
        addNames(&self)
        while case let common = different.leadingZeroBitCount / 8, common > 0,
            longest > skipped + 8
        {
            self = KeyedHandles(count, skipped: skipped + common)
            addNames(&self)
        }
    }

    /// Adds a name.
    @inline(__always)
    mutating func add(_ names: Span<UInt8>, _ name: Range<Int>, of handle: SessionHandle) {
        longest = max(longest, name.count)
        let start = min(name.lowerBound + skipped, name.upperBound)
        let count = min(name.upperBound - start, 8)
        var key: UInt64 = 0
        if start + 8 <= names.count {
            key = names.word(at: start).byteSwapped & ~(UInt64.max >> UInt64(8 * count))
        } else {
            for place in start..<start + count { key = key << 8 | UInt64(names[place]) }
            key <<= UInt64(8 * (8 - count))
        }
        if items.isEmpty { first = key }
        different |= key ^ first
        items.append(Item(key: key, handle: handle))
    }

    /// Sorts by the keys, some bits at a time from the lowest. Bits that all keys share are left
    /// out where they are between two digits.
    mutating func sort() {
        // A digit of more bits takes fewer passes, but more time for each of them.
        let mask: UInt64 = items.count < 1 << 12 ? 1 << 8 - 1 : 1 << 13 - 1
        var (left, sorted) = (different, items)
        while left != 0 {
            let shift = UInt64(left.trailingZeroBitCount)
            left &= ~(mask &<< shift)
            Self.distribute(items.span, to: &sorted, by: shift, mask)
            swap(&items, &sorted)
        }
    }

    /// Sorts by one digit; items in which it is equal keep their order.
    private static func distribute(
        _ items: Span<Item>, to sorted: inout [Item], by shift: UInt64, _ mask: UInt64
    ) {
        var counts = [Int](repeating: 0, count: Int(mask) + 1)
        var places = counts.mutableSpan
        for number in items.indices { places[Int(items[number].key &>> shift & mask)] &+= 1 }
        var before = 0
        for digit in places.indices {
            let count = places[digit]
            places[digit] = before
            before += count
        }
        var target = sorted.mutableSpan
        for number in items.indices {
            let item = items[number]
            let digit = Int(item.key &>> shift & mask)
            target[places[digit]] = item
            places[digit] &+= 1
        }
    }
}
