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

    /// A power of two. With `bytesMax` this is 64 MiB at the very most, and mostly a tenth.
    private static let places = 4096
    /// Sessions whose JSON is longer are not kept.
    static let bytesMax = 8 << 10

    private var kept = [Kept?](repeating: nil, count: places)

    func session(_ handle: SessionHandle, _ sequence: SequenceNumber) -> Session? {
        guard let found = kept[Self.place(handle)], found.handle == handle,
            found.sequence == sequence
        else { return nil }
        return found.session
    }

    mutating func keep(_ session: Session, _ handle: SessionHandle, _ sequence: SequenceNumber) {
        kept[Self.place(handle)] = Kept(handle: handle, sequence: sequence, session: session)
    }

    mutating func removeAll() {
        kept = [Kept?](repeating: nil, count: Self.places)
    }

    /// Handles are dealt out to shards by their high bits, so all bits are mixed.
    private static func place(_ handle: SessionHandle) -> Int {
        Int(truncatingIfNeeded: (handle.rawValue &* 0x9E37_79B1) >> 20)
    }
}
