internal import Bytes
internal import Sessions

/// The handles of sessions by the hashes of their ids: open addressing with linear probing.
///
/// It has no ids, which are in the entries of the handles. A dictionary would take 40 bytes more
/// for each session.
struct HandleTable {
    /// Handles plus one; 0 for a free slot. The number of slots is a power of two.
    private var slots = [UInt32](repeating: 0, count: 16)
    private(set) var count = 0
    /// The hash of ids, which no client can predict.
    let hasher = SeededHash(seed: .random(in: .min ... .max))

    /// The handles that may have this hash, among them all that have it.
    func candidates(_ hash: UInt64) -> some Sequence<SessionHandle> {
        sequence(state: first(hash)) { place in
            guard slots[place] != 0 else { return nil }
            defer { place = next(place) }
            return SessionHandle(rawValue: slots[place] - 1)
        }
    }

    /// Inserts a handle that is not there.
    ///
    /// - Parameter hashing: the hash of another handle.
    mutating func insert(
        _ handle: SessionHandle, _ hash: UInt64, hashing: (SessionHandle) -> UInt64
    ) {
        if (count + 1) * 2 > slots.count { grow(hashing) }
        place(handle.rawValue + 1, hash)
        count += 1
    }

    /// Removes a handle, which must be there.
    ///
    /// - Parameter hashing: the hash of another handle.
    mutating func remove(
        _ handle: SessionHandle, _ hash: UInt64, hashing: (SessionHandle) -> UInt64
    ) {
        var free = first(hash)
        while slots[free] != handle.rawValue + 1 {
            precondition(slots[free] != 0, "the handle is there")
            free = next(free)
        }
        count -= 1
        // The entry that follows moves up, unless it would come before its first place.
        var place = next(free)
        while slots[place] != 0 {
            let start = first(hashing(SessionHandle(rawValue: slots[place] - 1)))
            if distance(start, place) >= distance(free, place) {
                slots[free] = slots[place]
                free = place
            }
            place = next(place)
        }
        slots[free] = 0
    }

    private func first(_ hash: UInt64) -> Int { Int(hash & UInt64(slots.count - 1)) }
    private func next(_ place: Int) -> Int { (place + 1) & (slots.count - 1) }
    private func distance(_ start: Int, _ end: Int) -> Int { (end - start) & (slots.count - 1) }

    private mutating func place(_ value: UInt32, _ hash: UInt64) {
        var place = first(hash)
        while slots[place] != 0 { place = next(place) }
        slots[place] = value
    }

    private mutating func grow(_ hashing: (SessionHandle) -> UInt64) {
        let old = slots
        slots = [UInt32](repeating: 0, count: old.count * 2)
        for value in old where value != 0 {
            place(value, hashing(SessionHandle(rawValue: value - 1)))
        }
    }
}
