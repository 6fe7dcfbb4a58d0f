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

    /// Makes the processor load what the next look-ups will read, the steps of each one at some
    /// distance. Look-ups mostly wait for memory: without this, a start of a million sessions takes
    /// 1.16 times as long.
    ///
    /// - Parameters:
    ///   - hashes: the hashes of the names that are looked up.
    ///   - number: the place of the one that is looked up now.
    @inline(__always)
    mutating func prepare(_ hashes: Span<UInt64>, from number: Int) {
        Self.prepare(&shards.all, hashes, from: number)
    }

    @inline(__always)
    private static func prepare(_ shards: inout [Shard], _ hashes: Span<UInt64>, from number: Int) {
        var shards = shards.mutableSpan
        if number + 24 < hashes.count {
            let hash = hashes[number + 24]
            shards[Int(hash >> 56)].prepare(.slot, hash: hash)
        }
        if number + 16 < hashes.count {
            let hash = hashes[number + 16]
            shards[Int(hash >> 56)].prepare(.entry, hash: hash)
        }
        if number + 8 < hashes.count {
            let hash = hashes[number + 8]
            shards[Int(hash >> 56)].prepare(.name, hash: hash)
        }
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

    /// Inserts or replaces the entry of a session, and exchanges it for the previous one, if any. A
    /// new session has no position in the order until `sort` is called.
    public mutating func recover(
        _ bytes: [UInt8], _ range: Range<Int>, hash: UInt64, entry: inout SessionEntry
    ) -> (handle: SessionHandle, isNew: Bool) {
        let shard = Int(hash >> 56)
        let (number, isNew) = shards.all[shard].recover(bytes, range, hash: hash, entry: &entry)
        if isNew { count += 1 }
        return (Self.handle(shard, number), isNew)
    }

    /// Makes room for about as many sessions in all, whose names are as long as those so far.
    mutating func reserve(_ expected: Int) {
        guard expected > count, count > 0 else { return }
        let nameBytes = shards.all.reduce(0) { $0 + $1.nameBytes }
        for shard in shards.all.indices {
            shards.all[shard].reserve(
                expected / shards.all.count,
                nameBytes: nameBytes * expected / count / shards.all.count)
        }
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
        for shard in shards.all.indices { shards.all[shard].pack() }
        var keyed = KeyedHandles(count) { keyed in
            for shard in shards.all.indices {
                shards.all[shard].addKeys(to: &keyed) { Self.handle(shard, $0) }
            }
        }
        keyed.sort()
        var handles: [SessionHandle] = []
        handles.reserveCapacity(count)
        let items = keyed.items.span
        for number in items.indices { handles.append(items[number].handle) }
        var start = 0
        while start < items.count {
            let key = items[start].key
            var end = start + 1
            while end < items.count, items[end].key == key { end += 1 }
            if end - start > 1 {
                handles[start..<end].sort { a, b in
                    let name = Array(name(b))
                    return order(of: a, against: name, 0..<name.count) < 0
                }
            }
            start = end
        }
        order = OrderedHandles(sorted: handles)
    }

    private static func handle(_ shard: Int, _ number: Int) -> SessionHandle {
        SessionHandle(rawValue: UInt32(shard) << 24 | UInt32(number))
    }

    private static func shard(_ handle: SessionHandle) -> Int { Int(handle.rawValue >> 24) }
    private static func number(_ handle: SessionHandle) -> Int {
        Int(handle.rawValue & 0x00FF_FFFF)
    }
}

/// The parts of an index. It is a class, so that a copy of the index is the same index.
private final class Shards {
    var all: [Shard]

    init(_ hasher: SeededHash) { all = (0..<256).map { _ in Shard(hasher: hasher) } }
}
