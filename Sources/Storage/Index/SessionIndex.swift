internal import Bytes
package import Navigation
internal import POSIX
package import Sessions

/// All live sessions: by name through 256 shards, and in the order of their names.
package struct SessionIndex {
    private let shards: Shards
    /// The hash of ids.
    package let hasher: SeededHash
    /// Live sessions.
    package private(set) var count = 0
    private var order = OrderedHandles()

    /// - Parameter seed: secret, so that nobody can choose names that collide.
    package init(seed: UInt64) {
        let hasher = SeededHash(seed: seed)
        self.hasher = hasher
        shards = Shards(hasher)
    }

    /// The hash of a name; its highest eight bits tell the shard.
    package func hash(_ bytes: [UInt8], _ range: Range<Int>) -> UInt64 { hasher.hash(bytes, range) }

    /// The session of that name, if there is one.
    package func find(_ bytes: [UInt8], _ range: Range<Int>) -> SessionHandle? {
        find(bytes, range, hash: hasher.hash(bytes, range))
    }

    /// - Parameter hash: the name's, as `hash` gives it.
    package func find(_ bytes: [UInt8], _ range: Range<Int>, hash: UInt64) -> SessionHandle? {
        let shard = Int(hash >> 56)
        return shards.all[shard].find(bytes, range, hash: hash).map { Self.handle(shard, $0) }
    }

    /// Says that a name with that hash will be looked for soon: what of the table is looked at.
    package func expectPlace(hash: UInt64) { shards.all[Int(hash >> 56)].expectPlace(hash: hash) }

    /// And which entry, when the table's part is there.
    package func expectEntry(hash: UInt64) { shards.all[Int(hash >> 56)].expectEntry(hash: hash) }

    /// And where that one's name is.
    package func expectName(hash: UInt64) { shards.all[Int(hash >> 56)].expectName(hash: hash) }

    /// What is kept of a session.
    package subscript(handle: SessionHandle) -> SessionEntry {
        get { shards.all[Self.shard(handle)][entry: Self.number(handle)] }
        nonmutating set { shards.all[Self.shard(handle)][entry: Self.number(handle)] = newValue }
    }

    /// Whether the handle is still that of a session.
    package func isLive(_ handle: SessionHandle) -> Bool {
        let (shard, number) = (Self.shard(handle), Self.number(handle))
        return number < shards.all[shard].entries.count && shards.all[shard].entries[number].isLive
    }

    /// Takes in a name that is not there.
    package mutating func insert(_ bytes: [UInt8], _ range: Range<Int>) -> SessionHandle {
        let hash = hasher.hash(bytes, range)
        let shard = Int(hash >> 56)
        let handle = Self.handle(shard, shards.all[shard].insert(bytes, range, hash: hash))
        count += 1
        let shards = shards
        order.insert(handle) { Self.order(shards, $0, bytes, range) }
        return handle
    }

    /// Gives a session its entry, whether it is new or not; what it was before. A new one is left
    /// out of the order until `sort` is called.
    package mutating func recover(
        _ bytes: [UInt8], _ range: Range<Int>, hash: UInt64, _ entry: SessionEntry
    ) -> (handle: SessionHandle, old: SessionEntry) {
        let shard = Int(hash >> 56)
        let (number, old) = shards.all[shard].recover(bytes, range, hash: hash, entry)
        if old == nil { count += 1 }
        return (Self.handle(shard, number), old ?? SessionEntry())
    }

    /// Makes room ahead for so many sessions, so that a recovery need not move what it has read
    /// again and again. Memory that is not used is not touched.
    package func reserve(sessions: Int) {
        for shard in shards.all.indices { shards.all[shard].reserve(sessions / 240) }
    }

    /// Forgets a session; its handle may be given to another one.
    package mutating func remove(_ handle: SessionHandle) {
        let (shards, name) = (shards, Array(name(handle)))
        order.remove(handle) { Self.order(shards, $0, name, 0..<name.count) }
        removeUnsorted(handle)
    }

    /// The same while there is no order.
    package mutating func removeUnsorted(_ handle: SessionHandle) {
        shards.all[Self.shard(handle)].remove(Self.number(handle))
        count -= 1
    }

    private static func order(
        _ shards: Shards, _ handle: SessionHandle, _ bytes: [UInt8], _ range: Range<Int>
    ) -> Int {
        shards.all[shard(handle)].order(number(handle), bytes, range)
    }

    /// The bytes of the session's name.
    package func name(_ handle: SessionHandle) -> ArraySlice<UInt8> {
        shards.all[Self.shard(handle)].name(Self.number(handle))
    }

    /// The session's name.
    package func id(_ handle: SessionHandle) -> SessionID {
        SessionID(trusted: String(decoding: name(handle), as: UTF8.self))
    }

    /// Negative if the session's name comes before the other.
    package func order(_ handle: SessionHandle, _ bytes: [UInt8], _ range: Range<Int>) -> Int {
        Self.order(shards, handle, bytes, range)
    }

    /// Calls the closure with handles in the order of their names, from the first name that is
    /// not before `bytes` (after it if `exclusive`) until the closure returns false.
    package func walk(
        from bytes: [UInt8], exclusive: Bool, _ body: (SessionHandle) -> Bool
    ) {
        order.walk(
            isBefore: {
                let order = self.order($0, bytes, 0..<bytes.count)
                return order < 0 || exclusive && order == 0
            }, body)
    }

    /// Calls the closure with all handles, in no order.
    package func forEach(_ body: (SessionHandle) -> Void) {
        for shard in shards.all.indices {
            for number in shards.all[shard].entries.indices
            where shards.all[shard].entries[number].isLive { body(Self.handle(shard, number)) }
        }
    }

    /// Builds the order from all names; recovery does this once, at its end.
    package mutating func sort() {
        var (handles, pattern, skipped): ([SessionHandle], [UInt8], Int) = ([], [], 0)
        handles.reserveCapacity(count)
        forEach { handle in
            if handles.isEmpty {
                pattern = Array(name(handle))
                skipped = pattern.count
            }
            handles.append(handle)
            skipped = shards.all[Self.shard(handle)].common(
                Self.number(handle), pattern, skipped)
        }
        var keyed = handles.map { handle in
            let key = shards.all[Self.shard(handle)].sortingKey(
                Self.number(handle), skipped: skipped)
            return KeyedHandle(key: key, handle: handle)
        }
        keyed.sortByKey()
        order = OrderedHandles(sorted: sortedByName(keyed))
    }

    /// Puts handles in the order of their names that are in the order of their keys already.
    private func sortedByName(_ keyed: [KeyedHandle]) -> [SessionHandle] {
        var (sorted, start) = (keyed.map(\.handle), 0)
        while start < keyed.count {
            var end = start + 1
            while end < keyed.count, keyed[end].key == keyed[start].key { end += 1 }
            if end - start > 1 {
                sorted[start..<end].sort { a, b in
                    let name = Array(name(b))
                    return order(a, name, 0..<name.count) < 0
                }
            }
            start = end
        }
        return sorted
    }

    private static func handle(_ shard: Int, _ number: Int) -> SessionHandle {
        SessionHandle(rawValue: UInt32(shard) << 24 | UInt32(number))
    }

    private static func shard(_ handle: SessionHandle) -> Int { Int(handle.rawValue >> 24) }
    private static func number(_ handle: SessionHandle) -> Int {
        Int(handle.rawValue & 0x00FF_FFFF)
    }
}

/// The parts of an index; a class, so that a copy of the index is the same index.
private final class Shards {
    var all: [Shard]

    init(_ hasher: SeededHash) { all = (0..<256).map { _ in Shard(hasher: hasher) } }
}

/// A handle and the beginning of its session's name as a number.
private struct KeyedHandle {
    var key: UInt64
    var handle: SessionHandle
}

extension [KeyedHandle] {
    /// Sorts by pieces of the keys, the lowest first, so that each pass keeps the order of the
    /// last (Knuth, 5.2.5, algorithm R). A pass takes sixteen bits, or eight where there are few
    /// keys, and begins at a bit in which keys differ: letters differ in few of theirs.
    fileprivate mutating func sortByKey() {
        guard let first else { return }
        let bits: UInt64 = count > 1 << 15 ? 16 : 8
        var varying = reduce(UInt64(0)) { $0 | ($1.key ^ first.key) }
        var target = self
        while varying != 0 {
            let shift = UInt64(varying.trailingZeroBitCount)
            varying &= shift + bits < 64 ? UInt64.max << (shift + bits) : 0
            distribute(to: &target, shift: shift, mask: 1 << bits - 1)
            swap(&self, &target)
        }
    }

    private func distribute(to target: inout [KeyedHandle], shift: UInt64, mask: UInt64) {
        var starts = [UInt32](repeating: 0, count: Int(mask) + 2)
        for item in self { starts[Int(item.key &>> shift & mask) + 1] += 1 }
        for piece in 1..<starts.count { starts[piece] += starts[piece - 1] }
        for item in self {
            let piece = Int(item.key &>> shift & mask)
            target[Int(starts[piece])] = item
            starts[piece] += 1
        }
    }
}

/// A hash of bytes that cannot be foretold without its seed; 64 bits, eight bytes a step.
package struct SeededHash: Sendable {
    private let seed: UInt64
    private let factor: UInt64

    /// A hash that differs for each seed.
    package init(seed: UInt64) {
        self.seed = Self.mix(seed ^ 0x9E37_79B9_7F4A_7C15)
        factor = Self.mix(seed &+ 0xD1B5_4A32_D192_ED03) | 1
    }

    /// The hash of a range of bytes.
    package func hash(_ bytes: [UInt8], _ range: Range<Int>) -> UInt64 {
        var (value, at) = (seed ^ UInt64(range.count), range.lowerBound)
        while range.upperBound - at >= 8 {
            value = step(value ^ ByteSearch.word(bytes, at: at))
            at += 8
        }
        return Self.mix(step(value ^ rest(bytes, at, range)))
    }

    /// What is left of a range from `at` on: fewer than eight bytes. Where there are eight in all,
    /// some of them once more.
    @inline(__always)
    private func rest(_ bytes: [UInt8], _ at: Int, _ range: Range<Int>) -> UInt64 {
        if range.count >= 8 { return ByteSearch.word(bytes, at: range.upperBound - 8) }
        return bytes[at..<range.upperBound].reduce(0) { $0 << 8 | UInt64($1) }
    }

    @inline(__always)
    private func step(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: factor)
        return product.high ^ product.low
    }

    /// The finisher of SplitMix64.
    private static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
