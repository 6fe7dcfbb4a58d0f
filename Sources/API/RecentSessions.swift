internal import Navigation

/// Sessions that were changed last, decoded.
///
/// A change needs the session as a value, and reading it from its JSON is a third of the work. Who
/// navigates once mostly navigates again, so the value is kept, by the place that the handle's
/// number gives it; a later session with that place takes it over. What is kept is good as long as
/// the session's newest record is the one that it was made with.
struct RecentSessions {
    private struct Kept {
        var handle: SessionHandle
        var sequence: SequenceNumber
        var session: Session
    }

    /// Sessions whose JSON is longer are not kept.
    static let bytesMax = 8 << 10

    private var kept: [Kept?]
    /// How many bits number a place.
    private let bits: Int

    /// - Parameter bytes: what all may take; a decoded session is about twice its JSON.
    init(bytes: Int) {
        let places = min(4096, max(1, bytes / (2 * Self.bytesMax)))
        bits = Int.bitWidth - 1 - places.leadingZeroBitCount
        kept = Array(repeating: nil, count: 1 << bits)
    }

    /// Gives the session away, so that who changes it need not copy it first.
    mutating func take(_ handle: SessionHandle, _ sequence: SequenceNumber) -> Session? {
        let place = place(handle)
        guard let found = kept[place], found.handle == handle, found.sequence == sequence else {
            return nil
        }
        kept[place] = nil
        return found.session
    }

    mutating func keep(_ session: Session, _ handle: SessionHandle, _ sequence: SequenceNumber) {
        kept[place(handle)] = Kept(handle: handle, sequence: sequence, session: session)
    }

    mutating func removeAll() {
        kept = Array(repeating: nil, count: kept.count)
    }

    /// Handles are dealt out to shards by their high bits, so all bits are mixed.
    private func place(_ handle: SessionHandle) -> Int {
        Int((handle.rawValue &* 0x9E37_79B1) >> UInt32(32 - bits))
    }
}
