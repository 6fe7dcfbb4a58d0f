public import Bytes
public import Navigation
internal import POSIX
public import Sessions

/// All live sessions: by name through 256 shards, and in the order of their names.
public struct SessionIndex {
    private let shards: Shards
    /// The hash of ids.
    public let hasher: SeededHash
    /// The number of live sessions.
    public private(set) var count = 0
    private var order = OrderedHandles()

    /// - Parameter seed: secret, so that no client can choose names that collide.
    public init(seed: UInt64) {
        let hasher = SeededHash(seed: seed)
        self.hasher = hasher
        shards = Shards(hasher)
    }

    /// The hash of a name. Its highest eight bits select the shard.
    public func hash(_ bytes: [UInt8], _ range: Range<Int>) -> UInt64 { hasher.hash(bytes, range) }

    /// The session of that name, if there is one.
    public func find(_ bytes: [UInt8], _ range: Range<Int>) -> SessionHandle? {
        find(bytes, range, hash: hasher.hash(bytes, range))
    }

    /// - Parameter hash: the hash of the name, from `hash`.
    public func find(_ bytes: [UInt8], _ range: Range<Int>, hash: UInt64) -> SessionHandle? {
        let shard = Int(hash >> 56)
        return shards.all[shard].find(bytes, range, hash: hash).map { Self.handle(shard, $0) }
    }

    /// Prepares a look-up that follows soon, by the hash of the name.
    public func prepare(_ step: LookupStep, hash: UInt64) {
        shards.all[Int(hash >> 56)].prepare(step, hash: hash)
    }

    /// The entry of a session.
    public subscript(handle: SessionHandle) -> SessionEntry {
        get { shards.all[Self.shard(handle)][entry: Self.number(handle)] }
        nonmutating set { shards.all[Self.shard(handle)][entry: Self.number(handle)] = newValue }
    }

    /// Whether the handle belongs to a live session.
    public func isLive(_ handle: SessionHandle) -> Bool {
        let (shard, number) = (Self.shard(handle), Self.number(handle))
        return number < shards.all[shard].entries.count && shards.all[shard].entries[number].isLive
    }

    /// Adds a name, which must not be present.
    public mutating func insert(_ bytes: [UInt8], _ range: Range<Int>) -> SessionHandle {
        let hash = hasher.hash(bytes, range)
        let shard = Int(hash >> 56)
        let handle = Self.handle(shard, shards.all[shard].insert(bytes, range, hash: hash))
        count += 1
        let shards = shards
        order.insert(handle) { Self.order(of: $0, in: shards, against: bytes, range) }
        return handle
    }

    /// Inserts or replaces the entry of a session and returns the previous one. A new session has
    /// no position in the order until `sort` is called.
    public mutating func recover(
        _ bytes: [UInt8], _ range: Range<Int>, hash: UInt64, entry: SessionEntry
    ) -> (handle: SessionHandle, old: SessionEntry) {
        let shard = Int(hash >> 56)
        let (number, old) = shards.all[shard].recover(bytes, range, hash: hash, entry: entry)
        if old == nil { count += 1 }
        return (Self.handle(shard, number), old ?? SessionEntry())
    }

    /// Removes a session. Its handle may be given to another one.
    public mutating func remove(_ handle: SessionHandle) {
        let (shards, name) = (shards, Array(name(handle)))
        order.remove(handle) { Self.order(of: $0, in: shards, against: name, 0..<name.count) }
        removeUnsorted(handle)
    }

    /// The same before `sort` has been called.
    public mutating func removeUnsorted(_ handle: SessionHandle) {
        shards.all[Self.shard(handle)].remove(Self.number(handle))
        count -= 1
    }

    private static func order(
        of handle: SessionHandle, in shards: Shards, against bytes: [UInt8], _ range: Range<Int>
    ) -> Int {
        shards.all[shard(handle)].order(of: number(handle), against: bytes, range)
    }

    /// The bytes of the session's name.
    public func name(_ handle: SessionHandle) -> ArraySlice<UInt8> {
        shards.all[Self.shard(handle)].name(Self.number(handle))
    }

    /// The session's name.
    public func id(_ handle: SessionHandle) -> SessionID {
        SessionID(trusted: String(decoding: name(handle), as: UTF8.self))
    }

    /// How the session's name compares with another: negative if it comes first.
    public func order(
        of handle: SessionHandle, against bytes: [UInt8], _ range: Range<Int>
    ) -> Int {
        Self.order(of: handle, in: shards, against: bytes, range)
    }

    /// Calls the closure with handles in the order of their names, from the first name that is
    /// not before `bytes` (after it if `exclusive`) until the closure returns false.
    public func walk(
        from bytes: [UInt8], exclusive: Bool, _ body: (SessionHandle) -> Bool
    ) {
        order.walk(
            isBefore: {
                let order = self.order(of: $0, against: bytes, 0..<bytes.count)
                return order < 0 || exclusive && order == 0
            }, body)
    }

    /// Calls the closure with all handles, in no order.
    public func forEach(_ body: (SessionHandle) -> Void) {
        for shard in shards.all.indices {
            for number in shards.all[shard].entries.indices
            where shards.all[shard].entries[number].isLive { body(Self.handle(shard, number)) }
        }
    }

    /// The number of parts of the index.
    public var partCount: Int { shards.all.count }

    /// The sessions of one part with their entries, in no order.
    public func sessions(in part: Int) -> [(handle: SessionHandle, entry: SessionEntry)] {
        shards.all[part].entries.enumerated().filter(\.element.isLive).map { number, entry in
            (Self.handle(part, number), entry)
        }
    }

    /// Builds the order of all names. Recovery does this once, at its end.
    ///
    /// Sorting by names alone takes 40 times as long (4.5 s for a million sessions), so names are
    /// compared only where their keys are equal.
    public mutating func sort() {
        let (shards, skipped) = (shards, commonPrefix)
        var keyed: [KeyedHandle] = []
        keyed.reserveCapacity(count)
        forEach { handle in
            let key = shards.all[Self.shard(handle)].sortingKey(
                Self.number(handle), skipped: skipped)
            keyed.append(KeyedHandle(key: key, handle: handle))
        }
        keyed.sortByKey()
        var start = 0
        while start < keyed.count {
            let key = keyed[start].key
            var end = start + 1
            while end < keyed.count, keyed[end].key == key { end += 1 }
            if end - start > 1 {
                keyed[start..<end].sort { a, b in
                    let name = Array(name(b.handle))
                    return order(of: a.handle, against: name, 0..<name.count) < 0
                }
            }
            start = end
        }
        order = OrderedHandles(sorted: keyed.map(\.handle))
        for shard in shards.all.indices { shards.all[shard].pack() }
    }

    /// The number of bytes with which all names begin.
    private var commonPrefix: Int {
        var (pattern, count): ([UInt8]?, Int) = (nil, 0)
        forEach { handle in
            guard let first = pattern else {
                pattern = Array(name(handle))
                return count = name(handle).count
            }
            count = shards.all[Self.shard(handle)].common(
                Self.number(handle), with: first, atMost: count)
        }
        return count
    }

    private static func handle(_ shard: Int, _ number: Int) -> SessionHandle {
        SessionHandle(rawValue: UInt32(shard) << 24 | UInt32(number))
    }

    private static func shard(_ handle: SessionHandle) -> Int { Int(handle.rawValue >> 24) }
    private static func number(_ handle: SessionHandle) -> Int {
        Int(handle.rawValue & 0x00FF_FFFF)
    }
}

/// A session with the beginning of its name.
private struct KeyedHandle {
    var key: UInt64
    var handle: SessionHandle
}

extension [KeyedHandle] {
    /// Sorts by the keys: byte by byte from the lowest, without comparisons. Bytes that all keys
    /// share are left out.
    fileprivate mutating func sortByKey() {
        let first = self.first?.key ?? 0
        let different = reduce(UInt64(0)) { $0 | ($1.key ^ first) }
        var sorted = self
        for shift in stride(from: UInt64(0), to: 64, by: 8) where different >> shift & 0xFF != 0 {
            var places = [Int](repeating: 0, count: 257)
            for item in self { places[Int(item.key >> shift & 0xFF) + 1] += 1 }
            for byte in 1..<257 { places[byte] += places[byte - 1] }
            for item in self {
                let byte = Int(item.key >> shift & 0xFF)
                sorted[places[byte]] = item
                places[byte] += 1
            }
            swap(&self, &sorted)
        }
    }
}

/// The parts of an index. It is a class, so that a copy of the index is the same index.
private final class Shards {
    var all: [Shard]

    init(_ hasher: SeededHash) { all = (0..<256).map { _ in Shard(hasher: hasher) } }
}
