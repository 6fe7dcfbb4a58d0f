internal import Navigation
internal import Sessions

/// Sessions that were changed last, decoded.
///
/// A change needs the session as a value, and reading it from its JSON is a third of the work. Who
/// navigates once mostly navigates again, so the value is kept, by the place that the handle's
/// number gives it; a later session with that place takes it over. What is kept is good as long as
/// the session's newest record is the one that it was made with.
///
/// All together stay within their bytes: who comes in when they are used up makes others go, those
/// of one place after the other.
struct RecentSessions {
    /// What is kept of a session.
    struct Item {
        var session: Session
        /// The session fits any app that was stored before this number.
        var fitsBefore: SequenceNumber
        /// The length of the session's JSON.
        var jsonBytes: Int
    }

    /// A place's session. It mostly stays while the sessions in it come and go.
    private final class Kept {
        var handle: SessionHandle
        var sequence: SequenceNumber
        var item: Item?

        init(handle: SessionHandle, sequence: SequenceNumber, item: consuming Item) {
            self.handle = handle
            self.sequence = sequence
            self.item = item
        }

        /// The value itself, and its entries, which take about twice what they have as JSON.
        var weight: Int {
            guard let jsonBytes = item?.jsonBytes else { return 0 }
            return 512 + 2 * jsonBytes
        }
    }

    /// Sessions whose JSON is longer are not kept.
    static let jsonBytesMax = 8 << 10
    private static let placesMax = 1 << 16

    private var kept: [Kept?]
    /// How many bits number a place.
    private let bits: Int
    private let bytesMax: Int
    /// Estimated bytes of all that are kept.
    private(set) var bytes = 0
    /// The place that is looked at first when bytes are needed.
    private var hand = 0

    /// - Parameter bytesMax: what all may take.
    init(bytesMax: Int) {
        let places = min(Self.placesMax, max(1, bytesMax / 1024))
        bits = Int.bitWidth - 1 - places.leadingZeroBitCount
        kept = Array(repeating: nil, count: 1 << bits)
        self.bytesMax = bytesMax
    }

    /// Gives the session away, so that who changes it need not copy it first.
    mutating func take(_ handle: SessionHandle, _ sequence: SequenceNumber) -> Item? {
        guard let found = kept[place(handle)], found.handle == handle,
            found.sequence == sequence
        else { return nil }
        bytes -= found.weight
        return found.item.take()
    }

    mutating func keep(
        _ item: consuming Item, _ handle: SessionHandle, _ sequence: SequenceNumber
    ) {
        guard item.jsonBytes <= Self.jsonBytesMax else { return }
        let place = place(handle)
        if let found = kept[place] {
            bytes -= found.weight
            found.handle = handle
            found.sequence = sequence
            found.item = item
            bytes += found.weight
        } else {
            let new = Kept(handle: handle, sequence: sequence, item: item)
            kept[place] = new
            bytes += new.weight
        }
        while bytes > bytesMax { removeNext() }
    }

    private mutating func removeNext() {
        bytes -= kept[hand]?.weight ?? 0
        kept[hand] = nil
        hand = (hand + 1) & (kept.count - 1)
    }

    mutating func removeAll() {
        kept = Array(repeating: nil, count: kept.count)
        bytes = 0
    }

    /// Handles are dealt out to shards by their high bits, so all bits are mixed.
    private func place(_ handle: SessionHandle) -> Int {
        Int(UInt64(handle.rawValue &* 0x9E37_79B1) >> UInt64(32 - bits))
    }
}
