internal import Navigation
internal import Sessions

/// The sessions that were changed last, decoded.
///
/// A change needs the session as a value, and decoding its JSON is a third of the work of a change.
/// A session that was changed is likely to be changed again, so its value is kept in the slot that
/// its handle is hashed to; a later session with the same slot replaces it. A kept value is valid
/// while the newest state of the session has the version that the value was made from.
///
/// Together they stay within a number of bytes. When it is exceeded, sessions are removed, one slot
/// after another.
struct RecentSessions {
    /// What is kept about a session.
    struct Item {
        var session: Session
        /// The session fits every version of its app that was stored before this number.
        var fitsBefore: SequenceNumber
        /// The length of the session's JSON.
        var jsonBytes: Int
    }

    /// The session of a slot. The object stays when another session takes the slot.
    private final class Slot {
        var handle: SessionHandle
        var version: EntityVersion
        var item: Item?

        init(handle: SessionHandle, version: EntityVersion, item: consuming Item) {
            self.handle = handle
            self.version = version
            self.item = item
        }

        /// Estimated memory in bytes: the value itself, and its entries, which take about twice as
        /// much as their JSON.
        var bytes: Int {
            guard let jsonBytes = item?.jsonBytes else { return 0 }
            return 512 + 2 * jsonBytes
        }
    }

    /// Sessions whose JSON is longer are not kept.
    static let jsonBytesMax = 8 << 10
    private static let slotsMax = 1 << 16

    private var slots: [Slot?]
    /// The number of bits of a slot's index.
    private let bits: Int
    private let bytesMax: Int
    /// Estimated memory of all kept sessions.
    private(set) var bytes = 0
    /// The slot from which the next session is removed when bytes are needed.
    private var nextToRemove = 0

    /// - Parameter bytesMax: the memory that all kept sessions may use.
    init(bytesMax: Int) {
        let count = min(Self.slotsMax, max(1, bytesMax / 1024))
        bits = Int.bitWidth - 1 - count.leadingZeroBitCount
        slots = Array(repeating: nil, count: 1 << bits)
        self.bytesMax = bytesMax
    }

    /// Removes the session and returns it, so that the caller can change it without a copy. Returns
    /// nil if it is not kept or was made from another version.
    mutating func take(_ handle: SessionHandle, _ version: EntityVersion) -> Item? {
        guard let found = slots[index(of: handle)], found.handle == handle,
            found.version == version
        else { return nil }
        bytes -= found.bytes
        return found.item.take()
    }

    mutating func keep(
        _ item: consuming Item, of handle: SessionHandle, _ version: EntityVersion
    ) {
        guard item.jsonBytes <= Self.jsonBytesMax else { return }
        let index = index(of: handle)
        if let found = slots[index] {
            bytes -= found.bytes
            found.handle = handle
            found.version = version
            found.item = item
            bytes += found.bytes
        } else {
            let new = Slot(handle: handle, version: version, item: item)
            slots[index] = new
            bytes += new.bytes
        }
        while bytes > bytesMax { removeNext() }
    }

    private mutating func removeNext() {
        bytes -= slots[nextToRemove]?.bytes ?? 0
        slots[nextToRemove] = nil
        nextToRemove = (nextToRemove + 1) & (slots.count - 1)
    }

    mutating func removeAll() {
        slots = Array(repeating: nil, count: slots.count)
        bytes = 0
    }

    /// Shards take handles by their high bits, so all bits are mixed.
    private func index(of handle: SessionHandle) -> Int {
        Int(UInt64(handle.rawValue &* 0x9E37_79B1) >> UInt64(32 - bits))
    }
}
